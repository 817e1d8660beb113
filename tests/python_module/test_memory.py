"""gpscl.Memory as a loop uses it: what it keeps, what it returns, and what it refuses."""
import sys
import subprocess
import threading
import unittest

import numpy as np

import gpscl
from streams import contents, feed, images, made_up_labels, torch_or_skip

ALL = ["reservoir", "ring-full", "hybrid", "mixed:0.5", "one-batch"]


def loop(memory, labels, batch=7, **options):
    """All tasks, without begin_task(), as most loops do it."""
    for number, task in enumerate(labels, start=1):
        feed(memory, task, number, batch=batch, knows=False, **options)
        memory.end_task()


class Watched:
    """The C++ part of a memory, and which of its functions were called to observe."""

    def __init__(self, core):
        self._core, self.called = core, []

    def __len__(self):
        return len(self._core)

    def __getattr__(self, name):
        if name.startswith("observe"):
            self.called.append(name)
        return getattr(self._core, name)


class Keeping(unittest.TestCase):
    def test_every_stored_row_is_the_row_of_its_index(self):
        labels = made_up_labels(3, 60, 4)
        for policy in ALL:
            with self.subTest(policy=policy):
                memory = gpscl.Memory(25, policy)
                loop(memory, labels)
                self.assertGreater(len(memory), 0)
                for slot, (task, index, label, _) in enumerate(contents(memory)):
                    self.assertEqual(label, labels[task - 1][index])
                    np.testing.assert_array_equal(memory.rows([slot])[0], images(task, labels[task - 1])[index])
                self.assertEqual(len(set(contents(memory))), len(memory))

    def test_ring_full_is_balanced_without_knowing_the_labels(self):
        labels = [np.repeat(np.arange(4), 30), np.repeat([1, 3], 30)]
        for policy in ("ring-full", "hybrid"):
            with self.subTest(policy=policy):
                memory = gpscl.Memory(24, policy, seed=1)
                loop(memory, labels)
                if policy == "ring-full":
                    self.assertEqual(sorted(np.unique(memory.labels[memory.tasks == 2], return_counts=True)[1]), [6, 6])
                    counts = np.unique(memory.labels[memory.tasks == 1], return_counts=True)[1]
                    self.assertEqual(sorted(counts), [3, 3, 3, 3])
                self.assertEqual(len(memory), 24)

    def test_a_budget_in_bytes_is_never_exceeded(self):
        labels = made_up_labels(3, 60, 4)
        for policy in ALL:
            for budget, bytes_ in (("1kB", 1000), ("2kiB", 2048), ("24B", 24)):
                with self.subTest(policy=policy, budget=budget):
                    memory = gpscl.Memory(budget, policy)
                    self.assertIsNone(memory.capacity)
                    for number, task in enumerate(labels, start=1):
                        x = images(number, task)
                        for i in memory.order(len(task)).reshape(-1, 6):
                            memory.observe(i, task[i], x[i])
                            self.assertLessEqual(memory.nbytes, bytes_)
                        memory.end_task()
                        self.assertLessEqual(memory.nbytes, bytes_)
                    self.assertEqual(memory.capacity, bytes_ // (16 + 8))
                    self.assertEqual(memory.nbytes, len(memory) * (16 + 8))

    def test_a_budget_in_bytes_for_indices_needs_the_size_of_a_row(self):
        with self.assertRaisesRegex(ValueError, "needs the size of a row"):
            gpscl.Memory("1kB").observe([0], [0])
        memory = gpscl.Memory("1kB", row_bytes=92)
        memory.observe(np.arange(50), np.zeros(50, int))
        self.assertEqual((memory.capacity, len(memory), memory.nbytes), (10, 10, 1000))

    def test_rows_of_any_type_and_shape(self):
        rng = np.random.default_rng(0)
        for dtype in ("u1", "i1", "?", "i8", "f2", "f4", ">f8", "c8", "S5", "M8[s]"):
            for shape in ((), (3,), (2, 3, 4)):
                with self.subTest(dtype=dtype, shape=shape):
                    size = int(np.prod(shape, dtype=int)) * 20
                    raw = rng.integers(0, 2, size * np.dtype(dtype).itemsize, dtype=np.uint8)
                    x = raw.view(dtype).reshape(20, *shape)
                    memory = gpscl.Memory(50)
                    memory.observe(np.arange(20), np.zeros(20, int), x)
                    self.assertEqual(memory.rows().dtype, x.dtype)
                    self.assertEqual(memory.rows().tobytes(), x.tobytes())
                    xm, ym = memory.sample(7)
                    self.assertEqual((xm.shape, xm.dtype, ym.dtype), ((7, *shape), x.dtype, np.dtype("i8")))

    def test_rows_need_not_be_contiguous(self):
        x = np.arange(240, dtype=np.float32).reshape(4, 6, 10).transpose(2, 1, 0)[:, ::2]
        memory = gpscl.Memory(10)
        memory.observe(np.arange(10), np.zeros(10, int), x)
        np.testing.assert_array_equal(memory.rows(), x)

    def test_labels_and_indices_of_any_whole_type(self):
        for make in (list, tuple, np.array, lambda v: np.array(v, np.uint8), lambda v: np.array(v, np.int32)):
            memory = gpscl.Memory(10)
            memory.observe(make([5, 6, 7]), make([1, 0, 2]), np.zeros((3, 2)))
            self.assertEqual(memory.indices.tolist(), [5, 6, 7])
            self.assertEqual(memory.labels.tolist(), [1, 0, 2])

    def test_tensors_of_every_layout_are_stored_alike(self):
        torch = torch_or_skip()
        x = torch.arange(960, dtype=torch.float32).reshape(60, 16)
        y = torch.arange(60) % 5
        wide = torch.stack([x, -x])
        layouts = {
            "contiguous": lambda k: (k, y[k], x[k]),
            "sliced": lambda k: (torch.arange(60)[k[0]:k[-1] + 1], y[k[0]:k[-1] + 1], wide[0, k[0]:k[-1] + 1]),
            "strided rows": lambda k: (k, y[k], wide.transpose(0, 1)[k][:, 0]),
            "transposed rows": lambda k: (k, y[k], x.T.contiguous().T[k]),
            "strided numbers": lambda k: (torch.stack([k, k], 1)[:, 0], torch.stack([y[k], -y[k]], 1)[:, 0], x[k]),
            "other whole types": lambda k: (k.int(), y[k].to(torch.uint8), x[k]),
            "parameters": lambda k: (k, y[k], torch.nn.Parameter(x[k])),
            "with a gradient": lambda k: (k, y[k], x[k].requires_grad_()),
            "no indices": lambda k: (None, y[k], x[k]),
            "lists of numbers": lambda k: (k.tolist(), y[k].tolist(), x[k]),
        }
        for name, layout in layouts.items():
            with self.subTest(layout=name):
                memory = gpscl.Memory(20, seed=3)
                for k in torch.arange(60).split(6):
                    memory.observe(*layout(k))
                np.testing.assert_array_equal(memory.rows().numpy(), x[memory.indices].numpy())
                np.testing.assert_array_equal(memory.labels, memory.indices % 5)
                expected = gpscl.Memory(20, seed=3)
                expected.observe(np.arange(60), y.numpy(), x.numpy())
                self.assertEqual(contents(memory), contents(expected))

    def test_tensors_are_checked_in_every_batch(self):
        torch = torch_or_skip()
        i, y, x = torch.arange(2), torch.zeros(2, dtype=torch.int64), torch.zeros(2, 3)
        memory = gpscl.Memory(9, classes=3)
        memory.observe(i, y, x)
        before = contents(memory)
        for message, batch in {
            "torch rows of float32 with shape \\(3,\\), got .*float64": (i, y, x.double()),
            "shape \\(3,\\), got .*\\(4,\\)": (i, y, torch.zeros(2, 4)),
            "got numpy rows": (i, y, x.numpy()),
            "x has 3 rows for 2 labels": (i, y, torch.zeros(3, 3)),
            "1 indices for 2 labels": (i[:1], y, x),
            "y must be whole numbers": (i, y.float(), x),
            "y must have one dimension": (i, y[:, None], x),
            "a label in y must be between 0 and 65535, got -1": (i, y - 1, x),
            "label 5 is not below classes": (i, y + 5, x),
            "an index in i must be between 0 and 4294967295, got -1": (i - 1, y, x),
            "x must have a row for each label, got a single number": (i[0], y[0], x[0, 0]),
            "x must be a dense tensor, got .*sparse": (i, y, x.to_sparse()),
            "y must be a dense tensor, got .*sparse": (i, y.to_sparse(), x),
            "x must be a tensor with values, got one of the device meta": (i, y, x.to("meta")),
        }.items():
            with self.subTest(message=message):
                with self.assertRaisesRegex(ValueError, message):
                    memory.observe(*batch)
                self.assertEqual(contents(memory), before)
        memory.observe(i[:0], y[:0], x[:0])
        self.assertEqual(contents(memory), before)

    def test_contiguous_tensors_are_read_in_place_and_others_are_not(self):
        torch = torch_or_skip()
        i, y, x = torch.arange(4), torch.tensor([0, 1, 2, 1]), torch.arange(12, dtype=torch.float32).reshape(4, 3)
        two = torch.stack([i, i], 1)[:, 0]
        batches = {
            "contiguous": (True, (i, y, x)),
            "sliced": (True, (i[1:], y[1:], x[1:])),
            "one row": (True, (i[:1], y[:1], x[:1])),
            "with a gradient": (True, (i, y, x.clone().requires_grad_())),
            "strided indices": (False, (two, y, x)),
            "strided labels": (False, (i, two, x)),
            "strided rows": (False, (i, y, x.T.contiguous().T)),
            "repeated rows": (False, (i, y, x[:1].expand(4, 3))),
            "short labels": (False, (i, y.int(), x)),
            "short indices": (False, (i.int(), y, x)),
            "negative views of indices": (False, (torch._neg_view(-i), y, x)),
            "negative views of labels": (False, (i, torch._neg_view(-y), x)),
            "negative views of rows": (False, (i, y, torch._neg_view(x))),
            "imaginary parts of conjugates": (False, (i, y, torch.complex(x, x).conj().imag)),
            "parameters": (False, (i, y, torch.nn.Parameter(x))),
            "arrays": (False, (i.numpy(), y.numpy(), x)),
            "no indices": (False, (None, y, x)),
            "no rows": (False, (i[:0], y[:0], x[:0])),
        }
        for name, (is_in_place, batch) in batches.items():
            with self.subTest(batch=name):
                memory = gpscl.Memory(50)
                memory.observe(i, y, x)
                memory.end_task()  # so that the same indices are other examples
                memory._core = Watched(memory._core)
                memory.observe(*batch)
                self.assertEqual(memory._core.called, ["observe_at" if is_in_place else "observe"])
                self.assertEqual(memory.labels[4:].tolist(), [int(label) for label in batch[1]])
                expected = np.array(batch[2].detach().tolist()).reshape(-1, 3)
                np.testing.assert_array_equal(memory.rows()[4:].numpy(), expected)

    def test_a_memory_that_another_thread_uses_is_waited_for(self):
        torch = torch_or_skip()
        i, y, x = torch.arange(2), torch.zeros(2, dtype=torch.int64), torch.zeros(2, 3)
        memory = gpscl.Memory(2, "gps", tasks=2)
        memory.observe(i, y, x)
        errors = []

        def observe():
            try:
                memory.observe(i, y, x)
            except ValueError as error:
                errors.append(str(error))

        started = []

        def simulate(candidate):
            if not started:
                started.append(threading.Thread(target=observe))
                started[0].start()
            return 1.0, 0.5

        memory.end_task(simulation=simulate)
        if started:
            started[0].join()
        self.assertEqual((len(started), errors), (1, []))
        self.assertEqual(memory.task, 2)

    def test_tensors_without_their_memory_are_refused(self):
        torch = torch_or_skip()

        def empty(tensor, size=0, first=0):
            tensor = tensor.clone()[first:]
            tensor.storage().resize_(size)
            return tensor

        i, y, x = torch.arange(4), torch.zeros(4, dtype=torch.int64), torch.ones(4, 3)
        zeros = torch._efficientzerotensor((4,), dtype=torch.int64)
        for is_first in (True, False):
            for name, batch in {
                "i": (empty(i), y, x), "y": (i, empty(y), x), "x": (i, y, empty(x)),
                "i of zeros": (zeros, y, x), "y of zeros": (i, zeros, x),
                "i that is too small": (empty(i, 3), y, x), "y that is too small": (i, empty(y, 3), x),
                "x that is too small": (i, y, empty(x, 11)), "x of a part": (i[1:], y[1:], empty(x, 11, 1)),
            }.items():
                with self.subTest(batch=name, is_first=is_first):
                    memory = gpscl.Memory(9)
                    if not is_first:
                        memory.observe(i, y, x)
                    before = contents(memory)
                    with self.assertRaisesRegex(ValueError, f"^{name[0]} .*memory is missing or too small"):
                        memory.observe(*batch)
                    self.assertEqual(contents(memory), before)
        with self.assertRaisesRegex(ValueError, "out .*memory is missing or too small"):
            memory.sample(3, out=empty(torch.empty(3, 3)))
        with self.assertRaisesRegex(ValueError, "another sign"):
            memory.sample(3, out=torch._neg_view(torch.empty(3, 3)))

    def test_views_with_another_sign_are_stored_with_it(self):
        torch = torch_or_skip()
        x = torch.arange(1, 13, dtype=torch.float32).reshape(4, 3)
        whole = torch.complex(x, 2 * x)
        for name, rows, expected in (("negative", torch._neg_view(x), -x), ("imaginary", whole.conj().imag, -2 * x),
                                     ("conjugate", whole.conj(), torch.complex(x, -2 * x))):
            with self.subTest(rows=name):
                memory = gpscl.Memory(9)
                numbers = torch._neg_view(-torch.arange(4))
                for _ in range(2):  # the first batch, and a later one
                    memory.observe(numbers, numbers, rows)
                    memory.end_task()
                self.assertEqual(memory.labels.tolist(), [0, 1, 2, 3] * 2)
                self.assertEqual(memory.rows().tolist(), expected.tolist() * 2)

    def test_examples_without_indices_are_numbered_on(self):
        memory = gpscl.Memory(10)
        memory.observe(None, [0, 1], np.zeros((2, 2)))
        memory.observe(None, [1], np.zeros((1, 2)))
        self.assertEqual(memory.indices.tolist(), [0, 1, 2])
        memory.end_task()
        memory.observe(None, [1], np.zeros((1, 2)))
        self.assertEqual(memory.indices.tolist(), [0, 1, 2, 0])
        self.assertEqual(memory.tasks.tolist(), [1, 1, 1, 2])

    def test_an_example_is_stored_once_however_often_it_is_seen(self):
        labels = made_up_labels(2, 20, 3)
        for policy in ALL:
            with self.subTest(policy=policy):
                memory = gpscl.Memory(200, policy)
                loop(memory, labels, epochs=4)
                self.assertEqual(len(memory), 20 if policy == "one-batch" else 40)


class Fetching(unittest.TestCase):
    """Policies that choose when a task ends ask for the rows that they chose."""

    def test_from_all_that_has_rows(self):
        labels = made_up_labels(1, 60, 4)[0]
        x = images(1, labels)

        class Set:
            def __init__(self, item):
                self.item, self.asked = item, []

            def __getitem__(self, index):
                self.asked.append(index)
                return self.item(index)

        sources = {"array": x, "items": Set(lambda i: x[i]), "pairs": Set(lambda i: (x[i], labels[i])),
                   "function": lambda i: x[i]}
        expected = None
        for name, source in sources.items():
            with self.subTest(source=name):
                memory = gpscl.Memory(12, "mixed:0.5", seed=3)
                memory.observe(np.arange(60), labels)
                choice = memory.end_task(source)
                self.assertEqual((choice.ring_size, choice.quota, choice.trials), (6, 12, []))
                np.testing.assert_array_equal(memory.rows(), x[memory.indices])
                expected = expected or contents(memory)
                self.assertEqual(contents(memory), expected)
                if isinstance(source, Set):  # one to see what a row is, and those that were chosen
                    self.assertEqual(sorted(source.asked[1:]), sorted(memory.indices.tolist()))

    def test_what_cannot_be_fetched_leaves_the_memory_as_it_was(self):
        labels = made_up_labels(1, 60, 4)[0]
        x = images(1, labels)
        for policy in ("mixed:0.5", "one-batch"):
            for bad, error in ((x[:5], ValueError), (lambda i: x[i] if i < 1 else 1 // 0, ZeroDivisionError),
                               (3.5, ValueError)):
                memory = gpscl.Memory(12, policy, seed=3)
                memory.observe(np.arange(60), labels)
                before = memory.state_dict()
                with self.assertRaises(error):
                    memory.end_task(bad)
                np.testing.assert_array_equal(memory.state_dict()["state"], before["state"])
                memory.end_task(x)
                other = gpscl.Memory(12, policy, seed=3)
                other.observe(np.arange(60), labels)
                other.end_task(x)
                self.assertEqual(contents(memory), contents(other))

    def test_rows_are_kept_until_the_task_ends(self):
        labels = made_up_labels(1, 60, 4)[0]
        memory = gpscl.Memory(12, "mixed:0.5")
        memory.observe(np.arange(60), labels, images(1, labels))
        self.assertEqual((len(memory), memory.staged_bytes), (0, 60 * 16))
        memory.end_task()
        self.assertEqual((len(memory), memory.staged_bytes), (12, 0))


class Sampling(unittest.TestCase):
    def filled(self, n=20, **options):
        memory = gpscl.Memory(n, **options)
        memory.observe(np.arange(n), np.arange(n) % 3, np.arange(4 * n, dtype=np.float32).reshape(n, 4))
        return memory

    def test_draws_without_replacement_at_most_all(self):
        memory = self.filled()
        for n in (0, 1, 19, 20, 21, 1000):
            x, y = memory.sample(n)
            self.assertEqual((len(x), len(y)), (min(n, 20), min(n, 20)))
            rows = (x[:, 0] / 4).astype(int)
            self.assertEqual(len(set(rows.tolist())), len(rows))
            np.testing.assert_array_equal(y, rows % 3)

    def test_sample_is_draw_and_rows(self):
        one, other = self.filled(seed=4), self.filled(seed=4)
        for n in (3, 20, 7):
            slots = other.draw(n)
            x, y = one.sample(n)
            np.testing.assert_array_equal(x, other.rows(slots))
            np.testing.assert_array_equal(y, other.labels[slots])

    def test_every_slot_is_as_likely_as_the_others(self):
        # 3000 draws of 2 of 10 slots: each slot is drawn Binomial(3000, 1/5) times, 600 with a deviation of 22; five
        # are 110.
        memory = self.filled(10)
        counts = np.zeros(10)
        for _ in range(3000):
            counts[memory.draw(2)] += 1
        self.assertLess(np.abs(counts - 600).max(), 110)

    def test_fills_a_buffer(self):
        memory, other = self.filled(seed=2), self.filled(seed=2)
        buffer = np.full((16, 4), -1, np.float32)
        labels = np.full(16, -1)
        for n in (16, 5):
            x, y = memory.sample(n, out=(buffer, labels) if n == 5 else buffer)
            expected = other.sample(n)
            self.assertTrue(np.shares_memory(x, buffer))
            np.testing.assert_array_equal(x, expected[0])
            np.testing.assert_array_equal(y, expected[1])
            self.assertEqual(np.shares_memory(y, labels), n == 5)
        np.testing.assert_array_equal(memory.rows([3, 1], out=buffer), other.rows([3, 1]))

    def test_the_same_buffer_again_and_again(self):
        memory, other = self.filled(seed=2), self.filled(seed=2)
        rows, labels = np.empty((6, 4), np.float32), np.empty(6, int)
        for out in (rows, (rows, labels), [rows, labels]):
            seen = []
            for n in (6, 6, 6, 5, 6):
                x, y = memory.sample(n, out=out)
                expected = other.sample(n)
                np.testing.assert_array_equal(x, expected[0])
                np.testing.assert_array_equal(y, expected[1])
                self.assertTrue(np.shares_memory(x, rows))
                self.assertEqual(np.shares_memory(y, labels), out is not rows)
                seen.append(y)
            self.assertFalse(out is rows and np.shares_memory(seen[0], seen[1]))  # labels of an earlier call stay
        fewer = gpscl.Memory(9, "mixed:0.5")  # a memory that shrinks below the size of the buffer
        fewer.observe(np.arange(9), np.zeros(9, int), np.zeros((9, 4), np.float32))
        fewer.end_task()
        self.assertEqual(len(fewer.sample(6, out=rows)[0]), 6)
        small = gpscl.Memory(9, "mixed:0.5")
        small.observe(np.arange(3), np.zeros(3, int), np.zeros((3, 4), np.float32))
        small.end_task()
        fewer._core = small._core
        self.assertEqual([len(part) for part in fewer.sample(6, out=rows)], [3, 3])

    def test_a_list_of_buffers_may_get_others(self):
        memory, other = self.filled(seed=2), self.filled(seed=2)
        out = [np.empty((6, 4), np.float32), np.empty(6, int)]
        for replaced in (None, 0, 1, None):
            if replaced is not None:
                out[replaced] = np.empty_like(out[replaced])
            for _ in range(2):
                x, y = memory.sample(6, out=out)
                expected = other.sample(6)
                self.assertTrue(np.shares_memory(x, out[0]) and np.shares_memory(y, out[1]))
                np.testing.assert_array_equal(out[0], expected[0])
                np.testing.assert_array_equal(out[1], expected[1])

    def test_refuses_buffers_that_do_not_fit(self):
        memory = self.filled()
        bad = {"room for 3 rows": np.zeros((3, 4), np.float32), "numpy rows of <f4 with shape": np.zeros((9, 4)),
               "with shape \\(4,\\), got": np.zeros((9, 5), np.float32),
               "contiguous": np.zeros((9, 8), np.float32)[:, ::2],
               "an array or a tensor": [1.0], "room for 2 labels": (np.zeros((9, 4), np.float32), np.zeros(2, int)),
               "must be int64": (np.zeros((9, 4), np.float32), np.zeros(9, np.float64))}
        before = memory.state_dict()["state"]
        for message, buffer in bad.items():
            with self.subTest(message=message):
                with self.assertRaisesRegex(ValueError, message):
                    memory.sample(5, out=buffer)
        frozen = np.zeros((9, 4), np.float32)
        frozen.setflags(write=False)
        with self.assertRaisesRegex(ValueError, "writeable"):
            memory.sample(5, out=frozen)
        np.testing.assert_array_equal(memory.state_dict()["state"], before)  # nothing was drawn

    def test_a_memory_of_indices_returns_indices(self):
        memory = gpscl.Memory(10)
        memory.observe([40, 41, 42], [2, 0, 1])
        i, y = memory.sample(3)
        self.assertEqual(sorted(zip(i.tolist(), y.tolist())), [(40, 2), (41, 0), (42, 1)])
        buffers = np.zeros(5, int), np.zeros(5, int)
        i, y = memory.sample(2, out=buffers)
        self.assertTrue(np.shares_memory(i, buffers[0]))
        self.assertEqual(len(i), 2)
        with self.assertRaisesRegex(ValueError, "holds no rows"):
            memory.rows()

    def test_an_empty_memory_has_nothing_to_sample(self):
        with self.assertRaisesRegex(ValueError, "the memory is empty"):
            gpscl.Memory(10).sample(1)


class Refusals(unittest.TestCase):
    def refuses(self, message, call, *args, **kwargs):
        with self.assertRaisesRegex(ValueError, message) as caught:
            call(*args, **kwargs)
        self.assertNotIn("\n", str(caught.exception))

    def test_budgets(self):
        for budget in (0, -1, 2**32, 1.5, True, None, "", "2", "2XB", "0B", "-2MB"):
            with self.subTest(budget=budget):
                self.refuses("budget must be", gpscl.Memory, budget)
        memory = gpscl.Memory("20B")
        self.refuses("budget must be at least 24B, got 20B: one example takes 16 bytes", memory.observe, [0], [0],
                     np.zeros((1, 16), np.uint8))

    def test_policies(self):
        self.refuses("unknown policy 'reservior'.*reservoir", gpscl.Memory, 9, "reservior")
        self.refuses("unknown policy 'none'", gpscl.Memory, 9, "none")
        for policy in ("gradient", "herding", "cur-res", "cur-ring-full", "mixed:0.5/cur", "gps:cur"):
            self.refuses("looks at the network, which a gpscl.Memory does not see", gpscl.Memory, 9, policy)
        self.refuses("between 0 and 1", gpscl.Memory, 9, "mixed:2")
        self.refuses("'offline'", gpscl.Memory, 9, "gps:offline")
        self.refuses("strict", gpscl.Memory, 9, "gps", in_task="running")

    def test_options(self):
        self.refuses("policy 'reservoir' has no option 'stride'", gpscl.Memory, 9, "reservoir", stride=3)
        self.refuses("unknown option of policy 'gps' 'strid'.*stride", gpscl.Memory, 9, "gps", strid=3)
        self.refuses("`stride` must be", gpscl.Memory, 9, "gps", stride=-3)
        self.refuses("`objective`", gpscl.Memory, 9, "gps", objective=3)
        self.refuses("option in_task cannot have the value <object", gpscl.Memory, 9, "mixed:0.5", in_task=object())
        self.refuses("option stride cannot have the value nan", gpscl.Memory, 9, "gps", stride=float("nan"))
        for name in ("seed", "classes", "tasks", "batch", "row_bytes"):
            self.refuses(f"{name} must be", gpscl.Memory, 9, **{name: -1})
            self.refuses(f"{name} must be a whole number", gpscl.Memory, 9, **{name: 0.5})

    def test_batches(self):
        memory = gpscl.Memory(9, classes=3)
        row = np.zeros((1, 2))
        self.refuses("y must be whole numbers, got float64", memory.observe, [0], [0.5], row)
        self.refuses("a label in y must be between 0 and 65535, got -1", memory.observe, [0], [-1], row)
        self.refuses("a label in y must be between 0 and 65535, got 65536", memory.observe, [0], [65536], row)
        self.refuses("label 3 is not below classes \\(3\\)", memory.observe, [0], [3], row)
        self.refuses("an index in i must be between 0 and 4294967295, got -1", memory.observe, [-1], [0], row)
        self.refuses("y must have one dimension, has 2", memory.observe, [0], [[0]], row)
        self.refuses("2 indices for 1 labels", memory.observe, [0, 1], [0], row)
        self.refuses("x has 2 rows for 1 labels", memory.observe, [0], [0], np.zeros((2, 2)))
        self.refuses("Python objects", memory.observe, [0], [0], np.array([[object()]]))
        self.refuses("no bytes", memory.observe, [0], [0], np.zeros((1, 0)))
        self.refuses("y must be whole numbers of at most 64 bits, got None", memory.observe, None, None)
        self.refuses("i must be whole numbers of at most 64 bits, got \\[1180591620717411303424\\]", memory.observe,
                     [2**70], [0])
        self.refuses("a number in i must be at most 9223372036854775807, got 18446744073709551615", memory.observe,
                     np.array([2**64 - 1], np.uint64), [0])
        self.refuses("one dimension", memory.observe, [[0], [0, 1]], [0, 0])
        self.assertEqual(len(memory), 0)
        memory.observe([0], [0], row)
        self.refuses("x must have numpy rows of <f8 with shape \\(2,\\), got .* <f4", memory.observe, [1], [0],
                     row.astype("f4"))
        self.refuses("needs the rows x", memory.observe, [1], [0])
        indices = gpscl.Memory(9)
        indices.observe([0], [0])
        self.refuses("holds indices", indices.observe, [1], [0], row)
        self.assertEqual((len(memory), len(indices)), (1, 1))

    def test_the_order_of_calls(self):
        memory = gpscl.Memory(9, "mixed:0.5")
        self.refuses("task 1 has no example", memory.end_task)
        self.refuses("task 1 has not begun", memory.end_epoch)
        memory.begin_task([0, 1, 1], [5, 6, 7])
        self.refuses("task 1 has begun", memory.begin_task, [0])
        self.refuses("index 8 is not among those given to begin_task", memory.observe, [8], [0])
        self.refuses("label 2 is not among the labels given to begin_task", memory.observe, [5], [2])
        self.refuses("index 6 has the label 0 now, and had 1 before", memory.observe, [6], [0])
        self.refuses("index 5 is there twice", gpscl.Memory(9).begin_task, [0, 1], [5, 5])
        self.refuses("indices without labels", gpscl.Memory(9).begin_task, None, [5, 5])
        for policy, options in (("ring-full:floor", {}), ("mixed:0.5", {"in_task": "running"})):
            self.refuses("must know the labels of a task before it begins", gpscl.Memory(9, policy, **options).observe,
                         [0], [0])

    def test_gps_without_a_simulation(self):
        memory = gpscl.Memory(9, "gps")
        memory.observe([0, 1], [0, 1])
        self.refuses("gps' chooses by simulation: give end_task\\(\\) one", memory.end_task)


class Package(unittest.TestCase):
    def test_importing_it_does_not_import_torch(self):
        code = "import sys, gpscl; gpscl.Memory(5).observe([0], [0]); assert 'torch' not in sys.modules"
        subprocess.run([sys.executable, "-c", code], check=True)

    def test_it_says_what_it_is(self):
        self.assertRegex(gpscl.__version__, r"^\d+\.\d+\.\d+")
        self.assertIn("budget", gpscl.Memory.__doc__)
        for name in ("begin_task", "observe", "end_epoch", "end_task", "sample", "draw", "rows", "state_dict",
                     "load_state_dict"):
            self.assertTrue(getattr(gpscl.Memory, name).__doc__, name)
        self.assertEqual(repr(gpscl.Memory("2MB", "mixed:1")),
                         "gpscl.Memory(budget='2MB', policy='mixed:1', seed=0): 0 of ? examples, task 1")
        with self.assertRaises(AttributeError):
            gpscl.nothing


if __name__ == "__main__":
    unittest.main()
