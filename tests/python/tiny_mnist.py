"""A made-up MNIST of 8 x 8 pixels that a network can learn, as IDX files."""
import os
import random
import struct


def write_tiny_mnist(folder, per_class=20):
    os.makedirs(folder)
    draw = random.Random(3)
    patterns = [[draw.choice((0, 200)) for _ in range(64)] for _ in range(10)]
    for prefix, count in (("train", 10 * per_class), ("t10k", 100)):
        labels = bytes(k % 10 for k in range(count))
        images = bytes((pixel + draw.randrange(50)) for label in labels for pixel in patterns[label])
        with open(os.path.join(folder, prefix + "-images-idx3-ubyte"), "wb") as file:
            file.write(struct.pack(">IIII", 0x803, count, 8, 8) + images)
        with open(os.path.join(folder, prefix + "-labels-idx1-ubyte"), "wb") as file:
            file.write(struct.pack(">II", 0x801, count) + labels)
