"""Manipulation functions of one array, and pad.

In:  nothing. Out: one Fixture per function.
Must hold: elements are only moved, the dtype stays.
"""

import numpy as np

from dtypes import ALL
from encode import Fixture
from inputs import numbered


def add_all_dtypes(fixture, shape, args, function):
    """One plain call for every dtype."""
    for dtype in ALL:
        x = numbered(dtype, shape)
        fixture.add([x, *args], function(x, *args))


def as_tuple(axes):
    return tuple(axes) if isinstance(axes, list) else axes


def axis_fixture(name, function, cases):
    """Functions of the form f(x, ...positional)."""
    fixture = Fixture(name)
    for shape, *args in cases:
        x = numbered("float64", shape)
        fixture.add([x, *args], function(x, *[as_tuple(arg) for arg in args]))
    shape, *args = cases[0]
    for dtype in ALL:
        x = numbered(dtype, shape)
        fixture.add([x, *args], function(x, *[as_tuple(arg) for arg in args]))
    return fixture


POSITIONAL = {
    "moveaxis": (np.moveaxis, [
        ((2, 3, 4), 0, 2), ((2, 3, 4), -1, 0), ((2, 3, 4), 1, 1), ((2, 3, 4), [0, 1], [-1, -2]),
        ((2, 3, 4), [2, 0], [0, 1]), ((2, 0), 0, 1), ((3,), 0, 0), ((2, 3, 2, 2), [3, 1], [0, 2]),
    ]),
    "permuteDims": (np.transpose, [
        ((2, 3, 4), [2, 0, 1]), ((2, 3), [1, 0]), ((2, 3), [0, 1]), ((3,), [0]), ((), []), ((0, 3), [1, 0]),
        ((2, 3, 4), [1, 2, 0]), ((2, 1, 3, 2), [3, 1, 0, 2]),
    ]),
    "reshape": (np.reshape, [
        ((2, 6), [3, 4]), ((2, 6), [-1]), ((2, 6), [2, -1, 2]), ((2, 6), [12]), ((), [1]), ((), []), ((1,), []),
        ((1, 1), [1]), ((0, 3), [0]), ((0, 3), [3, 0]), ((0, 3), [2, 0, 5]), ((4,), [2, 2]), ((2, 3, 4), [4, 6]),
        ((2, 3, 4), [6, -1]),
    ]),
    "squeeze": (np.squeeze, [
        ((1, 3), 0), ((3, 1), -1), ((1, 3, 1), [0, 2]), ((1, 3, 1), 2), ((1, 1), [0, -1]), ((1,), 0), ((1, 0), 0),
    ]),
    "tile": (np.tile, [
        ((2, 3), [2, 1]), ((2, 3), [2]), ((2, 3), [2, 1, 2]), ((3,), [2]), ((3,), [0]), ((), [3]), ((), [2, 2]),
        ((2, 3), []), ((0, 3), [2, 2]), ((3,), [2, 2]), ((2, 1, 2), [1, 3]),
    ]),
}


def expand_dims_fixture():
    fixture = Fixture("expandDims")
    cases = [((2, 3), 1), ((2, 3), 0), ((2, 3), 2), ((2, 3), -1), ((2, 3), -3), ((), 0), ((), -1), ((0,), 1),
             ((2, 3), [0, 2]), ((2, 3), [-1, 0]), ((), [0, 1])]
    for shape, axis in cases:
        x = numbered("float64", shape)
        fixture.add([x], np.expand_dims(x, as_tuple(axis)), axis=axis)
    return fixture


def flip_fixture():
    fixture = Fixture("flip")
    for shape, axes in (((4,), [None, 0, -1]), ((2, 3), [None, 0, 1, -1, [0, 1]]),
                        ((2, 3, 4), [None, 1, [0, -1], [0, 1, 2]]),
                        ((), [None]), ((0, 3), [None, 0, 1]), ((1, 1), [None])):
        x = numbered("float64", shape)
        for axis in axes:
            fixture.add([x], np.flip(x, as_tuple(axis)), **({} if axis is None else {"axis": axis}))
    add_all_dtypes(fixture, (5,), [], np.flip)
    return fixture


def roll_fixture():
    fixture = Fixture("roll")
    cases = [((5,), 2, None), ((5,), -1, 0), ((5,), 7, None), ((5,), 0, None), ((2, 3), 1, None),
             ((2, 3), -2, None), ((2, 3), 1, 1), ((2, 3), -4, -1), ((2, 3), [1, 2], [0, 1]), ((2, 3), 1, [0, 1]),
             ((2, 3, 4), [-1, 5], [2, 0]), ((2, 3, 4), 13, None),
             ((0, 3), 1, 0), ((0, 3), 1, 1), ((), 1, None), ((1,), 3, 0), ((2, 3), [1, 1], [1, 1])]
    for shape, shift, axis in cases:
        x = numbered("float64", shape)
        expect = np.roll(x, as_tuple(shift), as_tuple(axis))
        fixture.add([x, shift], expect, **({} if axis is None else {"axis": axis}))
    add_all_dtypes(fixture, (5,), [2], np.roll)
    return fixture


def repeat_fixture():
    fixture = Fixture("repeat")
    cases = [((3,), 2, None), ((3,), 0, None), ((3,), 2, 0), ((2, 3), 2, None), ((2, 3), 3, 0), ((2, 3), 2, -1),
             ((), 3, None), ((0, 3), 2, 0), ((0, 3), 2, 1), ((2, 3), 1, 1), ((3,), [1, 0, 2], None), ((3,), [2], 0),
             ((2, 3), [1, 2], 0), ((2, 3), [0, 3, 1], 1), ((2, 3), [1, 2, 0, 3, 1, 0], None),
             ((2, 3, 2), [2, 0, 1], -2),
             ((3,), [0, 0, 0], 0)]
    for shape, repeats, axis in cases:
        x = numbered("float64", shape)
        count = np.array(repeats, "int64") if isinstance(repeats, list) else repeats
        fixture.add([x, count], np.repeat(x, count, axis), **({} if axis is None else {"axis": axis}))
    add_all_dtypes(fixture, (3,), [2], np.repeat)
    return fixture


def pad_fixture():
    fixture = Fixture("pad", "not in the standard; as NumPy's pad")
    cases = [((4,), [[1, 2]]), ((4,), [[0, 3]]), ((3, 4), [[1, 0], [2, 1]]), ((3, 4), [[0, 0], [3, 2]]),
             ((2, 3, 4), [[0, 1], [1, 1], [2, 0]]), ((4,), [[0, 0]])]
    for shape, widths in cases:
        x = numbered("float64", shape) + 1
        fixture.add([x, widths], np.pad(x, widths, "constant"), mode="constant")
        fixture.add([x, widths], np.pad(x, widths, "constant", constant_values=-2.5), mode="constant",
                    constantValues=-2.5)
        for mode in ("edge", "reflect", "wrap"):
            fixture.add([x, widths], np.pad(x, widths, mode), mode=mode)
    empty = np.zeros((0, 2))
    fixture.add([empty, [[1, 1], [0, 1]]], np.pad(empty, [[1, 1], [0, 1]]), mode="constant")
    for dtype in ALL:
        x = numbered(dtype, (3,))
        for mode in ("constant", "edge", "reflect", "wrap"):
            fixture.add([x, [[2, 1]]], np.pad(x, [[2, 1]], mode), mode=mode)
    return fixture


def fixtures():
    yield expand_dims_fixture()
    yield flip_fixture()
    yield pad_fixture()
    yield repeat_fixture()
    yield roll_fixture()
    for name, (function, cases) in POSITIONAL.items():
        yield axis_fixture(name, function, cases)
