"""Writes Fashion-MNIST as a stream of PNG files: five weeks, each with two new classes.

    python3 fashion_weeks.py FOLDER [PER_CLASS [TESTS_PER_CLASS]]

Writes PER_CLASS training images of each class (default 1000) to FOLDER/week1/t-shirt/00000.png and so on, and
TESTS_PER_CLASS test images of each class (default 1000) to FOLDER/test/week1/t-shirt/ and so on. Needs only Python and
the four files of Fashion-MNIST. Looks for them in the same places as gpscl: in the folder fashion-mnist/ of $GPSCL_DATA,
of the user's cache (gpscl data get fashion-mnist), and of /usr/share/datasets (Debian's dataset-fashion-mnist).
"""
import gzip
import os
import struct
import sys
import zlib

NAMES = ["t-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle-boot"]
SIDE = 28


def data_folders():
    home, cache = os.environ.get("HOME"), os.environ.get("XDG_CACHE_HOME")
    cache = cache or (home and os.path.join(home, ".cache"))
    return [folder for folder in (os.environ.get("GPSCL_DATA"), cache and os.path.join(cache, "gpscl"),
                                  "/usr/share/datasets") if folder]


def find(name):
    for folder in data_folders():
        for ending in ("", ".gz"):
            path = os.path.join(folder, "fashion-mnist", name + ending)
            if os.path.exists(path):
                return path
    sys.exit(f"fashion_weeks.py: no fashion-mnist/{name} in {', '.join(data_folders())}; get it with: "
             "gpscl data get fashion-mnist; or apt-get install dataset-fashion-mnist, or set $GPSCL_DATA")


def read(name, header):
    path = find(name)
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return file.read()[header:]


def png(pixels):
    """A grey image as a PNG file: rows without a filter, one block of compressed data."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + pixels[at:at + SIDE] for at in range(0, SIDE * SIDE, SIDE))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", SIDE, SIDE, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def write(part, folder, per_class):
    images, labels = read(f"{part}-images-idx3-ubyte", 16), read(f"{part}-labels-idx1-ubyte", 8)
    written = [0] * len(NAMES)
    for index, label in enumerate(labels):
        if written[label] == per_class:
            continue
        written[label] += 1
        place = os.path.join(folder, f"week{label // 2 + 1}", NAMES[label])
        os.makedirs(place, exist_ok=True)
        with open(os.path.join(place, f"{index:05}.png"), "wb") as file:
            file.write(png(images[index * SIDE * SIDE:(index + 1) * SIDE * SIDE]))
    return sum(written)


if len(sys.argv) < 2:
    sys.exit(__doc__)
target = sys.argv[1]
trained = write("train", target, int(sys.argv[2]) if len(sys.argv) > 2 else 1000)
tested = write("t10k", os.path.join(target, "test"), int(sys.argv[3]) if len(sys.argv) > 3 else 1000)
print(f"{target}: {trained} images in week1 to week5, {tested} in test")
