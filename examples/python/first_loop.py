import torch

import gpscl

torch.manual_seed(0)
classes = torch.rand(10, 64)  # ten classes of made-up images with 64 pixels


def make_task(count=1500):
    y = torch.randint(10, (count,))
    x = (classes[y] + 0.3 * torch.randn(count, 64))[:, torch.randperm(64)]  # pixels in an order of its own
    return x[:1000], y[:1000], x[1000:], y[1000:]


tasks = [make_task() for _ in range(4)]
model = torch.nn.Sequential(torch.nn.Linear(64, 100), torch.nn.ReLU(), torch.nn.Linear(100, 10))
criterion = torch.nn.functional.cross_entropy


def make_optimizer(parameters):
    return torch.optim.SGD(parameters, lr=0.1)


optimizer = make_optimizer(model.parameters())
memory = gpscl.Memory(budget=100, policy="gps", seed=0, tasks=len(tasks))
simulation = gpscl.torch.Simulation(model, make_optimizer, criterion, future="permutation")

for x, y, _, _ in tasks:
    for i in torch.randperm(len(x)).split(10):
        loss = criterion(model(x[i]), y[i])
        if len(memory):
            xm, ym = memory.sample(10)
            loss = loss + criterion(model(xm), ym)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        memory.observe(i, y[i])
    print(memory.end_task(x, simulation))

with torch.no_grad():
    right = [(model(x).argmax(1) == y).float().mean().item() for _, _, x, y in tasks]
print("accuracy on each task:", " ".join(f"{100 * share:.1f} %" for share in right))
torch.save(memory.state_dict(), "memory.pt")
