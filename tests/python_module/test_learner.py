"""gpscl.Learner: learns from arrays and folders, predicts, goes back, and is the program's state."""
import json
import os
import struct
import subprocess
import tempfile
import unittest
import zlib

import numpy as np

import gpscl

SIDE = 8
OPTIONS = {"memory": 40, "hidden": [32], "epochs": 5, "lr": 0.1, "progress": False}


def make_images(labels, count, seed=0):
    """Patterns of 8 x 8 pixels, one for each label, with noise. Labels are numbers."""
    patterns = np.random.default_rng(1).choice([0, 80, 160, 240], size=(16, SIDE, SIDE))
    draw = np.random.default_rng(seed)
    names = np.repeat(labels, count)
    noisy = draw.random((len(names), SIDE, SIDE)) < 0.1
    images = np.where(noisy, draw.integers(256, size=noisy.shape), patterns[names]).astype(np.uint8)
    return images, names


def png(pixels):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", SIDE, SIDE, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def write_images(folder, images, labels):
    paths = []
    for number, (pixels, label) in enumerate(zip(images, labels)):
        place = os.path.join(folder, f"class{label}")
        os.makedirs(place, exist_ok=True)
        paths.append(os.path.join(place, f"{number}.png"))
        with open(paths[-1], "wb") as file:
            file.write(png(pixels))
    return paths


class Learners(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.state = os.path.join(self.folder.name, "state")

    def learnt(self, **options):
        learner = gpscl.Learner(self.state, **{**OPTIONS, **options})
        learner.learn(*make_images([0, 1], 60))
        return learner

    def test_that_learnt_nothing_write_nothing(self):
        learner = gpscl.Learner(self.state, **OPTIONS)
        self.assertFalse(learner.exists)
        self.assertEqual(learner.classes, [])
        self.assertIn("nothing learnt yet", repr(learner))
        self.assertFalse(os.path.exists(self.state))

    def test_learn_arrays_and_add_classes(self):
        learner = self.learnt()
        self.assertEqual(learner.classes, ["0", "1"])
        report = learner.learn(*make_images([2, 3], 60), name="more")
        self.assertTrue(report.is_kept)
        self.assertEqual(report["version"], 2)
        self.assertEqual(report["new_classes"], ["2", "3"])
        self.assertEqual(learner.classes, ["0", "1", "2", "3"])
        self.assertEqual([task["name"] for task in learner.history()], ["task 1", "more"])
        self.assertIn("memory", str(report))
        status = learner.status()
        self.assertEqual((status["version"], status["tasks"]), (2, 2))
        stored = [share for share in status["memory"]["tasks"]] if "tasks" in status["memory"] else [1]
        self.assertTrue(stored)

    def test_predict_what_they_learnt(self):
        learner = self.learnt()
        images, labels = make_images([0, 1], 40, seed=5)
        answers = learner.predict(images, top=2)
        right = np.mean([answer.label == str(label) for answer, label in zip(answers, labels)])
        self.assertGreater(right, 0.9)
        for answer in answers:
            self.assertAlmostEqual(sum(share for _, share in answer.classes), 1, places=5)
            self.assertGreaterEqual(answer.classes[0][1], answer.classes[1][1])
        self.assertAlmostEqual(learner.evaluate(images, labels)["accuracy"], right)

    def test_take_images_in_every_layout(self):
        images, labels = make_images([0, 1], 30)
        learner = self.learnt()
        expected = [answer.classes for answer in learner.predict(images)]
        self.assertEqual([answer.classes for answer in learner.predict(images[..., None])], expected)
        self.assertEqual([answer.classes for answer in learner.predict(images[:, None])], expected)

    def test_learn_and_predict_files_as_arrays(self):
        images, labels = make_images([0, 1], 30)
        data = os.path.join(self.folder.name, "week1")
        paths = write_images(data, images, labels)
        learner = gpscl.Learner(self.state, **OPTIONS)
        report = learner.learn(data)
        self.assertEqual(report["name"], "week1")
        self.assertEqual(learner.classes, ["class0", "class1"])
        by_path = learner.predict(paths)
        by_row = learner.predict(images)
        self.assertEqual([each.classes for each in by_path], [each.classes for each in by_row])
        self.assertEqual(learner.predict(paths[0]).label, by_row[0].label)
        broken = os.path.join(self.folder.name, "broken.png")
        with open(broken, "wb") as file:
            file.write(b"no image")
        answers = learner.predict([broken, paths[0]])
        self.assertIsNotNone(answers[0].error)
        self.assertIsNone(answers[0].label)
        self.assertEqual(answers[1].classes, by_path[0].classes)

    def test_are_states_of_the_program(self):
        program = os.environ.get("GPSCL_PROGRAM")
        if not program:
            self.skipTest("not checked: the program beside the module; to check: set GPSCL_PROGRAM")
        images, labels = make_images([0, 1], 30)
        data = os.path.join(self.folder.name, "week1")
        paths = write_images(data, images, labels)
        learner = gpscl.Learner(self.state, **OPTIONS)
        learner.learn(data)
        other = self.state + "-program"
        subprocess.run([program, "learn", other, data, "--memory", "40", "--hidden", "32", "--epochs", "5", "--lr", "0.1"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        self.assertEqual([each.classes for each in gpscl.Learner(other).predict(paths)],
                         [each.classes for each in learner.predict(paths)])
        done = subprocess.run([program, "learn", self.state, "--status", "--json"], stdout=subprocess.PIPE, check=True)
        status = learner.status()
        status.pop("text")
        self.assertEqual(json.loads(done.stdout), status)

    def test_go_back(self):
        learner = self.learnt()
        images, _ = make_images([0, 1, 2], 10, seed=2)
        before = [answer.classes for answer in learner.predict(images)]
        learner.learn(*make_images([2, 3], 60))
        self.assertNotEqual([answer.classes for answer in learner.predict(images)], before)
        self.assertEqual(learner.rollback(), 1)
        self.assertEqual([answer.classes for answer in learner.predict(images)], before)
        with self.assertRaises(ValueError):
            learner.rollback()

    def test_notice_what_another_learner_did_to_the_state(self):
        learner = self.learnt()
        self.assertEqual(len(learner.classes), 2)
        gpscl.Learner(self.state, progress=False).learn(*make_images([2, 3], 60))
        self.assertEqual(len(learner.classes), 4)

    def test_give_the_same_bits_for_the_same_data(self):
        first = self.learnt()
        second = gpscl.Learner(self.state + "2", **OPTIONS)
        second.learn(*make_images([0, 1], 60))
        images, _ = make_images([0, 1], 20, seed=3)
        self.assertEqual([each.classes for each in first.predict(images)], [each.classes for each in second.predict(images)])

    def test_can_be_tested_on_given_images(self):
        learner = gpscl.Learner(self.state, **OPTIONS)
        report = learner.learn(*make_images([0, 1], 60), test=make_images([0, 1], 25, seed=4))
        self.assertEqual(report["trained_on"], 120)

    def test_refuse_what_makes_no_sense(self):
        images, labels = make_images([0, 1], 30)
        learner = gpscl.Learner(self.state, **OPTIONS)
        for wrong, message in ((lambda: learner.learn(images), "need labels"),
                               (lambda: learner.learn(images, labels[:-1]), "60 images, 59 labels"),
                               (lambda: learner.learn(images.astype(float), labels), "must be bytes"),
                               (lambda: learner.learn(images[0, 0], labels), "must have the shape"),
                               (lambda: learner.learn("folder", labels), "leave labels and test out"),
                               (lambda: learner.predict(images), "."),
                               (lambda: learner.status(), ".")):
            with self.assertRaisesRegex(ValueError, message):
                wrong()
        self.assertFalse(os.path.exists(self.state))
        with self.assertRaisesRegex(TypeError, "unknown option memroy; did you mean memory"):
            gpscl.Learner(self.state, memroy=40)
        learner.learn(images, labels)
        with self.assertRaisesRegex(ValueError, "already learnt as task 1"):
            learner.learn(images, labels)
        with self.assertRaisesRegex(ValueError, "class '7' is not known"):
            learner.learn(*make_images([7], 30), new_classes=False)
        with self.assertRaisesRegex(ValueError, "images of 4x8 in grey cannot be used"):
            learner.predict(images[:, :4])
        with self.assertRaisesRegex(ValueError, "seed is 0 in this state and cannot change, got 5"):
            gpscl.Learner(self.state, seed=5, progress=False).learn(*make_images([2], 30))
        self.assertEqual(learner.status()["version"], 1)

    def test_export_their_network(self):
        learner = self.learnt()
        path = learner.export(os.path.join(self.folder.name, "model.safetensors"))
        with open(path + ".json", encoding="utf-8") as file:
            self.assertEqual(json.load(file)["classes"], ["0", "1"])


if __name__ == "__main__":
    unittest.main()
