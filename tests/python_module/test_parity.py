"""gpscl.Memory makes the choices of `gpscl run`, to the bit."""
import math
import unittest

import numpy as np

import gpscl
from streams import contents, feed, images, made_up_labels, reference_run, torch_or_skip

POLICIES = ["reservoir", "ring-full", "ring-full:floor", "hybrid", "mixed:0", "mixed:0.3", "mixed:1", "mixed:0.2/0.9",
            "one-batch"]


class Parity(unittest.TestCase):
    def compare(self, policy, *, seed, epochs, capacity=37, options=None, rows=True):
        labels = made_up_labels(tasks=4, examples=83, classes=5, seed=seed)
        reference = reference_run(policy=policy, options=options or {}, seed=seed, classes=5, epochs=epochs, batch=10,
                                  capacity=capacity, tasks=labels)
        memory = gpscl.Memory(capacity, policy, seed, classes=5, batch=10, **(options or {}))
        drawn = []
        for number, task in enumerate(labels, start=1):
            feed(memory, task, number, epochs=epochs, rows=rows, drawn=drawn)
            choice = memory.end_task()
            expected = reference["after"][number - 1]
            self.assertEqual(contents(memory), [tuple(example[:4]) for example in expected], f"task {number}")
            if rows:
                self.assertEqual(memory.rows().reshape(len(memory), -1).tolist(), [example[4] for example in expected])
            if reference["decisions"]:
                decided = reference["decisions"][number - 1]
                self.assertEqual((choice.task, choice.ring_size, choice.quota),
                                 (decided["task"], decided["ring_size"], decided["quota"]))
        self.assertEqual(drawn, reference["drawn"])

    def test_policies_choose_and_draw_as_in_cpp(self):
        for policy in POLICIES:
            for seed in (0, 7):
                with self.subTest(policy=policy, seed=seed):
                    self.compare(policy, seed=seed, epochs=1)

    def test_several_epochs(self):
        for policy in POLICIES:
            with self.subTest(policy=policy):
                self.compare(policy, seed=2, epochs=3)

    def test_running_reservoir_within_a_task(self):
        self.compare("mixed:0.5", seed=4, epochs=2, options={"in_task": "running"})

    def test_a_memory_of_indices_chooses_the_same(self):
        for policy in POLICIES:
            with self.subTest(policy=policy):
                self.compare(policy, seed=5, epochs=1, rows=False)

    def test_a_memory_that_is_larger_than_the_stream(self):
        for policy in POLICIES:
            with self.subTest(policy=policy):
                self.compare(policy, seed=1, epochs=1, capacity=1000)

    def test_gps_searches_as_in_cpp(self):
        # The outcomes are those that the simulation in C++ had. Asked for the same plans, the search must ask for the same
        # plans again, choose the same one, and build the same memory.
        for options in ({}, {"objective": "loss"}, {"score": "balanced", "reuse": 0.0}, {"stride": 2, "window": 2}):
            with self.subTest(options=options):
                labels = made_up_labels(tasks=4, examples=120, classes=5)
                reference = reference_run(policy="gps", options=options, seed=6, classes=5, epochs=1, batch=10,
                                          capacity=60, tasks=labels)
                memory = gpscl.Memory(60, "gps", 6, classes=5, tasks=4, batch=10, **options)
                outcomes = set()
                for number, task in enumerate(labels, start=1):
                    feed(memory, task, number)
                    decided = reference["decisions"][number - 1]
                    known = {ring_size: (math.inf if loss is None else loss, accuracy)
                             for ring_size, loss, accuracy in decided["trials"]}
                    outcomes |= set(known.values())
                    asked = []

                    def simulate(candidate):
                        asked.append(candidate.ring_size)
                        return known[candidate.ring_size]

                    choice = memory.end_task(simulation=simulate)
                    self.assertEqual(asked, list(known))
                    self.assertEqual(len(asked) > 0, number < 4)  # there is nothing to remember after the last task
                    self.assertEqual([(t.ring_size, t.loss, t.accuracy) for t in choice.trials],
                                     [(ring_size, *outcome) for ring_size, outcome in known.items()])
                    self.assertEqual((choice.ring_size, choice.quota), (decided["ring_size"], decided["quota"]))
                    expected = reference["after"][number - 1]
                    self.assertEqual(contents(memory), [tuple(example[:4]) for example in expected])
                    np.testing.assert_array_equal(memory.rows().reshape(len(memory), -1), [e[4] for e in expected])
                self.assertGreater(len(outcomes), 4)  # the search had something to compare

    def test_rows_may_be_fetched_when_a_task_ends(self):
        labels = made_up_labels(tasks=3, examples=83, classes=5)
        by_rows, by_task = (gpscl.Memory(20, "mixed:0.5", 1, classes=5) for _ in range(2))
        for number, task in enumerate(labels, start=1):
            feed(by_rows, task, number)
            feed(by_task, task, number, rows=False)
            by_rows.end_task()
            by_task.end_task(images(number, task))
            self.assertEqual(contents(by_task), contents(by_rows))
            np.testing.assert_array_equal(by_task.rows(), by_rows.rows())
            self.assertEqual(by_task.staged_bytes, 0)


class Training(unittest.TestCase):
    def test_a_network_that_pytorch_trains_ends_with_the_weights_of_a_run(self):
        # The two round differently, and differ in nothing else.
        torch = torch_or_skip()
        labels = made_up_labels(tasks=4, examples=83, classes=5, seed=3)
        for policy in ("reservoir", "ring-full", "mixed:0.5"):
            with self.subTest(policy=policy):
                reference = reference_run(policy=policy, options={}, seed=3, classes=5, epochs=2, batch=10, capacity=37,
                                          tasks=labels, trains=True)
                first, last = (torch.tensor(weights) for weights in reference["weights"])
                model = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.ReLU(), torch.nn.Linear(16, 5))
                torch.nn.utils.vector_to_parameters(first.clone(), model.parameters())
                optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
                criterion = torch.nn.functional.cross_entropy
                memory = gpscl.Memory(37, policy, seed=3, classes=5, batch=10)
                for number, task in enumerate(labels, start=1):
                    x = torch.from_numpy(images(number, task)).flatten(1)
                    y = torch.from_numpy(task)
                    memory.begin_task(y)
                    for _ in range(2):
                        for i in torch.from_numpy(memory.order(len(y))).split(10):
                            loss = criterion(model(x[i] / 255), y[i])
                            if len(memory):
                                xm, ym = memory.sample(10)
                                loss = loss + criterion(model(xm / 255), ym)
                            optimizer.zero_grad()
                            loss.backward()
                            optimizer.step()
                            memory.observe(i, y[i], x[i])
                        memory.end_epoch()
                    memory.end_task()
                now = torch.nn.utils.parameters_to_vector(model.parameters())
                self.assertGreater((last - first).abs().max().item(), 0.1)
                self.assertLess((last - now).abs().max().item(), 1e-4)
                self.assertEqual(contents(memory), [tuple(example[:4]) for example in reference["after"][-1]])


if __name__ == "__main__":
    unittest.main()
