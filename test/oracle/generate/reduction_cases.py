"""Cases of the functions that reduce axes.

In:  the table of reductions.py. Out: one Fixture per function.
Must hold: sums and products of the samples are exact, so any order of evaluation gives the expected bits; cases that
round say so.
"""

import numpy as np

from dtypes import FLOATS, INTS
from encode import Fixture
from inputs import INF, NAN, factors, sample
from reductions import REDUCTIONS

AXES = [None, 0, 1, 2, -1, -3, [0, 2], [1, -1], [2, 0, 1]]
EMPTY = [((0,), None), ((0,), 0), ((0, 3), 0), ((0, 3), 1), ((0, 3), None), ((3, 0), 1), ((2, 0, 3), [0, 1])]
LOGICAL = ("any", "all", "countNonzero")


def options_of(axis, keepdims=False, **more):
    options = {} if axis is None else {"axis": axis}
    if keepdims:
        options["keepdims"] = True
    return {**options, **more}


def values(name, dtype, shape, rng):
    """Samples with zeros for logical functions, with ties for arg-functions, of few factors for products."""
    if name in LOGICAL:
        return np.array(rng.integers(0, 3, shape) // 2).astype(dtype)
    if name in ("argmin", "argmax") and dtype != "bool":
        return np.array(rng.integers(1, 5, shape)).astype(dtype)
    if name == "prod":
        return factors(dtype, shape, rng)
    return sample(dtype, shape, rng, signed=True)


def specials(name):
    """Rows of floats in which NaN, infinity and (where it matters) zeros meet."""
    rows = [[1.5, NAN, -2.5, 4], [INF, 1, 2.5, -3], [-INF, INF, 1, 2], [NAN, INF, NAN, 0.5], [-INF, -1, -2, -INF]]
    return rows + [[0.0, 0.0, 0.0, 0.0], [0.0, -0.0, 0.0, NAN]] if name in LOGICAL else rows


def add_dtypes(fixture, name, dtypes, function):
    for dtype in dtypes:
        x = values(name, dtype, (2, 3, 4), fixture.rng)
        for axis, keepdims in ((None, False), (1, False), (-1, True)):
            fixture.add([x], function(x, axis, keepdims), **options_of(axis, keepdims))


def add_axes(fixture, name, dtype, function):
    x = values(name, dtype, (2, 3, 4), fixture.rng)
    for axis in AXES:
        if isinstance(axis, list) and name.startswith("arg"):
            continue
        for keepdims in (False, True):
            fixture.add([x], function(x, axis, keepdims), **options_of(axis, keepdims))
    for shape, axis in (((), None), ((1,), 0), ((1, 1), -1), ((7,), None), ((7,), 0)):
        x = values(name, dtype, shape, fixture.rng)
        fixture.add([x], function(x, axis, False), **options_of(axis))


def add_empty(fixture, dtype, function, defined):
    for shape, axis in EMPTY:
        kept = axis is not None and 0 not in [shape[a] for a in np.atleast_1d(axis)]
        if defined or kept:  # the extreme of nothing is an error; an empty array of extremes is not
            x = np.zeros(shape, dtype)
            fixture.add([x], function(x, axis, False), **options_of(axis))
            fixture.add([x], function(x, axis, True), **options_of(axis, True))


def add_extras(fixture, name):
    rng = fixture.rng
    if name in ("sum", "prod"):
        function = REDUCTIONS[name][1]
        for dtype, to in (("int8", "int8"), ("int32", "float64"), ("float32", "float64"), ("float64", "float32"),
                          ("uint8", "int16"), ("float64", "complex128"), ("int16", "uint64")):
            x = np.abs(values(name, dtype, (3, 4), rng)) if to == "uint64" else values(name, dtype, (3, 4), rng)
            fixture.add([x], function(x, 0, False, to), axis=0, dtype=to)
        for dtype in INTS:
            x = np.full(3, np.iinfo(dtype).max, dtype)
            fixture.add([x], function(x, None, False), note="64-bit integers wrap around")
    if name in ("sum", "prod", "mean", "var", "std"):
        # NumPy's: bools are counted as integers, and averaged as float64.
        x = np.array(rng.integers(0, 2, (3, 4)) == 1)
        for axis in (None, 0):
            counted = x.astype("int64" if name in ("sum", "prod") else "float64")
            fixture.add([x], REDUCTIONS[name][1](counted, axis, False), **options_of(axis))
    if name in ("sum", "mean", "var", "std"):
        for dtype in FLOATS:
            x = (rng.uniform(0, 1, (4, 257)) + 100).astype(dtype)
            for axis in (None, 1):
                fixture.add([x], REDUCTIONS[name][1](x, axis, False), note="rounded sums", **options_of(axis))
    if name in ("var", "std"):
        for dtype in ("int16", "float32", "float64"):
            x = values(name, dtype, (3, 5), rng)
            for correction in (1, 1.5, 2, 3, 5, 20):
                for axis in (None, 0, -1):
                    expect = REDUCTIONS[name][1](x, axis, False, correction)
                    fixture.add([x], expect, **options_of(axis, correction=correction))


def fixture_of(name):
    dtypes, function, defined, note = REDUCTIONS[name]
    fixture = Fixture(name, note)
    add_dtypes(fixture, name, dtypes, function)
    for dtype in ("int32", "float64"):
        add_axes(fixture, name, dtype, function)
        add_empty(fixture, dtype, function, defined)
    for dtype in FLOATS:
        for x in specials(name):
            x = np.array(x, dtype)
            fixture.add([x], function(x, None, False), note="special values")
    add_extras(fixture, name)
    return fixture


def fixtures():
    for name in REDUCTIONS:
        yield fixture_of(name)
