"""GPS with a function of one's own, and with gpscl.torch.Simulation."""
import copy
import math
import unittest

import numpy as np

import gpscl
from streams import contents, feed, images, made_up_labels, torch_or_skip


class Searching(unittest.TestCase):
    def search(self, simulate, *, tasks=4, examples=80, capacity=40, rows=True, **options):
        labels = made_up_labels(tasks, examples, 4)
        memory = gpscl.Memory(capacity, "gps", seed=5, tasks=tasks, classes=4, **options)
        choices = []
        for number, task in enumerate(labels, start=1):
            feed(memory, task, number, rows=rows)
            choices.append(memory.end_task(simulation=simulate))
        return memory, choices

    def test_the_best_candidate_becomes_the_memory(self):
        for best in (0, 5, 10, 40):
            memory, choices = self.search(lambda c: (abs(c.ring_size - best), 1 - abs(c.ring_size - best) / 100), stride=1)
            for choice in choices[:-1]:
                tried = {trial.ring_size: trial.accuracy for trial in choice.trials}
                self.assertEqual(tried[choice.ring_size], max(tried.values()))
                self.assertLessEqual(abs(choice.ring_size - min(best, choice.quota)), 2)
            self.assertEqual(choices[-1].trials, [])
            self.assertEqual(len(memory), 40)

    def test_a_candidate_shows_the_memory_that_it_would_be(self):
        seen = []

        def simulate(candidate):
            scene = candidate.scene
            self.assertEqual(len(candidate), 40)
            held_back = set(scene.held_back.tolist())
            of_task = candidate.tasks == scene.task
            self.assertFalse(held_back & set(candidate.indices[of_task].tolist()))
            self.assertEqual(candidate.is_ring[of_task].sum(), candidate.ring_size)
            np.testing.assert_array_equal(scene.labels(candidate.indices[of_task]), candidate.labels[of_task])
            # Rows of earlier tasks come from the memory, those of this one from what was observed.
            rows = candidate.rows()
            for task in np.unique(candidate.tasks):
                at = candidate.tasks == task
                expected = images(int(task), labels[task - 1])[candidate.indices[at]]
                np.testing.assert_array_equal(rows[at], expected)
            np.testing.assert_array_equal(candidate.rows([3, 1]), rows[[3, 1]])
            for k in range(1, scene.pseudo_tasks + 1):
                self.assertFalse(held_back & set(scene.pseudo_task(k).tolist()))
                np.testing.assert_array_equal(scene.rows(scene.pseudo_task(k)),
                                              images(scene.task, labels[scene.task - 1])[scene.pseudo_task(k)])
            seen.append((scene.task, candidate.number, scene.pseudo_tasks, len(held_back)))
            return 1.0, candidate.ring_size

        labels = made_up_labels(4, 80, 4)
        self.search(simulate)
        self.assertEqual([number for task, number, *_ in seen if task == 1],
                         list(range(1, 1 + sum(task == 1 for task, *_ in seen))))
        self.assertEqual({(task, ahead, held) for task, _, ahead, held in seen}, {(1, 3, 40), (2, 2, 40), (3, 1, 40)})

    def test_the_memory_of_a_candidate_goes_through_pseudo_tasks(self):
        def simulate(candidate):
            scene = candidate.scene
            state = list(zip(candidate.tasks.tolist(), candidate.indices.tolist()))
            for k in range(1, scene.pseudo_tasks + 1):
                kept, added = candidate.advance()
                state = [state[slot] for slot in kept] + [(scene.task + k, scene.pseudo_task(k)[row]) for row in added]
                self.assertEqual(list(zip(candidate.tasks.tolist(), candidate.indices.tolist())), state)
                self.assertEqual(len(state), 40)
                shares = np.unique(candidate.tasks, return_counts=True)[1]
                self.assertLessEqual(shares.max() - shares.min(), 1)
            with self.assertRaisesRegex(ValueError, "pseudo-task must be between 1 and"):
                candidate.advance()
            with self.assertRaisesRegex(ValueError, "rows of pseudo-tasks are yours"):
                candidate.rows()
            return 1.0, 0.5

        self.search(simulate)

    def test_dead_and_diverged_candidates_are_not_chosen(self):
        def simulate(candidate):
            return (math.nan, 0.9) if candidate.number != 2 else (5.0, 0.1)

        _, choices = self.search(simulate)
        for choice in choices[:-1]:
            alive = [trial for trial in choice.trials if math.isfinite(trial.loss)]
            self.assertEqual([trial.ring_size for trial in alive], [choice.ring_size])
            self.assertTrue(all(t.accuracy == 0 for t in choice.trials if t not in alive))

    def test_a_decision_tells_the_time_of_its_simulation(self):
        _, choices = self.search(lambda candidate: (1.0, sum(range(1000)) * 0.0))
        for choice in choices[:-1]:
            self.assertGreater(choice.seconds, 0)
            self.assertLessEqual(choice.seconds, choice.task_seconds)
            self.assertLessEqual(choice.simulation_share, 1)
            self.assertRegex(str(choice), r"task \d: \d+ of \d+ examples class-balanced, the rest random; best of \d+ simulated "
                                          r"memories, [\d.]+ s, \d+% of the task's time")
        self.assertEqual((choices[-1].seconds, choices[-1].simulation_share), (0, 0))

    def test_a_decision_tells_every_knob_of_its_plan(self):
        decision = gpscl.Decision(2, {"ring_size": 12, "old_share": 20}, 40, [])
        self.assertEqual(str(decision), "task 2: 12 of 40 examples class-balanced, the rest random, old share 20")

    def test_a_memory_of_indices_can_be_searched_too(self):
        def simulate(candidate):
            with self.assertRaisesRegex(ValueError, "holds no rows"):
                candidate.rows()
            return 1.0, -candidate.ring_size

        by_rows, _ = self.search(lambda c: (1.0, -c.ring_size))
        by_index, _ = self.search(simulate, rows=False)
        self.assertEqual(contents(by_index), contents(by_rows))


class Simulating(unittest.TestCase):
    def setUp(self):
        self.torch = torch_or_skip()
        torch = self.torch
        torch.manual_seed(1)
        self.model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(16, 12), torch.nn.BatchNorm1d(12),
                                         torch.nn.ReLU(), torch.nn.Dropout(0.2), torch.nn.Linear(12, 4))
        self.labels = made_up_labels(3, 90, 4)

    def simulation(self, **options):
        torch = self.torch
        options = {"transform": lambda x: x.float() / 255, **options}
        return gpscl.torch.Simulation(self.model, lambda p: torch.optim.SGD(p, lr=0.05), torch.nn.CrossEntropyLoss(), **options)

    def run_all(self, simulation, **options):
        memory = gpscl.Memory(30, "gps", seed=3, tasks=3, classes=4, **options)
        choices = []
        for number, task in enumerate(self.labels, start=1):
            x = self.torch.from_numpy(images(number, task))
            memory.observe(np.arange(len(task)), task, x)
            choices.append(memory.end_task(simulation=simulation))
        return memory, choices

    def test_it_is_a_function_of_the_seed_alone(self):
        torch = self.torch
        before = copy.deepcopy(self.model.state_dict())
        results = []
        for noise in (1, 2):
            torch.manual_seed(noise)  # what happened before does not matter
            state = torch.get_rng_state()
            memory, choices = self.run_all(self.simulation())
            self.assertTrue(torch.equal(torch.get_rng_state(), state))
            results.append((contents(memory), [choice.trials for choice in choices]))
        self.assertEqual(results[0], results[1])
        self.assertGreaterEqual(len(results[0][1][0]), 3)
        for name, value in self.model.state_dict().items():
            self.assertTrue(torch.equal(value, before[name]), name)
        self.assertTrue(self.model.training)

    def test_a_candidate_that_is_simulated_again_has_the_same_outcome(self):
        # Common random numbers: candidates differ in nothing but their memories.
        simulation = self.simulation()
        outcomes = []

        def twice(candidate):
            again = candidate.again()
            outcomes.append((simulation(candidate), simulation(again)))
            return outcomes[-1][0]

        memory = gpscl.Memory(30, "gps", seed=3, tasks=3, classes=4)
        memory.observe(np.arange(90), self.labels[0], self.torch.from_numpy(images(1, self.labels[0])))
        memory.end_task(simulation=twice)
        self.assertGreaterEqual(len(outcomes), 3)
        for one, other in outcomes:
            self.assertEqual(one, other)

    def test_futures(self):
        torch = self.torch
        x = torch.from_numpy(images(1, self.labels[0]))
        generator = torch.Generator().manual_seed(1)
        changed = gpscl.torch.permuted(x, 1, generator)
        self.assertEqual(sorted(changed[0].flatten().tolist()), sorted(x[0].flatten().tolist()))
        self.assertFalse(torch.equal(changed, x))
        colour = torch.arange(2 * 3 * 4).reshape(1, 2, 3, 4)
        order = gpscl.torch.permuted(colour, 1, generator)
        self.assertTrue(torch.equal(order[0, 1] - order[0, 0], torch.full((3, 4), 12)))  # one order for all channels
        # 6 · 15 degrees is a quarter turn, exact for a square.
        self.assertTrue(torch.equal(gpscl.torch.rotated(x, 6, generator), torch.rot90(x, 1, (1, 2))))
        self.assertTrue(torch.equal(gpscl.torch.rotated(x.float(), 24, generator).round(), x.float()))
        # A single bright pixel is spread by the squares of the weights; nothing is lost inside.
        spot = torch.zeros(1, 9, 9, dtype=torch.float64)
        spot[0, 4, 4] = 1
        blurred = gpscl.torch.blurred(spot, 2, generator)
        weights = torch.tensor([math.exp(-t * t / 2) for t in range(-2, 3)], dtype=torch.float64)
        weights /= weights.sum()
        self.assertTrue(torch.allclose(blurred[0, 2:7, 2:7], weights[:, None] * weights))
        self.assertAlmostEqual(float(blurred.sum()), 1)
        with self.assertRaisesRegex(ValueError, "needs images"):
            gpscl.torch.rotated(torch.zeros(3, 4), 1, generator)

    def test_the_future_is_that_of_the_simulation_or_of_the_memory(self):
        seen = []

        def future(x, k, generator):
            seen.append((k, len(x)))
            return x

        self.run_all(self.simulation(future=future))
        self.assertEqual(seen, [(1, 30), (2, 30), (1, 30)])  # once for a search, whatever the number of candidates
        results = {}
        for name, policy, options in (("memory", "gps:rotation", {}), ("own", "gps", {"future": "rotation"}),
                                      ("other", "gps", {"future": "blurring"})):
            memory = gpscl.Memory(30, policy, seed=3, tasks=3, classes=4)
            memory.observe(np.arange(90), self.labels[0], self.torch.from_numpy(images(1, self.labels[0])))
            results[name] = memory.end_task(simulation=self.simulation(**options)).trials
        self.assertEqual(results["memory"], results["own"])
        self.assertNotEqual(results["memory"], results["other"])

    def test_a_step_of_ones_own(self):
        torch = self.torch
        steps = []

        def step(model, optimizer, x, y, xm, ym):
            steps.append((len(x), len(xm)))
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(torch.cat([x, xm])), torch.cat([y, ym])).backward()
            optimizer.step()

        _, own = self.run_all(self.simulation(step=step, batch=6, memory_batch=8, epochs=2))
        _, default = self.run_all(self.simulation(er_loss="concat", batch=6, memory_batch=8, epochs=2))
        self.assertEqual([choice.trials for choice in own], [choice.trials for choice in default])
        self.assertEqual(set(steps), {(6, 8)})
        # 30 examples in steps of 6, twice, for 2 pseudo-tasks after task 1 and 1 after task 2.
        self.assertEqual(len(steps), 10 * (2 * len(own[0].trials) + len(own[1].trials)))

    def test_it_takes_numpy_rows_and_balanced_scores(self):
        memory = gpscl.Memory(30, "gps", seed=3, tasks=3, classes=4, score="balanced")
        memory.observe(np.arange(90), self.labels[0], images(1, self.labels[0]).astype(np.float32))
        choice = memory.end_task(simulation=self.simulation(transform=lambda x: x / 255, mask_labels=True))
        for trial in choice.trials:
            self.assertTrue(0 <= trial.accuracy <= 1)

    def test_a_network_that_diverges_has_the_worst_outcome(self):
        torch = self.torch
        simulation = gpscl.torch.Simulation(self.model, lambda p: torch.optim.SGD(p, lr=1e30), torch.nn.CrossEntropyLoss(),
                                            transform=lambda x: x.float())
        memory = gpscl.Memory(30, "gps", seed=3, tasks=3, classes=4)
        memory.observe(np.arange(90), self.labels[0], self.torch.from_numpy(images(1, self.labels[0])))
        choice = memory.end_task(simulation=simulation)
        self.assertEqual({(trial.loss, trial.accuracy) for trial in choice.trials}, {(math.inf, 0.0)})
        self.assertEqual(choice.ring_size, 15)  # none is better: the middle

    def test_it_remembers_best_what_the_memory_holds(self):
        # A task of which class 0 is all but missing: class-balanced memories have more of it. By a balanced score the larger
        # rings must win, or the simulation would not look at the memory at all.
        torch = self.torch
        rng = np.random.default_rng(1)
        labels = np.array([0] * 30 + [1] * 570)
        x = torch.from_numpy(rng.normal(0, 1, (600, 8)).astype(np.float32))
        x[:30, 0] += 4
        model = torch.nn.Linear(8, 2)
        memory = gpscl.Memory(40, "gps", seed=0, score="balanced", window=3, simulation_examples=300, reuse=0.0)
        memory.observe(np.arange(600), labels, x)

        def future(rows, k, generator):
            return rows[:, torch.randperm(8, generator=generator)]

        simulation = gpscl.torch.Simulation(model, lambda p: torch.optim.SGD(p, lr=0.3), torch.nn.CrossEntropyLoss(), future,
                                            epochs=3)
        choice = memory.end_task(simulation=simulation)
        self.assertGreater(choice.ring_size, 10, choice.trials)

    def test_what_is_refused(self):
        with self.assertRaisesRegex(ValueError, "unknown future 'sunshine'; known: permutation, rotation, blurring"):
            self.simulation(future="sunshine")
        with self.assertRaisesRegex(ValueError, "er_loss must be"):
            self.simulation(er_loss="product")
        with self.assertRaisesRegex(ValueError, "epochs must be at least 1, got 0"):
            self.simulation(epochs=0)


class Tensors(unittest.TestCase):
    """Rows as torch tensors."""

    def setUp(self):
        self.torch = torch_or_skip()

    def test_rows_of_any_type_and_shape(self):
        torch = self.torch
        for dtype in (torch.uint8, torch.int16, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64,
                      torch.bool, torch.complex64):
            for shape in ((), (3,), (2, 3, 4)):
                with self.subTest(dtype=dtype, shape=shape):
                    x = (torch.arange(20 * math.prod(shape)).reshape(20, *shape) % 97).to(dtype)
                    memory = gpscl.Memory(50, seed=4)
                    memory.observe(torch.arange(20), torch.arange(20) % 3, x)
                    self.assertTrue(torch.equal(memory.rows(), x))
                    slots = gpscl.Memory.from_state_dict(memory.state_dict()).draw(7)
                    for out in (None, torch.zeros((9, *shape), dtype=dtype)):
                        xm, ym = gpscl.Memory.from_state_dict(memory.state_dict()).sample(7, out=out)
                        self.assertEqual((xm.dtype, xm.shape, ym.dtype), (dtype, (7, *shape), torch.int64))
                        self.assertTrue(torch.equal(xm, x[slots]))
                        self.assertEqual(ym.tolist(), [slot % 3 for slot in slots])

    def test_rows_need_not_be_contiguous_nor_detached(self):
        torch = self.torch
        x = torch.arange(240.0).reshape(4, 6, 10).permute(2, 1, 0).requires_grad_()
        memory = gpscl.Memory(10)
        memory.observe(torch.arange(10), torch.zeros(10, dtype=torch.int64), x)
        self.assertTrue(torch.equal(memory.rows(), x.detach()))

    def test_a_tensor_that_got_other_memory_is_filled_where_it_is(self):
        torch = self.torch
        memory = gpscl.Memory(10)
        memory.observe(torch.arange(10), torch.arange(10), torch.arange(40.0).reshape(10, 4))
        out = torch.zeros(5, 4), torch.zeros(5, dtype=torch.int64)
        for _ in range(3):
            x, y = memory.sample(5, out=out)
            self.assertIs(x, out[0])
            self.assertTrue(torch.equal(x[:, 0], 4.0 * y))
            out[0].data, out[1].data = torch.zeros(5, 4), torch.zeros(5, dtype=torch.int64)

    def test_buffers_of_the_other_kind(self):
        torch = self.torch
        memory = gpscl.Memory(10)
        memory.observe(torch.arange(10), torch.arange(10), torch.arange(40.0).reshape(10, 4))
        x, y = memory.sample(5, out=np.zeros((5, 4), np.float32))
        self.assertIsInstance(y, np.ndarray)
        np.testing.assert_array_equal(x[:, 0], 4 * y)
        other = gpscl.Memory(10)
        other.observe(np.arange(10), np.arange(10), np.arange(40.0).reshape(10, 4))
        x, y = other.sample(5, out=torch.zeros(5, 4, dtype=torch.float64))
        self.assertIsInstance(y, torch.Tensor)
        self.assertTrue(torch.equal(x[:, 0], 4.0 * y))

    def test_a_memory_of_indices_returns_tensors_to_who_gave_tensors(self):
        torch = self.torch
        memory = gpscl.Memory(10)
        memory.observe(torch.tensor([7, 9]), torch.tensor([1, 0]))
        i, y = memory.sample(2)
        self.assertEqual(sorted(zip(i.tolist(), y.tolist())), [(7, 1), (9, 0)])
        self.assertIsInstance(i, torch.Tensor)

    def test_rows_are_fetched_from_tensors_and_datasets(self):
        torch = self.torch
        labels = torch.arange(60) % 3
        x = torch.arange(240.0).reshape(60, 4)
        for source in (x, torch.utils.data.TensorDataset(x, labels), lambda index: x[index]):
            memory = gpscl.Memory(9, "mixed:1")
            memory.observe(torch.arange(60), labels)
            memory.end_task(source)
            self.assertTrue(torch.equal(memory.rows(), x[memory.indices]))
            self.assertEqual(np.bincount(memory.labels).tolist(), [3, 3, 3])


if __name__ == "__main__":
    unittest.main()
