# Truth: numba 0.56.4 compiles the intrinsics; the intrinsics emit a locked instruction (LLVM's atomicrmw, cmpxchg).
import numpy as np
from numba import njit, prange
from numba.core import types
from numba.extending import intrinsic, lower_builtin
from numba.np.arrayobj import make_array


def _pointer(context, builder, signature, args):
    data = make_array(signature.args[0])(context, builder, args[0]).data
    return builder.gep(data, [args[1]])


def _emit(context, builder, signature, args):
    return builder.atomic_rmw("add", _pointer(context, builder, signature, args), args[2], "monotonic")


@intrinsic
def add_at(typingctx, array, index, value):
    def codegen(context, builder, signature, args):
        return _emit(context, builder, signature, args)

    return types.int64(array, types.intp, types.int64), codegen


@intrinsic
def add_plain(typingctx, array, index, value):
    """Not atomic, whatever its caller hopes."""

    def codegen(context, builder, signature, args):
        pointer = _pointer(context, builder, signature, args)
        old = builder.load(pointer)
        builder.store(builder.add(old, args[2]), pointer)
        return old

    return types.int64(array, types.intp, types.int64), codegen


@njit(parallel=True)
def number_events(kinds, counter, numbers):
    for i in prange(kinds.shape[0]):
        numbers[i] = add_at(counter, 0, 1)  # want: shared-atomic


@njit
def draw(counter):
    return add_at(counter, 0, 1)  # want: shared-atomic


@njit(parallel=True)
def number_through_a_helper(kinds, counter, numbers):
    for i in prange(kinds.shape[0]):
        numbers[i] = draw(counter) + kinds[i]


# ---- silent


@njit(parallel=True)
def count_by_bin(bins, counts):
    for i in prange(bins.shape[0]):
        add_at(counts, bins[i], 1)


@njit(parallel=True)
def own_element(kinds, counts):
    for i in prange(kinds.shape[0]):
        add_at(counts, i, kinds[i])


@njit
def number_in_turn(kinds, counter, numbers):
    for i in range(kinds.shape[0]):
        numbers[i] = add_at(counter, 0, 1)


@njit(parallel=True)
def without_atomics(kinds, counter, numbers):
    for i in prange(kinds.shape[0]):
        numbers[i] = add_plain(counter, i, kinds[i])


@njit(parallel=True)
def progress(values, counter):
    for i in prange(values.shape[0]):
        values[i] = np.sqrt(values[i])
        if i % 4096 == 0:
            add_at(counter, 0, 4096)


# ---- an atomic by a decorator, which registers the lowering of a plain function


def atomic_lowering(operation):
    def decorator(function):
        @lower_builtin(function, types.Buffer, types.Any, types.Any)
        def lowering(context, builder, signature, args):
            return builder.atomic_rmw(operation, _pointer(context, builder, signature, args), args[2], "monotonic")

        return function

    return decorator


@atomic_lowering("add")
def add_registered(array, index, value):
    old = array[index]
    array[index] += value
    return old


@njit(parallel=True)
def number_by_decorator(kinds, counter, numbers):
    for i in prange(kinds.shape[0]):
        numbers[i] = add_registered(counter, 0, 1)  # want: shared-atomic


@njit(parallel=True)
def bins_by_decorator(bins, counts):
    for i in prange(bins.shape[0]):
        add_registered(counts, bins[i], 1)
