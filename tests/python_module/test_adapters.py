"""gpscl.avalanche and gpscl.mammoth, with small stand-ins for those frameworks (stand_ins.py)."""
import argparse
import copy
import io
import os
import pickle
import sys
import types
import unittest
from contextlib import redirect_stdout

import numpy as np

import gpscl

try:
    import torch
except ImportError:
    raise unittest.SkipTest("not checked: adapters for Avalanche and Mammoth; to check: scripts/setup test")

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stand_ins  # noqa: E402

stand_ins.install_avalanche()
stand_ins.install_mammoth()
from gpscl.avalanche import Buffer  # noqa: E402
from gpscl.mammoth import ErGps, MemoryBuffer  # noqa: E402

torch.set_num_threads(1)
CLASSES = torch.rand(4, 16, generator=torch.Generator().manual_seed(1))


def make_task(number, count=80):
    """Four classes of 16 pixels, whose order is the task's own. Each image has its task and number in its first pixels."""
    own = torch.Generator().manual_seed(number)
    y = torch.arange(count) % 4
    x = (CLASSES[y] + 0.1 * torch.randn(count, 16, generator=own))[:, torch.randperm(16, generator=own)]
    x = torch.cat([torch.full((count, 1), float(number)), torch.arange(count)[:, None].float(), x], dim=1)
    return x, y


def make_model():
    torch.manual_seed(0)
    return torch.nn.Linear(18, 4)


def seen_by(buffer):
    """Task and number of each exemplar, as its first pixels say."""
    return [(int(item[0][0]), int(item[0][1])) for item in buffer.buffer.items]


class AvalancheBuffers(unittest.TestCase):
    def trained(self, buffer, tasks=3):
        model = make_model()
        strategy = stand_ins.Strategy(model, torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.5),
                                      torch.nn.functional.cross_entropy, 10, buffer)
        torch.manual_seed(0)
        for number in range(1, tasks + 1):
            x, y = make_task(number)
            strategy.train(stand_ins.Experience(stand_ins.Data((x[k], int(y[k]), number) for k in range(len(y)))))
        return strategy

    def test_hold_exactly_what_the_memory_chose(self):
        for policy in ("reservoir", "ring-full", "mixed:0.5", "gps"):
            buffer = Buffer(20, policy=policy, seed=3, tasks=3)
            self.trained(buffer)
            self.assertEqual(len(buffer.buffer), 20, policy)
            self.assertEqual(seen_by(buffer), list(zip(buffer.memory.tasks.tolist(), buffer.memory.indices.tolist())), policy)
            self.assertEqual(buffer.buffer.targets, buffer.memory.labels.tolist(), policy)
            self.assertEqual(sorted(set(buffer.memory.tasks.tolist())), [1, 2, 3], policy)

    def test_are_balanced_by_class_if_the_policy_is(self):
        buffer = Buffer(24, policy="mixed:1", tasks=3)
        self.trained(buffer)
        counts = np.zeros((3, 4), int)
        np.add.at(counts, (buffer.memory.tasks - 1, buffer.memory.labels), 1)
        self.assertEqual(counts.tolist(), [[2] * 4] * 3)

    def test_let_gps_try_candidates_with_copies_of_the_model(self):
        buffer = Buffer(20, policy="gps", tasks=3)
        strategy = self.trained(buffer)
        self.assertEqual(len(buffer.decisions), 3)
        self.assertGreater(len(buffer.decisions[0].trials), 1)
        reservoir = self.trained(Buffer(20, policy="reservoir", tasks=3), tasks=1)
        alone = self.trained(Buffer(20, policy="gps", tasks=3), tasks=1)
        self.assertTrue(torch.equal(reservoir.model.weight, alone.model.weight))  # the search changes no weight
        self.assertIsNotNone(strategy.model.weight.grad)

    def test_take_a_simulation_of_the_users_own(self):
        asked = []

        def simulate(candidate):
            asked.append(candidate.ring_size)
            return float(candidate.ring_size), 1.0 / (1 + candidate.ring_size)

        buffer = Buffer(20, policy="gps", simulation=simulate, tasks=3, objective="loss")
        self.trained(buffer)
        self.assertTrue(asked)
        for decision in buffer.decisions[:2]:
            self.assertEqual(decision.ring_size, min(trial.ring_size for trial in decision.trials))

    def test_make_the_same_choices_after_pickling(self):
        whole = Buffer(20, policy="reservoir", seed=1)
        strategy = self.trained(whole, tasks=2)
        copied = pickle.loads(pickle.dumps(whole))
        x, y = make_task(3)
        strategy.experience = stand_ins.Experience(stand_ins.Data((x[k], int(y[k]), 3) for k in range(len(y))))
        whole.update(strategy)
        copied.update(strategy)
        self.assertEqual(seen_by(copied), seen_by(whole))

    def test_can_have_a_budget_in_bytes(self):
        self.assertEqual(Buffer("2kB", policy="reservoir", row_bytes=192).max_size, 10)  # 192 + 8 bytes each
        with self.assertRaisesRegex(ValueError, "needs row_bytes"):
            Buffer("2kB", policy="reservoir")

    def test_hold_as_many_as_a_budget_in_bytes_says_whatever_gps_sees_of_them(self):
        buffer = Buffer("2kB", policy="gps", row_bytes=192, tasks=3)  # gps sees floats with 72 bytes
        self.trained(buffer)
        self.assertEqual((buffer.max_size, len(buffer.buffer)), (10, 10))

    def test_are_as_before_if_they_are_interrupted_and_can_be_updated_again(self):
        def simulate(candidate):
            if is_interrupted and candidate.number == 2:
                raise KeyboardInterrupt
            return 1.0, 1.0 / (1 + candidate.ring_size)

        is_interrupted = False
        whole, other = (Buffer(20, policy="gps", simulation=simulate, tasks=3) for _ in range(2))
        self.trained(whole, tasks=2)
        strategy = self.trained(other, tasks=1)
        held = seen_by(other)
        x, y = make_task(2)
        strategy.experience = stand_ins.Experience(stand_ins.Data((x[k], int(y[k]), 2) for k in range(len(y))))
        is_interrupted = True
        with self.assertRaises(KeyboardInterrupt):
            other.update(strategy)
        self.assertEqual(seen_by(other), held)
        is_interrupted = False
        other.update(strategy)
        self.assertEqual(seen_by(other), seen_by(whole))

    def test_stay_as_they_are_after_an_experience_without_data(self):
        buffer = Buffer(20, policy="reservoir")
        strategy = self.trained(buffer, tasks=1)
        held = seen_by(buffer)
        strategy.experience = stand_ins.Experience(stand_ins.Data([]))
        buffer.update(strategy)
        self.assertEqual(seen_by(buffer), held)

    def test_simulate_with_the_batches_of_their_plugin(self):
        buffer = Buffer(20, policy="gps")
        strategy = self.trained(Buffer(20, policy="reservoir"), tasks=1)
        for sizes, expected in (((None, None), (10, 10)), ((None, 4), (10, 4)), ((6, None), (6, 10))):
            plugin = types.SimpleNamespace(storage_policy=buffer, batch_size=sizes[0], batch_size_mem=sizes[1])
            strategy.plugins = [types.SimpleNamespace(), plugin]
            simulation = buffer._copies_of(strategy)
            self.assertEqual((simulation.batch, simulation.memory_batch), expected)

    def test_keep_their_size(self):
        buffer = Buffer(20, policy="reservoir")
        buffer.resize(None, 20)
        with self.assertRaisesRegex(ValueError, "keeps its size of 20, got 10"):
            buffer.resize(None, 10)


class MammothModels(unittest.TestCase):
    DATASET = types.SimpleNamespace(N_CLASSES=4, N_TASKS=3)

    def model(self, *words):
        parser = argparse.ArgumentParser()
        for name, kind, usual in (("--lr", float, 0.05), ("--batch_size", int, 10), ("--seed", int, None)):
            parser.add_argument(name, type=kind, default=usual)
        ErGps.get_parser(parser)
        args = parser.parse_args(["--buffer_size", "20", "--minibatch_size", "10", *words])
        return ErGps(make_model(), torch.nn.functional.cross_entropy, args, None, dataset=self.DATASET)

    def train(self, model, number, epochs=1):
        x, y = make_task(number)
        torch.manual_seed(number)
        model.meta_begin_task(self.DATASET)
        for epoch in range(epochs):
            for i in torch.randperm(len(y)).split(10):
                model.meta_observe(x[i], y[i], x[i], epoch=epoch)
        with redirect_stdout(io.StringIO()) as said:
            model.meta_end_task(self.DATASET)
        return said.getvalue()

    def stored(self, model):
        rows = torch.as_tensor(model.buffer.memory.rows())
        return rows[:, :2].int().tolist()

    def test_are_named_as_mammoth_expects(self):
        self.assertEqual(ErGps.NAME, "er-gps")
        self.assertIn("class-il", ErGps.COMPATIBILITY)

    def test_fill_their_memory_with_every_task(self):
        for policy in ("gps", "reservoir", "mixed:1"):
            model = self.model("--memory_policy", policy)
            for number in (1, 2, 3):
                self.train(model, number)
            self.assertEqual(len(model.buffer), 20, policy)
            self.assertEqual({task for task, _ in self.stored(model)}, {1, 2, 3}, policy)

    def test_say_what_gps_chose(self):
        model = self.model()
        self.assertNotEqual(self.train(model, 1), "")
        self.assertGreater(len(model.buffer.memory.decisions[0].trials), 1)

    def test_see_each_example_once_however_many_epochs_there_are(self):
        model = self.model("--memory_policy", "mixed:1")
        self.train(model, 1, epochs=3)
        stored = self.stored(model)
        self.assertEqual(len({number for _, number in stored}), len(stored))

    def test_replay_through_the_transform(self):
        model = self.model("--memory_policy", "reservoir")
        self.train(model, 1)
        x, y = model.buffer.get_data(5, transform=lambda x: x + 1000)
        self.assertEqual((x.shape, len(y)), ((5, 18), 5))
        self.assertGreater(x.min().item(), 900)

    def test_go_on_from_a_safe_checkpoint_as_if_nothing_had_happened(self):
        whole = self.model("--memory_policy", "reservoir")
        for number in (1, 2):
            self.train(whole, number)
        file = io.BytesIO()
        torch.save({"model": whole.state_dict(), "buffer": whole.buffer.serialize()}, file)
        file.seek(0)
        saved = torch.load(file)
        resumed = self.model("--memory_policy", "reservoir")
        for _ in (1, 2):  # Mammoth begins and ends the tasks that it skips
            resumed.meta_begin_task(self.DATASET)
            resumed.meta_end_task(self.DATASET)
        resumed.load_state_dict(saved["model"])
        resumed.load_buffer(saved["buffer"])
        for model in (whole, resumed):
            self.train(model, 3)
        self.assertEqual(self.stored(resumed), self.stored(whole))
        self.assertTrue(torch.equal(resumed.net.weight, whole.net.weight))

    def test_save_the_memory_as_it_was_when_the_task_began_if_they_are_interrupted(self):
        # Mammoth learns the task again then, from its first batch. Its handler of Ctrl-C may come while gps simulates.
        saved = []

        class Interrupted(ErGps):
            def get_optimizer(self, params=None, lr=None):
                if params is not None and not saved:  # of the first copy
                    saved.extend([self.buffer.serialize(), copy.deepcopy(self.buffer)])
                return super().get_optimizer(params, lr)

        whole = self.model("--memory_policy", "gps")
        self.train(whole, 1)
        expected = [*self.stored(whole), whole.buffer.memory.task]
        model = self.model("--memory_policy", "gps")
        self.train(model, 1)
        model.__class__ = Interrupted
        self.train(model, 2)
        self.assertEqual(len(saved), 2)
        for checkpoint in saved:
            resumed = self.model("--memory_policy", "gps")
            resumed.load_buffer(checkpoint)
            self.assertEqual([*self.stored(resumed), resumed.buffer.memory.task], expected)
            self.train(resumed, 2)
            self.assertEqual(len(set(map(tuple, self.stored(resumed)))), 20)  # nothing twice

    def test_write_safe_checkpoints_of_numbers_texts_and_tensors_even_before_the_first_task(self):
        def kinds(value):
            if isinstance(value, dict):
                return set().union(*(kinds(each) for each in value.values())) if value else set()
            return set().union(*(kinds(each) for each in value)) if isinstance(value, list) else {type(value)}

        model = self.model("--memory_policy", "reservoir")
        for number in (None, 1):
            if number is not None:
                self.train(model, number)
            self.assertLessEqual(kinds(model.buffer.serialize()), {int, float, str, bool, type(None), torch.Tensor})

    def test_go_on_with_another_seed_but_not_with_another_memory(self):
        saved = self.model("--memory_policy", "reservoir", "--seed", "1")
        self.train(saved, 1)
        for state in (saved.buffer.serialize(), copy.deepcopy(saved.buffer)):
            resumed = self.model("--memory_policy", "reservoir", "--seed", "2")
            resumed.load_buffer(state)
            self.assertEqual(self.stored(resumed), self.stored(saved))
            for words, error in ((("--memory_policy", "mixed:1"), "the policy reservoir, this model has mixed:1"),
                                 (("--memory_policy", "reservoir", "--buffer_size", "9"), "the budget 20, this model has 9")):
                with self.assertRaisesRegex(ValueError, error):
                    self.model(*words).load_buffer(state)

    def test_can_be_copied_for_a_pickled_checkpoint(self):
        model = self.model("--memory_policy", "reservoir")
        self.train(model, 1)
        copied = copy.deepcopy(model.buffer).to("cpu")
        self.assertIsInstance(copied, MemoryBuffer)
        self.train(model, 2)
        self.assertNotEqual(copied.memory.tasks.tolist(), model.buffer.memory.tasks.tolist())


class WithoutTheFrameworks(unittest.TestCase):
    def test_the_adapters_say_what_they_need(self):
        for name, needs in (("avalanche", "needs Avalanche"), ("mammoth", "Mammoth's folder")):
            script = f"""
import sys
sys.modules["avalanche"] = None
sys.modules["models"] = None
import gpscl
try:
    import gpscl.{name}
except ImportError as error:
    print(error)
"""
            import subprocess
            done = subprocess.run([sys.executable, "-B", "-c", script], stdout=subprocess.PIPE, encoding="utf-8", check=True)
            self.assertIn(needs, done.stdout)

    def test_the_module_is_imported_without_them(self):
        self.assertTrue(hasattr(gpscl, "Memory"))


if __name__ == "__main__":
    unittest.main()
