import numpy as np

TILES, SIDE = 48, 256

raw = np.ones((TILES, SIDE, SIDE), np.float32)
kept = np.zeros((TILES, SIDE, SIDE), np.float32)


def corrected(stack, gain):
    for tile in range(TILES):
        np.multiply(stack[tile], gain, out=kept[tile])
    return sum(float(kept[tile][3, 5]) for tile in range(TILES))


def work():
    return corrected(raw, 1.5)
