"""Cases of view-per-cell: what stays in the compiled loop, whose count it is, and what leaves nothing.

Every verdict was counted at run time with numba 0.56.4: reference-count operations per cell, on this host and with
NUMBA_CPU_NAME generic and haswell.
"""
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor

import numba
import math

import numpy as np
from numba import float64, guvectorize, njit, prange, types
from numba.experimental import jitclass
from numba.typed import Dict, List

# ---- helpers: what the view is handed to ------------------------------------------------------------------------------


@njit(fastmath=True)
def hue_gap(u, v):
    s = 0.0
    for k in range(u.shape[0]):
        s += (u[k] - v[k]) ** 2
    return s


@njit(fastmath=True, inline="always")
def hue_gap_pasted(u, v):
    s = 0.0
    for k in range(u.shape[0]):
        s += (u[k] - v[k]) ** 2
    return s


@njit(fastmath=True)
def hue_gap_at(x, i, y, j):
    s = 0.0
    for k in range(x.shape[0]):
        s += (x[k, i] - y[k, j]) ** 2
    return s


@njit
def plain_gap(u, v):
    s = 0.0
    for k in range(u.shape[0]):
        s += abs(u[k] - v[k])
    return s


# ---- both sides lists, lists and arrays, arrays: column views, one helper -----------------------------------------------


@njit
def film_lists(x, y):
    s = 0.0
    for i in range(x.shape[1]):
        for j in range(y.shape[1]):
            s += hue_gap(x[:, i], y[:, j])  # want: view-per-cell
    return s


@njit(parallel=True)
def films_lists(reels, prints):
    """reels, prints: typed lists, as archive() below makes them."""
    out = np.empty((len(reels), len(prints)))
    for r in prange(len(reels)):
        for p in range(len(prints)):
            out[r, p] = film_lists(reels[r], prints[p])
    return out


def archive(scans, master):
    reels = List()
    for scan in scans:
        reels.append(np.ascontiguousarray(scan))
    return films_lists(reels, List([master]))


@njit
def film_list_array(x, y):
    s = 0.0
    for i in range(x.shape[1]):
        for j in range(y.shape[1]):
            s += hue_gap(x[:, i], y[:, j])  # want: view-per-cell
    return s


@njit(parallel=True)
def films_list_array(reels, prints):
    out = np.empty((len(reels), prints.shape[0]))
    for r in prange(len(reels)):
        for p in range(prints.shape[0]):
            out[r, p] = film_list_array(reels[r], prints[p])
    return out


@njit
def film_array_list(x, y):
    s = 0.0
    for i in range(x.shape[1]):
        for j in range(y.shape[1]):
            s += hue_gap(x[:, i], y[:, j])  # want: view-per-cell
    return s


@njit(parallel=True)
def films_array_list(reels, prints):
    out = np.empty((reels.shape[0], len(prints)))
    for r in prange(reels.shape[0]):
        for p in range(len(prints)):
            out[r, p] = film_array_list(reels[r], prints[p])
    return out


@njit
def film_arrays(x, y):
    s = 0.0
    for i in range(x.shape[1]):
        for j in range(y.shape[1]):
            s += hue_gap(x[:, i], y[:, j])  # want: view-per-cell
    return s


@njit(parallel=True)
def films_arrays(reels, prints):
    """No live count here: overhead, no contention."""
    out = np.empty((reels.shape[0], prints.shape[0]))
    for r in prange(reels.shape[0]):
        for p in range(prints.shape[0]):
            out[r, p] = film_arrays(reels[r], prints[p])
    return out


def archive_arrays(scans, masters):
    lists = films_list_array(List(list(scans)), masters), films_array_list(scans, List([masters[0]]))
    return lists, films_arrays(scans, masters)


@njit
def film_elsewhere(x, y):
    s = 0.0
    for i in range(x.shape[1]):
        for j in range(y.shape[1]):
            s += hue_gap(x[:, i], y[:, j])  # may: view-per-cell
    return s


@njit(parallel=True)
def films_fetched_before(reels, prints):
    """The shared element is fetched once: the contention is gone, the views are still built."""
    first = prints[0]
    out = np.empty(len(reels))
    for r in prange(len(reels)):
        out[r] = film_elsewhere(reels[r], first)
    return out


def archive_first(scans, master):
    return films_fetched_before(List(list(scans)), List([master]))


# The list goes through two functions before the loop over it.


@njit
def shelf_cells(x, y):
    s = 0.0
    for i in range(x.shape[1]):
        for j in range(y.shape[1]):
            s += hue_gap(x[:, i], y[:, j])  # want: view-per-cell
    return s


@njit
def shelf_row(x, prints, out):
    for p in range(len(prints)):
        out[p] = shelf_cells(x, prints[p])


@njit
def shelf_ends(x, prints, out):
    shelf_row(x, prints, out)


@njit(parallel=True)
def shelves(reels, prints):
    out = np.empty((len(reels), len(prints)))
    for r in prange(len(reels)):
        shelf_ends(reels[r], prints, out[r])
    return out


def archive_shelves(scans, masters):
    return shelves(List(list(scans)), List(list(masters)))


# ---- what the helper does with rows of a shared element ---------------------------------------------------------------


@njit(parallel=True)
def fastmath_rows(herds, tracks):
    """herds, tracks: typed lists of (sample, feature) arrays. A vectorised sum loop is not inlined on some targets."""
    out = np.zeros(len(herds))
    for h in prange(len(herds)):
        herd = herds[h]
        track = tracks[0]
        for i in range(herd.shape[0]):
            for j in range(track.shape[0]):
                out[h] += hue_gap(herd[i], track[j])  # want: view-per-cell
    return out


@njit
def plain_gap_again(u, v):
    return plain_gap(u, v) + 1.0


@njit(parallel=True)
def wrapped_rows(herds, tracks):
    out = np.zeros(len(herds))
    for h in prange(len(herds)):
        herd = herds[h]
        track = tracks[0]
        for i in range(herd.shape[0]):
            for j in range(track.shape[0]):
                out[h] += plain_gap_again(herd[i], track[j])  # want: view-per-cell
    return out


@njit(parallel=True)
def plain_rows(herds, tracks):
    """One simple contiguous loop: inlined, pruned."""
    out = np.zeros(len(herds))
    for h in prange(len(herds)):
        herd = herds[h]
        track = tracks[0]
        for i in range(herd.shape[0]):
            for j in range(track.shape[0]):
                out[h] += plain_gap(herd[i], track[j])
    return out


@njit
def centred_gap(u, v):
    mu = 0.0
    for k in range(u.shape[0]):
        mu += u[k] - v[k]
    s = 0.0
    for k in range(u.shape[0]):
        s += abs(u[k] - v[k] - mu)
    return s


@njit
def cross_gap(u, v):
    s = 0.0
    for k in range(u.shape[0]):
        for m in range(v.shape[0]):
            s += abs(u[k] - v[m])
    return s


@njit
def sum_gap(u, v):
    return np.sum(u) - np.sum(v)


@njit
def herd_two_loops(herd, track):
    s = 0.0
    for i in range(herd.shape[0]):
        for j in range(track.shape[0]):
            s += centred_gap(herd[i], track[j])  # want: view-per-cell
    return s


@njit
def herd_nested(herd, track):
    s = 0.0
    for i in range(herd.shape[0]):
        for j in range(track.shape[0]):
            s += cross_gap(herd[i], track[j])  # may: view-per-cell (16 x 16 steps beside it)
    return s


@njit
def herd_two_sums(herd, track):
    s = 0.0
    for i in range(herd.shape[0]):
        for j in range(track.shape[0]):
            s += sum_gap(herd[i], track[j])  # want: view-per-cell
    return s


@njit(parallel=True)
def herd_helpers(herds, tracks):
    out = np.zeros((len(herds), 3))
    for h in prange(len(herds)):
        out[h, 0] = herd_two_loops(herds[h], tracks[0])
        out[h, 1] = herd_nested(herds[h], tracks[0])
        out[h, 2] = herd_two_sums(herds[h], tracks[0])
    return out


@njit
def herd_dot(herd, track):
    s = 0.0
    for i in range(herd.shape[0]):
        for j in range(track.shape[0]):
            s += np.dot(herd[i], track[j])  # want: view-per-cell
    return s


@njit
def herd_max(herd, track):
    s = 0.0
    for i in range(herd.shape[0]):
        for j in range(track.shape[0]):
            s += np.max(track[j]) * herd[i, 0]  # want: view-per-cell
    return s


@njit
def herd_mean_of_part(herd, track, first, last):
    s = 0.0
    for i in range(herd.shape[0]):
        for j in range(track.shape[0]):
            s += herd[i, 0] * np.mean(track[j, first:last])  # want: view-per-cell
    return s


@njit
def herd_unpacked(herd, track):
    s = 0.0
    for i in range(herd.shape[0]):
        near = 1e30
        for j in range(track.shape[0]):
            a, b, c = track[j, :3]  # may: view-per-cell (where the check of the length is not moved out of the loop)
            apart = (a - herd[i, 0]) ** 2 + (b - herd[i, 1]) ** 2 + (c - herd[i, 2]) ** 2
            if apart < near:
                near = apart
        s += near
    return s


@njit
def herd_left_by_break(herd, track):
    s = 0.0
    for i in range(herd.shape[0]):
        for j in range(track.shape[0]):
            for v in track[j]:  # want: view-per-cell
                if v > herd[i, 0]:
                    s += v
                    break
    return s


@njit
def herd_copied(track, choice, out):
    for i in range(choice.shape[0]):
        out[i, :] = track[choice[i], :]  # want: view-per-cell; may: alloc-in-kernel (a copy, if the two overlap)


@njit(parallel=True)
def herd_library(herds, tracks, choice, first, last):
    out = np.zeros((len(herds), 5))
    copies = np.zeros((len(herds), choice.shape[1], tracks[0].shape[1]))
    for h in prange(len(herds)):
        out[h, 0] = herd_dot(herds[h], tracks[0])
        out[h, 1] = herd_max(herds[h], tracks[0])
        out[h, 2] = herd_mean_of_part(herds[h], tracks[0], first, last)
        out[h, 3] = herd_unpacked(herds[h], tracks[0])
        out[h, 4] = herd_left_by_break(herds[h], tracks[0])
        herd_copied(tracks[0], choice[h], copies[h])
    return out, copies


def herds_of(records, walks, choice):
    herds, tracks = List(list(records)), List(list(walks))
    fastmath_rows(herds, tracks)
    wrapped_rows(herds, tracks)
    plain_rows(herds, tracks)
    herd_helpers(herds, tracks)
    return herd_library(herds, tracks, choice, 1, 4)


# ---- helpers that can raise: every target, and inlining does not help -------------------------------------------------


@njit
def ratio_gap(u, v):
    s = 0.0
    for k in range(u.shape[0]):
        s += (u[k] - v[k]) / (u[k] + v[k])
    return s


@njit(inline="always")
def ratio_gap_pasted(u, v):
    """Whether a divisor made of data is ever 0, the source does not say: raise-in-prange speaks of counts only."""
    s = 0.0
    for k in range(u.shape[0]):
        s += (u[k] - v[k]) / (u[k] + v[k])  # may: raise-in-prange
    return s


@njit(error_model="numpy")
def ratio_gap_numpy(u, v):
    return (u[0] - v[0]) / (u[0] + v[0]) + (u[1] - v[1]) / (u[1] + v[1])


@njit
def halved_gap(u, v):
    return (u[0] - v[0]) / 2.0 + (u[1] - v[1]) / 4.0


@njit
def checked_gap(u, v):
    s = 0.0
    for k in range(u.shape[0]):
        if u[k] < 0.0:
            raise ValueError("negative")  # may: raise-in-prange
        s += abs(u[k] - v[k])
    return s


@njit
def asserted_gap(u, v):
    s = 0.0
    for k in range(u.shape[0]):
        assert v[k] >= 0.0  # may: raise-in-prange
        s += abs(u[k] - v[k])
    return s


@njit
def ferry_ratio(x, y):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            s += ratio_gap(x[i], y[j])  # want: view-per-cell
    return s


@njit
def ferry_ratio_pasted(x, y):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            s += ratio_gap_pasted(x[i], y[j])  # want: view-per-cell
    return s


@njit
def ferry_checked(x, y):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            s += checked_gap(x[i], y[j])  # want: view-per-cell
    return s


@njit
def ferry_asserted(x, y):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            s += asserted_gap(x[i], y[j])  # want: view-per-cell
    return s


@njit
def ferry_free_divisions(x, y):
    """By a constant, or by anything under the numpy error model: nothing can be raised."""
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            s += ratio_gap_numpy(x[i], y[j]) + halved_gap(x[i], y[j])
    return s


@njit(parallel=True)
def ferries(lines, ports):
    """lines, ports: typed lists."""
    out = np.zeros((len(lines), 5))
    for n in prange(len(lines)):
        out[n, 0] = ferry_ratio(lines[n], ports[0])
        out[n, 1] = ferry_ratio_pasted(lines[n], ports[0])
        out[n, 2] = ferry_checked(lines[n], ports[0])
        out[n, 3] = ferry_asserted(lines[n], ports[0])
        out[n, 4] = ferry_free_divisions(lines[n], ports[0])
    return out


@njit
def same_length_gap(u, v):
    if u.shape[0] != v.shape[0]:
        raise ValueError("lengths differ")  # may: raise-in-prange
    s = 0.0
    for k in range(u.shape[0]):
        s += abs(u[k] - v[k])
    return s


@njit(fastmath=True)
def same_length_hue(u, v):
    if u.shape[0] != v.shape[0]:
        raise ValueError("lengths differ")  # may: raise-in-prange
    s = 0.0
    for k in range(u.shape[0]):
        s += (u[k] - v[k]) ** 2
    return s


@njit
def canal_columns(x, y):
    s = 0.0
    for i in range(x.shape[1]):
        for j in range(y.shape[1]):
            s += same_length_hue(x[:, i], y[:, j])  # want: view-per-cell
    return s


@njit
def canal_rows(x, y):
    """The check is the same for all rows and is moved out of the loop."""
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            s += same_length_gap(x[i], y[j])
    return s


@njit(parallel=True)
def canals(locks, gates):
    out = np.zeros((len(locks), 2))
    for n in prange(len(locks)):
        out[n, 0] = canal_columns(locks[n], gates[0])
        out[n, 1] = canal_rows(locks[n], gates[0])
    return out


def water(records, walks):
    lines, ports = List(list(records)), List([np.ascontiguousarray(walk) for walk in walks])
    return ferries(lines, ports), canals(lines, ports)


# ---- helpers that allocate, helpers that are values --------------------------------------------------------------------


@njit
def midpoint_gap(u, v):
    mid = (u + v) * 0.5  # want: alloc-in-kernel
    s = 0.0
    for k in range(mid.shape[0]):
        s += (u[k] - mid[k]) ** 2
    return s


@njit
def tram_midpoints(x, y):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            s += midpoint_gap(x[i], y[j])  # want: view-per-cell
    return s


@njit(parallel=True)
def trams(lines, stops):
    out = np.zeros(len(lines))
    for n in prange(len(lines)):
        out[n] = tram_midpoints(lines[n], stops[0])
    return out


@njit("f8(f8[::1], f8[::1])")
def flat_gap(u, v):
    return abs(u[0] - v[0])


@njit("f8(f8[::1], f8[::1])")
def steep_gap(u, v):
    return (u[0] - v[0]) ** 2


@njit
def slope_with(gaps, kind, x, y):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            s += gaps[kind](x[i], y[j])  # want: view-per-cell
    return s


GAPS = (flat_gap, steep_gap)


@njit(parallel=True)
def slopes(gaps, kind, ridges, valleys):
    """The gap is picked at run time: an indirect call."""
    out = np.zeros(len(ridges))
    for r in prange(len(ridges)):
        out[r] = slope_with(gaps, kind, ridges[r], valleys[0])
    return out


def land(records, walks):
    lines, stops = List(list(records)), List(list(walks))
    return trams(lines, stops), slopes(GAPS, 1, lines, stops)


# ---- elements of lists and dicts ---------------------------------------------------------------------------------------


@njit(parallel=True)
def melody_in_place(songs, motifs):
    """motifs: typed list of 1-D arrays. No call, no slice: the element itself is counted."""
    out = np.zeros((songs.shape[0], len(motifs)))
    for s in prange(songs.shape[0]):
        for m in range(len(motifs)):
            for b in range(songs.shape[1]):
                out[s, m] += songs[s, b] * motifs[m][b]  # want: view-per-cell
    return out


def melodies(songs, library):
    return melody_in_place(songs, List([np.asarray(entry) for entry in library]))


@njit(parallel=True)
def melody_named(songs, motifs):
    """The element is named, but still per cell."""
    out = np.zeros((songs.shape[0], len(motifs)))
    for s in prange(songs.shape[0]):
        for b in range(songs.shape[1]):
            for m in range(len(motifs)):
                motif = motifs[m]  # want: view-per-cell
                out[s, m] += songs[s, b] * motif[b]
    return out


@njit(parallel=True)
def melody_named_outside(songs, motifs):
    """Once per motif, in front of a loop over beats of a fixed, large number."""
    out = np.zeros((songs.shape[0], len(motifs)))
    for s in prange(songs.shape[0]):
        for m in range(len(motifs)):
            motif = motifs[m]
            total = 0.0
            for b in range(4096):
                total += songs[s, b] * motif[b]
            out[s, m] = total
    return out


def melodies_named(songs, library):
    motifs = List()
    for entry in library:
        motifs.append(np.asarray(entry))
    return melody_named(songs, motifs), melody_named_outside(songs, motifs)


Choir = namedtuple("Choir", ["voices", "gains"])


@njit(parallel=True)
def choir_mix(choir, beats):
    """The list sits in a namedtuple."""
    out = np.zeros(beats.shape[0])
    for n in prange(beats.shape[0]):
        for v in range(len(choir.voices)):
            out[n] += choir.gains[v] * choir.voices[v][beats[n]]  # want: view-per-cell
    return out


def mix(recordings, gains, beats):
    return choir_mix(Choir(List(list(recordings)), gains), beats)


Band = namedtuple("Band", ["voices", "gains"])


@njit(parallel=True)
def band_mix(band, beats):
    """Arrays in a namedtuple arrive without a live count, and are read in place."""
    out = np.zeros(beats.shape[0])
    for n in prange(beats.shape[0]):
        for v in range(band.voices.shape[0]):
            out[n] += band.gains[v] * band.voices[v][beats[n]]
    return out


@jitclass([("voices", types.ListType(types.float64[::1])), ("table", types.float64[:, ::1])])
class Organ:
    def __init__(self, voices, table):
        self.voices = voices
        self.table = table


@njit(parallel=True)
def organ_mix(organ, beats):
    out = np.zeros(beats.shape[0])
    for n in prange(beats.shape[0]):
        for v in range(len(organ.voices)):
            out[n] += organ.voices[v][beats[n]]  # want: view-per-cell
    return out


@njit(parallel=True)
def organ_check(organ, beats):
    """Rows of an instance's array, to a helper that raises: the array in the instance has a live count."""
    out = np.zeros(beats.shape[0])
    for n in prange(beats.shape[0]):
        for v in range(organ.table.shape[0]):
            out[n] += ratio_gap(organ.table[v], organ.table[0])  # want: view-per-cell
    return out


def organ_recital(recordings, table, beats):
    organ = Organ(List(list(recordings)), table)
    return organ_mix(organ, beats), organ_check(organ, beats)


@njit(parallel=True)
def lookups(tables, keys):
    """tables: typed Dict of arrays."""
    out = np.zeros(keys.shape[0])
    for n in prange(keys.shape[0]):
        for b in range(16):
            out[n] += tables[keys[n] & 3][b]  # want: view-per-cell
    return out


def looked_up(rows, keys):
    tables = Dict.empty(types.int64, types.float64[::1])
    for k in range(rows.shape[0]):
        tables[k] = rows[k]
    return lookups(tables, keys)


@njit(parallel=True)
def own_element(songs, beats):
    """songs[s] is reached by one thread only, but each access also counts the list itself, which all threads share:
    13.3 ns on one thread, 21.9 on two; fetched once per song 0.8 and 0.4."""
    out = np.zeros(len(songs))
    for s in prange(len(songs)):
        for b in range(beats):
            out[s] += songs[s][b]  # want: view-per-cell
    return out


@njit(parallel=True)
def own_element_named(songs, beats):
    """Once per song, in front of its beats."""
    out = np.zeros(len(songs))
    for s in prange(len(songs)):
        song = songs[s]
        for b in range(beats):
            out[s] += song[b]
    return out


def own_elements(recordings, beats):
    songs = List(list(recordings))
    return own_element(songs, beats), own_element_named(songs, beats)


@njit(parallel=True)
def reflected_in_place(songs, motifs):
    """motifs: a Python list of arrays, handed over as it is."""
    out = np.zeros((songs.shape[0], len(motifs)))
    for s in prange(songs.shape[0]):
        for m in range(len(motifs)):
            for b in range(songs.shape[1]):
                out[s, m] += songs[s, b] * motifs[m][b]
    return out


def melodies_reflected(songs, library):
    return reflected_in_place(songs, [np.asarray(entry) for entry in library])


@njit(parallel=True)
def reflected_to_raiser(songs, motifs):
    out = np.zeros(songs.shape[0])
    for s in prange(songs.shape[0]):
        for b in range(songs.shape[1]):
            for m in range(len(motifs)):
                out[s] += ratio_gap(songs[s], motifs[m])  # want: view-per-cell
    return out


def melodies_compared(songs, library):
    return reflected_to_raiser(songs, [np.asarray(entry) for entry in library])


# ---- lists made in other ways, and what only looks like a list ------------------------------------------------------------


@njit(parallel=True)
def chimes_module(songs, motifs):
    out = np.zeros(songs.shape[0])
    for s in prange(songs.shape[0]):
        for b in range(songs.shape[1]):
            for m in range(len(motifs)):
                out[s] += songs[s, b] * motifs[m][b]  # want: view-per-cell
    return out


@njit(parallel=True)
def chimes_typed_empty(songs, motifs):
    out = np.zeros(songs.shape[0])
    for s in prange(songs.shape[0]):
        for b in range(songs.shape[1]):
            for m in range(len(motifs)):
                out[s] += songs[s, b] * motifs[m][b]  # want: view-per-cell
    return out


@njit(parallel=True)
def chimes_from_helper(songs, motifs):
    out = np.zeros(songs.shape[0])
    for s in prange(songs.shape[0]):
        for b in range(songs.shape[1]):
            for m in range(len(motifs)):
                out[s] += songs[s, b] * motifs[m][b]  # want: view-per-cell
    return out


@njit(parallel=True)
def chimes_of_an_object(songs, motifs):
    out = np.zeros(songs.shape[0])
    for s in prange(songs.shape[0]):
        for b in range(songs.shape[1]):
            for m in range(len(motifs)):
                out[s] += songs[s, b] * motifs[m][b]  # want: view-per-cell
    return out


@njit(parallel=True)
def chimes_built_compiled(songs, motifs):
    out = np.zeros(songs.shape[0])
    for s in prange(songs.shape[0]):
        for b in range(songs.shape[1]):
            for m in range(len(motifs)):
                out[s] += songs[s, b] * motifs[m][b]  # want: view-per-cell
    return out


@njit
def chimes_compiled(songs, rows):
    motifs = List()
    for r in range(rows.shape[0]):
        motifs.append(rows[r])
    return chimes_built_compiled(songs, motifs)


@njit(parallel=True)
def chimes_iterated(songs, motifs):
    out = np.zeros(songs.shape[0])
    for s in prange(songs.shape[0]):
        for b in range(songs.shape[1]):
            for motif in motifs:  # want: view-per-cell
                out[s] += songs[s, b] * motif[b]
    return out


@njit
def chime(song, motifs, k):
    s = 0.0
    for b in range(song.shape[0]):
        s += song[b] * motifs[k][b]  # want: view-per-cell
    return s


@njit(parallel=True)
def chimes_in_a_callee(songs, motifs, k):
    out = np.zeros(songs.shape[0])
    for s in prange(songs.shape[0]):
        out[s] = chime(songs[s], motifs, k)
    return out


@njit(parallel=True)
def chimes_fixed_index(songs, motifs, k):
    """In the function that holds the parallel loop numba moves an element of a fixed index out of it, if it is read in
    place: nothing is left."""
    out = np.zeros(songs.shape[0])
    for s in prange(songs.shape[0]):
        for b in range(songs.shape[1]):
            out[s] += songs[s, b] * motifs[0][b] * motifs[k][b]
    return out


@njit(parallel=True)
def chimes_array(songs, motifs):
    """motifs: a 2-D array; the row is read in place."""
    out = np.zeros(songs.shape[0])
    for s in prange(songs.shape[0]):
        for b in range(songs.shape[1]):
            for m in range(motifs.shape[0]):
                out[s] += songs[s, b] * motifs[m][b]
    return out


@njit(parallel=True)
def chimes_tuple(songs, motifs):
    """motifs: a tuple of arrays."""
    out = np.zeros(songs.shape[0])
    for s in prange(songs.shape[0]):
        for b in range(songs.shape[1]):
            for m in range(len(motifs)):
                out[s] += songs[s, b] * motifs[m][b]
    return out


@njit(parallel=True)
def chimes_numbers(songs, gains):
    """gains: a typed list of numbers. They are no views, but each access counts the list: 14.7 ns on one thread, 29.4 on
    two, against 0.9 for an array."""
    out = np.zeros(songs.shape[0])
    for s in prange(songs.shape[0]):
        for b in range(songs.shape[1]):
            out[s] += songs[s, b] * gains[b]  # may: view-per-cell
    return out


def listed(rows):
    made = List()
    for row in rows:
        made.append(row)
    return made


class Tower:
    def __init__(self, rows):
        self.bells = List([row for row in rows])

    def ring(self, songs):
        return chimes_of_an_object(songs, self.bells)


def carillon(songs, rows):
    empty = numba.typed.List.empty_list(types.float64[::1])
    for row in rows:
        empty.append(row)
    chimes_typed_empty(songs, empty)
    chimes_module(songs, numba.typed.List(list(rows)))
    chimes_from_helper(songs, listed(rows))
    chimes_compiled(songs, rows)
    chimes_iterated(songs, empty)
    chimes_in_a_callee(songs, empty, 1)
    chimes_fixed_index(songs, empty, 1)
    chimes_array(songs, np.asarray(rows))
    chimes_tuple(songs, (rows[0], rows[1]))
    chimes_numbers(songs, List(list(rows[0])))
    return Tower(rows).ring(songs)


# ---- beside how much work: an element per cell, but the cell is long ----------------------------------------------------


@njit(parallel=True)
def heavy_cells(songs, motifs):
    out = np.zeros((songs.shape[0], len(motifs)))
    for s in prange(songs.shape[0]):
        for m in range(len(motifs)):
            motif = motifs[m]
            total = 0.0
            for b in range(2048):
                for c in range(64):
                    total += np.exp(-abs(songs[s, b] - motif[c]))
            out[s, m] = total
    return out


def weighty(songs, library):
    return heavy_cells(songs, List(list(library)))


# ---- silent: nothing is left ----------------------------------------------------------------------------------------------


@njit
def quiet_in_place(x, y):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            row = y[j]
            s += row[0] * x[i][1]
            for v in y[j]:
                s += v
            s += len(y[j])
    return s


@njit
def quiet_library(x, y, edges):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            s += np.sum(y[j])
        s += x[i].sum() + np.searchsorted(edges[0], x[i, 0])
    return s


@njit
def quiet_fixed_mean(x, y):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            s += x[i, 0] * np.mean(y[j, 0:4])  # miss: view-per-cell (one pair, on Zen 3 only)
    return s


@njit
def quiet_argmax(x, y):
    s = 0
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            s += np.argmax(y[j]) + i
    return s


@njit
def quiet_indices(x, y):
    s = 0.0
    for i in range(x.shape[1]):
        for j in range(y.shape[1]):
            s += hue_gap_at(x, i, y, j)
    return s


@njit
def quiet_pasted(x, y):
    s = 0.0
    for i in range(x.shape[1]):
        for j in range(y.shape[1]):
            s += hue_gap_pasted(x[:, i], y[:, j])
    return s


@njit
def dip(a, b):
    return abs(a - b)


@njit
def quiet_scalars(x, y):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            s += dip(x[i, 0], y[j, 0])
    return s


@njit
def three_apart(p, q):
    return abs(p[0] - q[0]) + abs(p[1] - q[1]) + abs(p[2] - q[2])


@njit
def quiet_straight(x, y):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            s += three_apart(x[i], y[j])
    return s


@njit
def quiet_named_outside(x, y, lags):
    s = 0.0
    for i in range(x.shape[0]):
        row = x[i]
        other = y[0]
        for lag in range(lags):
            s += hue_gap(row, other) * lag
    return s


@njit(parallel=True)
def quiet(lists, probes, edges, lags):
    """lists, probes: typed lists."""
    out = np.zeros((len(lists), 9))
    for n in prange(len(lists)):
        mine = lists[n]
        probe = probes[0]
        out[n, 0] = quiet_in_place(mine, probe)
        out[n, 1] = quiet_library(mine, probe, edges)
        out[n, 2] = quiet_fixed_mean(mine, probe)
        out[n, 3] = quiet_argmax(mine, probe)
        out[n, 4] = quiet_indices(mine, probe)
        out[n, 5] = quiet_pasted(mine, probe)
        out[n, 6] = quiet_scalars(mine, probe)
        out[n, 7] = quiet_straight(mine, probe)
        out[n, 8] = quiet_named_outside(mine, probe, lags)
    return out


def hush(records, walks, edges):
    return quiet(List(list(records)), List(list(walks)), edges, 10)


# Once per pair, in front of n x m cells.


@njit
def tide_pair(u, v):
    s = 0.0
    for i in range(u.shape[0]):
        for j in range(v.shape[0]):
            s = min(s + abs(u[i] - v[j]), 1e9)
    return s


@njit(parallel=True)
def tides(stations, others, gauge):
    out = np.empty((len(stations), len(others)))
    for a in prange(len(stations)):
        mine = stations[a][gauge]
        for b in range(len(others)):
            out[a, b] = tide_pair(mine, others[b][gauge])
    return out


def tide_table(records):
    return tides(List(list(records)), List(list(records)), 0)


# No parallel loop reaches these: called from serial code, or prange without parallel=True.


@njit
def serial_cells(x, y):
    s = 0.0
    for i in range(x.shape[1]):
        for j in range(y.shape[1]):
            s += hue_gap(x[:, i], y[:, j])
    return s


@njit
def serial_table(bank, probe):
    out = np.empty(len(bank))
    for n in prange(len(bank)):  # may: serial-prange
        out[n] = serial_cells(bank[n], probe)
    return out


@guvectorize([(float64[:, :], float64[:, :], float64[:])], "(n,k),(m,k)->()", target="parallel")
def ufunc_cells(x, y, out):
    out[0] = 0.0
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            out[0] += hue_gap(x[i], y[j])


# ---- threads that Python starts --------------------------------------------------------------------------------------------


@njit(nogil=True)
def threaded_list(songs, motifs, out):
    for s in range(songs.shape[0]):
        for b in range(songs.shape[1]):
            for m in range(len(motifs)):
                out[s] += songs[s, b] * motifs[m][b]  # want: view-per-cell


def play(songs, library):
    motifs = List(list(library))
    out = np.zeros((4, songs.shape[1]))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda part: threaded_list(songs[part], motifs, out[part]), range(4)))
    return out


# ---- kernels without the interpreter's lock, run by Python's own threads ---------------------------------------------------


@njit(nogil=True)
def aligned_part(bank, start, stop, query, out):
    y = query[0]
    for p in range(start, stop):
        x = bank[p]
        total = 0.0
        for i in range(x.shape[1]):
            for j in range(y.shape[1]):
                total += column_gap(x[:, i], y[:, j])  # want: view-per-cell
        out[p] = total


@njit(fastmath=True)
def column_gap(u, v):
    total = 0.0
    for c in range(u.shape[0]):
        total += (u[c] - v[c]) ** 2
    return total


@njit
def aligned_serially(x, y):
    """The same cells, but nobody runs them on several threads."""
    total = 0.0
    for i in range(x.shape[1]):
        for j in range(y.shape[1]):
            total += column_gap(x[:, i], y[:, j])
    return total


def align_on_threads(pool, series, probe):
    bank = List(series)
    query = List([probe])
    out = np.empty(len(series))
    for t in range(4):
        pool.submit(aligned_part, bank, t * len(series) // 4, (t + 1) * len(series) // 4, query, out)
    return out


@njit
def place_of_pair(pairs, first, second):
    """A list of tuples of numbers: nothing in it is counted."""
    for k in range(len(pairs)):
        a, b = pairs[k]
        if a == first and b == second:
            return k
    pairs.append((first, second))
    return len(pairs) - 1


@njit(parallel=True)
def distinct_pairs(edges, out):
    for f in prange(edges.shape[0]):
        pairs = List.empty_list(types.UniTuple(types.int64, 2))
        for e in range(edges.shape[1]):
            place_of_pair(pairs, edges[f, e, 0], edges[f, e, 1])
        out[f] = len(pairs)


# ---- handed on by a method ---------------------------------------------------------------------------------------------


@njit
def shares_of(counts, means, j):
    total = 0.0
    for g in range(counts.shape[0]):
        total = divided(total, counts[g], means[g, j])
    return total


@njit
def divided(total, count, mean):
    return total + mean / count


@njit(parallel=True)
def shares(counts, means, out):
    for j in prange(means.shape[1]):
        out[j] = shares_of(counts, means, j)


class Groups:
    def fill(self, counts, means, out):
        means = means[:, 0, :]
        self.fill_from(counts, means.reshape(4, -1), out)

    def fill_from(self, counts, means, out):
        """The first argument is for counts, not for self: numbers."""
        shares(np.ascontiguousarray(counts), means, out)


@njit
def apart(p, q):
    a, b, c = p[:]
    d, e, f = q[:]
    return math.sqrt((a - d) ** 2 + (b - e) ** 2 + (c - f) ** 2)


@njit(parallel=True)
def reach_of_points(points, out):
    """Slices of tuples of numbers are no views."""
    for i in prange(points.shape[0]):
        for j in range(points.shape[0]):
            out[i] += apart((points[i, 0], points[i, 1], points[i, 2]), (points[j, 0], points[j, 1], points[j, 2]))


@njit(fastmath=True)
def strait(x, y):
    total = 0.0
    for k in range(x.shape[0]):
        total += (x[k] - y[k]) ** 2
    return total


@njit(parallel=True)
def ferries_due(piers, due, period, now, out):
    """What a ferry waits for comes again; this is no buffer that is enlarged when it is full."""
    for i in prange(due.shape[0]):
        if due[i] <= now:
            for p in range(piers.shape[0]):
                out[i] += strait(piers[i], piers[p])  # want: view-per-cell
            due[i] += period[i]
