"""cumulativeSum, cumulativeProd, diff.

In:  nothing. Out: one Fixture per function.
Must hold: sums and products of the samples are exact; small integers accumulate in 64 bits.
"""

import numpy as np

from dtypes import FLOATS, INTS, NUMERIC, sum_dtype
from encode import Fixture
from inputs import INF, NAN, factors, sample


def accumulate(function, identity):
    """axis is needed beyond one dimension."""

    def scan(x, axis=0, dtype=None, includeInitial=False):
        x = x.astype(dtype or sum_dtype(x.dtype.name))
        value = function.accumulate(x, axis=axis, dtype=x.dtype)
        if includeInitial:
            shape = list(x.shape)
            shape[axis] = 1
            value = np.concatenate([np.full(shape, identity, x.dtype), value], axis=axis)
        return value

    return scan


def scan_values(name, dtype, shape, rng):
    return factors(dtype, shape, rng) if name == "cumulativeProd" else sample(dtype, shape, rng, signed=True)


def scan_fixture(name, scan):
    fixture = Fixture(name, "small integers accumulate in 64 bits; floats keep their type")
    rng = fixture.rng
    for dtype in NUMERIC:
        x = scan_values(name, dtype, (6,), rng)
        fixture.add([x], scan(x))
        fixture.add([x], scan(x, includeInitial=True), includeInitial=True)
        x = scan_values(name, dtype, (3, 4), rng)
        for axis in (0, 1, -1, -2):
            fixture.add([x], scan(x, axis), axis=axis)
    for shape, axis in (((0,), 0), ((0, 3), 0), ((0, 3), 1), ((1,), 0), ((1, 1), 1), ((2, 3, 4), 1),
                        ((2, 3, 4), -3)):
        x = scan_values(name, "float64", shape, rng)
        fixture.add([x], scan(x, axis), axis=axis)
        fixture.add([x], scan(x, axis, includeInitial=True), axis=axis, includeInitial=True)
    for dtype, to in (("int8", "int8"), ("int32", "float64"), ("float32", "float64"), ("float64", "complex128"),
                      ("uint8", "uint16")):
        x = scan_values(name, dtype, (3, 4), rng)
        fixture.add([x], scan(x, 1, to), axis=1, dtype=to)
        fixture.add([x], scan(x, 0, to, True), axis=0, dtype=to, includeInitial=True)
    for dtype in INTS:
        x = np.full(4, np.iinfo(dtype).max, dtype)
        fixture.add([x], scan(x), note="64-bit integers wrap around")
    for dtype in FLOATS:
        x = np.array([1.5, INF, 2, -INF, 1, NAN, 3], dtype)
        fixture.add([x], scan(x), note="special values")
    return fixture


def diff_of(x, axis, n, prepend, append):
    pieces = [piece for piece in (prepend, x, append) if piece is not None]
    return np.diff(np.concatenate(pieces, axis=axis), n=n, axis=axis)


def diff_fixture():
    fixture = Fixture("diff")
    rng = fixture.rng
    for dtype in NUMERIC:
        x = sample(dtype, (6,), rng, signed=True)
        fixture.add([x], np.diff(x))
        fixture.add([x], np.diff(x, n=2), n=2)
    for shape in ((6,), (3, 4), (2, 3, 4), (1,), (0, 3), (3, 0)):
        x = sample("float64", shape, rng, signed=True)
        for axis in range(-len(shape), len(shape)):
            for n in (0, 1, 2):
                if n <= shape[axis]:
                    fixture.add([x], np.diff(x, n=n, axis=axis), axis=axis, n=n)
    for dtype in ("int32", "float32", "complex128"):
        x = sample(dtype, (3, 4), rng, signed=True)
        column, row = sample(dtype, (3, 2), rng), sample(dtype, (1, 4), rng)
        fixture.add([x], diff_of(x, -1, 1, column, None), prepend=column)
        fixture.add([x], diff_of(x, -1, 1, None, column), append=column)
        fixture.add([x], diff_of(x, 1, 2, column, column), axis=1, n=2, prepend=column, append=column)
        fixture.add([x], diff_of(x, 0, 1, row, row), axis=0, prepend=row, append=row)
    x = np.array([INF, 1, NAN, 2, -INF, -INF])
    fixture.add([x], np.diff(x), note="special values")
    return fixture


def fixtures():
    yield scan_fixture("cumulativeSum", accumulate(np.add, 0))
    yield scan_fixture("cumulativeProd", accumulate(np.multiply, 1))
    yield diff_fixture()
