"""take, takeAlongAxis, get, set.

In:  nothing. Out: one Fixture per function; get's args are [x, [item, ...]], set's [x, [item, ...], value].
Must hold: indices are in range; set never writes one element twice (which value stays is not specified).
"""

import numpy as np

from dtypes import ALL
from encode import Fixture
from inputs import numbered, sample
from selections import SELECTIONS, S, ints, mask


def get_fixture():
    note = "as NumPy: an integer beside integer arrays counts as one, so x[0, :, [3, 0]] puts their axis first"
    fixture = Fixture("get", note)
    for shape, selection in SELECTIONS:
        x = numbered("float64", shape)
        fixture.add([x, selection], np.array(x[tuple(selection)]))
    for dtype in ALL:
        x = numbered(dtype, (3, 4))
        for selection in ([1], [S(None, None, -1), S(1, 3)], [ints(2, 0)], [mask((3,), 2)]):
            fixture.add([x, selection], np.array(x[tuple(selection)]))
    x = numbered("float64", (6,))
    fixture.add([x, [ints(1, 1, 1, 0)]], x[[1, 1, 1, 0]])
    return fixture


def assigned(x, selection, value):
    y = x.copy()
    y[tuple(selection)] = value
    return y


def set_fixture():
    note = "a scalar takes the dtype of x; values broadcast to the selection; no element is set twice"
    fixture = Fixture("set", note)
    for shape, selection in SELECTIONS:
        x = numbered("float64", shape)
        fixture.add([x, selection, -1.5], assigned(x, selection, -1.5))
        chosen = np.array(x[tuple(selection)]).shape
        value = -1 - numbered("float64", chosen)
        fixture.add([x, selection, value], assigned(x, selection, value))
    broadcasts = [((3, 4), [S(None)], (4,)), ((3, 4), [S(None)], (3, 1)), ((3, 4), [S(0, 2), S(1, 3)], ()),
                  ((3, 4), [ints(2, 0)], (4,)),
                  ((3, 4), [ints(2, 0)], (2, 1)), ((3, 4), [ints(0, 1), ints(1, 2)], (1,)), ((3, 4), [1], (1,)),
                  ((3, 4), [Ellipsis], (1, 1)),
                  ((3, 4), [mask((3, 4), 3)], (1,)), ((2, 3, 4), [0, S(None), ints(3, 0)], (2, 1)),
                  ((3, 4), [None, S(1, None)], (1, 1, 4))]
    for shape, selection, value_shape in broadcasts:
        x, value = numbered("float64", shape), -1 - numbered("float64", value_shape)
        fixture.add([x, selection, value], assigned(x, selection, value))
    for dtype in ALL:
        x = numbered(dtype, (3, 4))
        scalar = {"b": True, "i": -7, "u": 7, "f": 2.5, "c": 0.5 - 2j}[np.dtype(dtype).kind]
        value = sample(dtype, (2,), fixture.rng)
        for selection in ([1], [S(None), S(0, 2)], [mask((3, 4), 5)]):
            fixture.add([x, selection, scalar], assigned(x, selection, scalar))
        fixture.add([x, [S(None), S(0, 2)], value], assigned(x, [S(None), S(0, 2)], value))
    x = numbered("float32", (4,))
    fixture.add([x, [S(1, 3)], 2], assigned(x, [S(1, 3)], 2))
    return fixture


def take_fixture():
    fixture = Fixture("take")
    for shape, axis in (((6,), None), ((6,), 0), ((6,), -1), ((3, 4), 0), ((3, 4), 1), ((3, 4), -1), ((2, 3, 4), 1),
                        ((2, 3, 4), -3), ((3, 0), 0)):
        x = numbered("float64", shape)
        size = shape[0 if axis is None else axis]
        for indices in (ints(0, size - 1), ints(-1, -size, 0, 0), ints(), np.array([1], "int32"),
                        np.array([1, 0], "uint8")):
            options = {} if axis is None else {"axis": axis}
            fixture.add([x, indices], np.take(x, indices, axis=0 if axis is None else axis), **options)
    for dtype in ALL:
        x = numbered(dtype, (3, 2))
        fixture.add([x, ints(2, 0)], np.take(x, [2, 0], axis=0), axis=0)
    return fixture


def take_along_axis_fixture():
    fixture = Fixture("takeAlongAxis")
    for shape, indices_shape, axis in (((6,), (3,), -1), ((3, 4), (3, 2), -1), ((3, 4), (3, 2), 1),
                                       ((3, 4), (2, 4), 0), ((3, 4), (5, 4), -2),
                                       ((2, 3, 4), (2, 3, 4), 1), ((2, 3, 4), (2, 2, 4), -2), ((3, 4), (1, 2), -1),
                                       ((1, 4), (3, 2), -1), ((3, 4), (3, 0), 1)):
        x = numbered("float64", shape)
        indices = np.array(fixture.rng.integers(-shape[axis], shape[axis], indices_shape))
        expect = np.take_along_axis(x, indices, axis)
        fixture.add([x, indices], expect, axis=axis)
        if axis == -1:
            fixture.add([x, indices], expect)
    for dtype in ALL:
        x = numbered(dtype, (2, 3))
        indices = np.array([[2, 0], [-1, 1]])
        fixture.add([x, indices], np.take_along_axis(x, indices, -1))
    return fixture


def fixtures():
    yield get_fixture()
    yield set_fixture()
    yield take_fixture()
    yield take_along_axis_fixture()
