# claim: fresh-pages: the tiles of a batch are made anew and kept in a dict until the batch is done
import numpy as np

TILES, SIDE = 48, 256

raw = np.ones((TILES, SIDE, SIDE), np.float32)


def corrected(stack, gain):
    cache = {}
    for tile in range(TILES):
        cache[tile] = np.multiply(stack[tile], gain)
    return sum(float(cache[tile][3, 5]) for tile in cache)


def work():
    return corrected(raw, 1.5)
