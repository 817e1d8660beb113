#!/usr/bin/python3
"""What gpscl learns without options, beside the best of a grid of settings: the tables of docs/defaults.md.

Usage: bench/defaults.py [--gpscl PROGRAM] [--out FOLDER] [--streams NAME,NAME] [--models NAME,NAME]
                         [--only RATE,STEPS] ACTION...
  make     writes the streams as folders of picture files below FOLDER (/tmp/gpscl-defaults)
  grid     runs every setting of the grid on each stream, seed 100
  again    runs the three best settings of each stream on seed 101 as well
  final    runs the best setting and the defaults on the seeds 0, 1 and 2
  learner  runs der and der++ with their defaults on the seeds 0, 1 and 2
  table    prints the table

Every stream has two folders with the same training images: choose/ has validation images, which are training images of the
official set that are not trained on, and final/ has official test images. The grid sees only the first. Each run is one line of
FOLDER/runs.jsonl, and a run that stands there is not repeated.

Fashion-MNIST is a Debian package. MNIST, CIFAR-10, CIFAR-100 and TinyImageNet are looked for in $GPSCL_DATA, as
mnist/*.gz, cifar-10-binary.tar.gz, cifar-100-binary.tar.gz and tiny-imagenet-200.zip.
"""
import argparse
import json
import os
import statistics
import struct
import subprocess
import sys
import tarfile
import time
import zipfile
import zlib

from common import read_idx, say

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# source, pixels of a side, classes, tasks, training images of each class (largest and smallest). If "weeks" is given, every
# task has all classes.
STREAMS = {
    "digits-20": dict(source="mnist", side=28, classes=10, tasks=2, images=(20, 20)),
    "digits-5000": dict(source="mnist", side=28, classes=4, tasks=2, images=(5000, 5000)),
    "clothes-50": dict(source="fashion-mnist", side=28, classes=10, tasks=5, images=(50, 50)),
    "clothes-500": dict(source="fashion-mnist", side=28, classes=6, tasks=3, images=(500, 500)),
    "clothes-uneven": dict(source="fashion-mnist", side=28, classes=10, tasks=5, images=(1000, 20)),
    "clothes-large": dict(source="fashion-mnist", side=56, classes=6, tasks=3, images=(100, 100)),
    "colour-weeks": dict(source="cifar-10", side=32, classes=2, tasks=3, images=(150, 150), weeks=True),
    "colour-50": dict(source="cifar-10", side=32, classes=10, tasks=5, images=(50, 50)),
    "colour-500": dict(source="cifar-10", side=32, classes=6, tasks=3, images=(500, 500)),
    "colour-uneven": dict(source="cifar-10", side=32, classes=8, tasks=4, images=(400, 20)),
    "colour-100": dict(source="cifar-100", side=32, classes=100, tasks=5, images=(80, 80)),
    "photos-64": dict(source="tiny-imagenet", side=64, classes=10, tasks=5, images=(40, 40)),
    "photos-224": dict(source="cifar-10", side=224, classes=6, tasks=3, images=(60, 60)),
}
MOST_TESTED = 50  # validation and test images of each class; where there are two classes, four times as many

MODELS = {
    "mlp": ["--model", "mlp"],
    "mlp400": ["--model", "mlp", "--hidden", "400,400"],
    "convnet16": ["--model", "convnet", "--width", "16"],
    "convnet32": ["--model", "convnet", "--width", "32"],
    "resnet8": ["--model", "resnet18", "--width", "8"],
}
GRID = {  # by model: learning rates, steps of a task
    "mlp": ([0.003, 0.01, 0.03, 0.1], [100, 400, 1600]),
    "mlp400": ([0.01, 0.03, 0.1], [100, 400]),
    "convnet16": ([0.01, 0.03, 0.1], [100, 400]),
    "convnet32": ([0.03, 0.1], [100, 400]),
    "resnet8": ([0.03, 0.1], [100]),
}


def grid():
    """Returns the settings, cheap ones first: (model, rate, steps of a task)."""
    cost = {"mlp": 1, "mlp400": 3, "convnet16": 8, "convnet32": 16, "resnet8": 40}
    settings = [(model, rate, steps) for model, (rates, lengths) in GRID.items() for rate in rates for steps in lengths]
    return sorted(settings, key=lambda setting: cost[setting[0]] * setting[2])


def words_of(setting):
    model, rate, steps = setting
    return [*MODELS[model], "--lr", str(rate), "--steps", str(steps), "--image-size", "SIDE", "--memory", "500"]


def png(pixels, side, channels):
    """Returns a PNG file of rows of bytes, grey or red-green-blue."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    across = side * channels
    rows = b"".join(b"\0" + pixels[k * across:(k + 1) * across] for k in range(side))
    header = struct.pack(">IIBBBBB", side, side, 8, 0 if channels == 1 else 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b"")


def enlarged(pixels, before, after, channels):
    """Returns the image with longer sides, interpolated linearly between the centres of pixels."""
    if before == after:
        return pixels
    places = []
    for k in range(after):
        at = min(max((k + 0.5) * before / after - 0.5, 0), before - 1)
        first = min(int(at), before - 2)
        places.append((first, at - first))
    rows = []
    for y in range(before):  # first across, then down
        row = pixels[y * before * channels:(y + 1) * before * channels]
        rows.append([row[first * channels + c] * (1 - share) + row[(first + 1) * channels + c] * share
                     for first, share in places for c in range(channels)])
    out = bytearray()
    for first, share in places:
        out += bytes(int(a * (1 - share) + b * share + 0.5) for a, b in zip(rows[first], rows[first + 1]))
    return bytes(out)


def idx_images(source, part):
    """Returns the images of each class of MNIST or Fashion-MNIST: (bytes, side, channels)."""
    name = {"train": "train", "test": "t10k"}[part]
    pixels = read_idx(source, f"{name}-images-idx3-ubyte", 16)
    labels = read_idx(source, f"{name}-labels-idx1-ubyte", 8)
    found = {}
    for k, label in enumerate(labels):
        found.setdefault(label, []).append((pixels[784 * k:784 * (k + 1)], 28, 1))
    return [found[label] for label in sorted(found)]


def data_file(name):
    path = os.path.join(os.environ.get("GPSCL_DATA", ""), name)
    if not os.path.exists(path):
        sys.exit(f"defaults.py: {path} not found; set GPSCL_DATA")
    return path


def cifar_images(source, part):
    before = {"cifar-10": 1, "cifar-100": 2}[source]  # bytes before the pixels, of which the last is the label
    found = {}
    with tarfile.open(data_file(f"{source}-binary.tar.gz")) as archive:
        for member in sorted(archive.getmembers(), key=lambda each: each.name):
            base = os.path.basename(member.name)
            if not base.endswith(".bin") or ("test" in base) != (part == "test"):
                continue
            data = archive.extractfile(member).read()
            for at in range(0, len(data), before + 3072):
                planes = data[at + before:at + before + 3072]
                pixels = bytearray(3072)
                for c in range(3):
                    pixels[c::3] = planes[1024 * c:1024 * (c + 1)]
                found.setdefault(data[at + before - 1], []).append((bytes(pixels), 32, 3))
    return [found[label] for label in sorted(found)]


def tiny_images(part):
    """Returns JPEG files as they are: (bytes, 0, 0)."""
    with zipfile.ZipFile(data_file("tiny-imagenet-200.zip")) as archive:
        names = archive.namelist()
        root = names[0].split("/")[0]
        wanted = archive.read(f"{root}/wnids.txt").decode().split()[:40]
        if part == "train":
            return [[(archive.read(name), 0, 0) for name in sorted(names)
                     if name.startswith(f"{root}/train/{label}/images/") and name.endswith(".JPEG")] for label in wanted]
        found = {label: [] for label in wanted}
        for line in archive.read(f"{root}/val/val_annotations.txt").decode().splitlines():
            name, label = line.split("\t")[:2]
            if label in found:
                found[label].append((archive.read(f"{root}/val/images/{name}"), 0, 0))
        return [found[label] for label in wanted]


def images_of(source, part):
    if source == "tiny-imagenet":
        return tiny_images(part)
    return cifar_images(source, part) if source.startswith("cifar") else idx_images(source, part)


def counts_of(stream):
    """Returns the number of training images of each class: equal, or falling by the same factor from class to class."""
    most, least = stream["images"]
    last = max(1, stream["classes"] - 1)
    return [round(most * (least / most) ** (k / last)) for k in range(stream["classes"])]


def write(place, image, side):
    """Writes an image and returns its path."""
    data, before, channels = image
    os.makedirs(os.path.dirname(place), exist_ok=True)
    is_jpeg = before == 0
    path = place + (".jpg" if is_jpeg else ".png")
    with open(path, "wb") as file:
        file.write(data if is_jpeg else png(enlarged(data, before, side, channels), side, channels))
    return path


def make(out, names):
    sets = {}
    for name in names:
        stream = STREAMS[name]
        done = os.path.join(out, name, "done")
        if os.path.exists(done):
            continue
        say(f"writing {name}")
        source = stream["source"]
        for part in ("train", "test"):
            if (source, part) not in sets:
                sets[source, part] = images_of(source, part)
        train, test = sets[source, "train"], sets[source, "test"]
        tasks, classes, side = stream["tasks"], stream["classes"], stream["side"]
        # Long tails are not in the order of the tasks.
        sizes = [count for start in range(tasks) for count in counts_of(stream)[start::tasks]]
        for label in range(classes):
            used = train[label][:sizes[label]]
            most = MOST_TESTED * (4 if classes == 2 else 1)
            held = train[label][sizes[label]:][:most]
            for week in range(tasks):
                if not stream.get("weeks") and week != label // (classes // tasks):
                    continue
                shares = [slice(week, None, tasks) if stream.get("weeks") else slice(None)] * 3
                for part, images in (("train", used[shares[0]]), ("choose", held[shares[1]]),
                                     ("final", test[label][:most][shares[2]])):
                    for k, image in enumerate(images):
                        place = f"week{week + 1}/class{label}/{k}"
                        if part != "train":
                            write(os.path.join(out, name, part, "test", place), image, side)
                            continue
                        first = write(os.path.join(out, name, "choose/train", place), image, side)
                        other = first.replace("/choose/", "/final/")
                        os.makedirs(os.path.dirname(other), exist_ok=True)
                        if not os.path.exists(other):
                            os.link(first, other)
        open(done, "w", encoding="utf-8").close()


class Runs:
    """All runs so far, and the program that makes more of them."""

    def __init__(self, program, out):
        self.program, self.out = program, out
        self.file = os.path.join(out, "runs.jsonl")
        self.known = {}
        if os.path.exists(self.file):
            with open(self.file, encoding="utf-8") as file:
                for line in file:
                    run = json.loads(line)
                    self.known[run["stream"], run["kind"], run["words"], run["seed"]] = run

    def find(self, stream, kind, words, seed):
        return self.known.get((stream, kind, " ".join(words), seed))

    def run(self, stream, kind, words, seed):
        """Returns accuracy among all classes in percent (0 if the loss is no longer finite) and CPU seconds."""
        found = self.find(stream, kind, words, seed)
        if found:
            return found
        side = str(min(32, STREAMS[stream]["side"]))
        given = [side if word == "SIDE" else word for word in words]
        folder = os.path.join(self.out, stream, kind)
        command = [self.program, "run", folder, *given, "--seed", str(seed), "--jobs", "1", "--json", "--restart", "--evaluate", "last", "--out",
                   os.path.join(self.out, "results")]
        begin = os.times()
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", check=False)
        end = os.times()
        seconds = end.children_user + end.children_system - begin.children_user - begin.children_system
        accuracy, own = 0.0, 0.0
        if done.returncode == 0:
            result = json.loads(done.stdout)[0]
            own = 100 * result["metrics"]["average_accuracy"]
            among_all = result.get("class_incremental")
            accuracy = 100 * among_all["metrics"]["average_accuracy"] if among_all else own
        elif "no longer a finite number" not in done.stderr:
            sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
        run = dict(stream=stream, kind=kind, words=" ".join(words), seed=seed, accuracy=round(accuracy, 3),
                   own=round(own, 3), seconds=round(seconds, 2))
        with open(self.file, "a", encoding="utf-8") as file:
            file.write(json.dumps(run) + "\n")
        self.known[stream, kind, run["words"], seed] = run
        say(f"{time.strftime('%H:%M:%S')} {stream} {kind} {run['words']} seed {seed}: {accuracy:.2f} %, {seconds:.1f} s")
        return run

    def mean(self, stream, kind, words):
        """Returns the mean accuracy over all seeds that were run, and their number."""
        runs = [run["accuracy"] for (s, k, w, _), run in self.known.items() if (s, k, w) == (stream, kind, " ".join(words))]
        return (statistics.mean(runs), len(runs)) if runs else (0, 0)

    def best(self, stream, count):
        """Returns the settings with the highest mean, of those that were run on the most seeds."""
        scored = [(self.mean(stream, "choose", words_of(setting)), setting) for setting in grid()]
        most = max(seeds for (_, seeds), _ in scored)
        scored = [(mean, setting) for (mean, seeds), setting in scored if seeds == most and seeds > 0]
        return [setting for _, setting in sorted(scored, key=lambda each: -each[0])[:count]]


def table(runs, names):
    print("| stream | images | classes | tasks | a class | default | best of the grid | difference | chance |")
    print("|---|---|---|---|---|---|---|---|---|")
    differences = []
    for name in names:
        stream = STREAMS[name]
        best = runs.best(name, 1)
        if not best:
            continue
        best = best[0]
        usual, seeds = runs.mean(name, "final", [])
        chosen, _ = runs.mean(name, "final", words_of(best))
        if seeds == 0:
            continue
        differences.append(usual - chosen)
        grey = "grey" if "mnist" in stream["source"] else "colour"
        most, least = stream["images"]
        print(f"| {name} | {grey}, {stream['side']} | {stream['classes']} | {stream['tasks']} | "
              f"{most if most == least else f'{least} to {most}'} | {usual:.1f} | "
              f"{chosen:.1f} ({best[0]}, lr {best[1]}, {best[2]} steps) | {usual - chosen:+.1f} | "
              f"{100 / stream['classes']:.0f} |")
    if differences:
        print(f"\nmean difference {statistics.mean(differences):+.2f}, worst {min(differences):+.1f}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--gpscl", default=os.path.join(SOURCE, "build/release/gpscl"))
    parser.add_argument("--out", default="/tmp/gpscl-defaults")
    parser.add_argument("--streams", default=",".join(STREAMS))
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--only", default="", help="RATE,STEPS: only these settings of the grid")
    parser.add_argument("actions", nargs="+")
    arguments = parser.parse_args()
    names = arguments.streams.split(",")
    os.makedirs(arguments.out, exist_ok=True)
    os.environ["XDG_CACHE_HOME"] = os.path.join(arguments.out, "cache")
    runs = Runs(arguments.gpscl, arguments.out)
    for action in arguments.actions:
        if action == "make":
            make(arguments.out, names)
        elif action == "grid":
            for setting in grid():
                if setting[0] not in arguments.models.split(","):
                    continue
                if arguments.only and arguments.only != f"{setting[1]},{setting[2]}":
                    continue
                for name in names:
                    runs.run(name, "choose", words_of(setting), 100)
        elif action == "again":
            for name in names:
                for setting in runs.best(name, 3):
                    runs.run(name, "choose", words_of(setting), 101)
        elif action == "final":
            for seed in (0, 1, 2):
                for name in names:
                    runs.run(name, "final", [], seed)
                    runs.run(name, "final", words_of(runs.best(name, 1)[0]), seed)
        elif action == "learner":
            for learner in ("der", "der++"):
                for name in names:
                    for seed in (0, 1, 2):
                        runs.run(name, "final", ["--learner", learner], seed)
        elif action == "table":
            table(runs, names)
        else:
            sys.exit(f"defaults.py: unknown action '{action}'; known: make, grid, again, final, learner, table")


if __name__ == "__main__":
    main()
