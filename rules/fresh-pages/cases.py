"""Cases of fresh-pages: arrays that come in fresh pages in every turn, and buffers that stay.

Page faults counted with resource.getrusage and NumPy 1.24 on glibc 2.36.
"""
import numpy as np
from numba import njit, prange

SHAPE = (3000, 3000)
TILE = 256


def sums_kept(rng, draws=4_000):
    series = rng.random((60, 10_000))
    sums = {}
    for a in range(draws):
        sums[a] = series[a % 60] + 1.0  # want: fresh-pages
    return sums


def rows_kept(raw, count=200):
    rows = []
    for k in range(count):
        row = np.empty(20_000)  # want: fresh-pages
        np.multiply(raw, float(k), out=row)
        rows.append(row)
    return rows


def large_temporaries(stack):
    total = np.zeros(SHAPE)
    dark = np.ones(SHAPE)
    for frame in stack:
        total += frame - dark  # want: fresh-pages
    return total


def large_copies(stack):
    total = np.zeros(SHAPE)
    for k in range(len(stack)):
        before = total.copy()  # want: fresh-pages
        total[0] += before[1]
    return total


def three_of_a_size(frames):
    best = 0.0
    for frame in frames:
        red = np.empty((1024, 1024))  # want: fresh-pages
        green = np.empty((1024, 1024))  # want: fresh-pages
        blue = np.empty((1024, 1024))  # want: fresh-pages
        np.copyto(red, frame[0])
        np.copyto(green, frame[1])
        np.copyto(blue, frame[2])
        best = max(best, float(red.max() + green.max() + blue.max()))
    return best


def one_frame(frame):
    clean = np.empty(SHAPE)  # want: fresh-pages
    np.subtract(frame, 1.0, out=clean)
    return float(clean.max())


def all_frames(stack):
    return sum_of([one_frame(frame) for frame in stack]) + one_by_one(stack)


def one_by_one(stack):
    total = 0.0
    for frame in stack:
        total += one_frame(frame)
    return total


def sum_of(values):
    return sum(values)


@njit(parallel=True)
def fields(raw, out):
    for i in prange(raw.shape[0]):
        field = np.full((4096, 4096), raw[i])  # want: fresh-pages
        for k in range(4096):
            field[k, k] += k
        out[i] = field.sum()


def one_size(stack):
    top = 0.0
    for frame in stack:
        clean = np.empty((TILE, TILE))
        np.subtract(frame, 1.0, out=clean)
        top = max(top, float(clean.max()))
    return top


def reused(stack):
    clean = np.empty(SHAPE)
    top = 0.0
    for frame in stack:
        np.subtract(frame, 1.0, out=clean)
        top = max(top, float(clean.max()))
    return top


def made_once(stack):
    clean = None
    for frame in stack:
        if clean is None:
            clean = np.empty(SHAPE)
        np.subtract(frame, 1.0, out=clean)
    return clean


def small_tables(names):
    tables = {}
    for name in names:
        tables[name] = np.zeros(32)
    return tables


def numbers_kept(rng):
    series = rng.random((60, 10_000))
    sums = {}
    for a in range(60):
        sums[a] = float(series[a].sum())
    return sums


def unknown_size(parts):
    out = []
    for part in parts:
        out.append(part * 2.0)
    return out


def views_kept(rng):
    series = rng.random((60, 10_000))
    rows = {}
    for a in range(60):
        rows[a] = series[a]
    return rows


def by_type():
    tables = {}
    for name in ("f4", "f8", "i4"):
        tables[name] = np.zeros((100, 100)).astype(name)
    return tables


class Products:
    def __init__(self, length=5_000):
        self.rows = np.random.rand(200, length)
        self.kept = {}

    def product(self, a, b):
        if (a, b) not in self.kept:
            self.kept[a, b] = self.rows[a] * self.rows[b]  # want: fresh-pages
        return self.kept[a, b]

    def total(self):
        return sum(self.product(a, b)[0] for a in range(200) for b in range(200))


def one_slot(rng, turns=4_000, slot=1):
    """What was in the slot goes: nothing piles up."""
    slots = [None, None, None]
    heights = rng.random(10_000)
    best = 0.0
    for t in range(turns):
        slots[slot] = heights * t
        best = max(best, slots[slot][0])
    return best


def blank_on_failure(paths, load):
    """What stands in for a picture that could not be read is seldom needed."""
    pictures = []
    for path in paths:
        try:
            picture = load(path)
        except Exception:
            picture = np.zeros((512, 512), dtype="uint16")
        pictures.append(picture)
    return pictures


def blank_on_any_failure(paths, load):
    pictures = []
    for path in paths:
        try:
            picture = load(path)
        except:
            picture = np.zeros((512, 512), dtype="uint16")
        pictures.append(picture)
    return pictures


def made_on_demand(paths, table):
    pictures = []
    for path in paths:
        try:
            picture = table[path]
        except KeyError:
            picture = np.zeros((512, 512), dtype="uint16")  # want: fresh-pages
        pictures.append(picture)
    return pictures
