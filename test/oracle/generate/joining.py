"""Broadcasting, joining and splitting arrays.

In:  nothing. Out: one Fixture per function.
Must hold: elements are only moved; joined arrays of several dtypes are promoted first.
"""

import numpy as np

from dtypes import ALL, meet
from encode import Fixture
from inputs import BROADCASTS, numbered, sample


def broadcast_to_fixture():
    fixture = Fixture("broadcastTo")
    cases = [((), []), ((), [2, 3]), ((3,), [3]), ((3,), [2, 3]), ((3, 1), [3, 4]), ((1,), [0]), ((1, 3), [0, 3]),
             ((2, 1, 2), [4, 2, 3, 2])]
    for shape, to in cases:
        x = numbered("float64", shape)
        fixture.add([x, to], np.broadcast_to(x, to))
    for dtype in ALL:
        x = numbered(dtype, (2, 1))
        fixture.add([x, [2, 3]], np.broadcast_to(x, (2, 3)))
    return fixture


def broadcast_arrays_fixture():
    fixture = Fixture("broadcastArrays", "each array keeps its own dtype")
    for left, right in BROADCASTS:
        pair = [numbered("float64", left), numbered("int32", right)]
        fixture.add(pair, tuple(np.broadcast_arrays(*pair)))
    three = [numbered("int8", (3, 1)), numbered("bool", (1, 2)), numbered("complex64", ())]
    fixture.add(three, tuple(np.broadcast_arrays(*three)))
    fixture.add(three[:1], tuple(np.broadcast_arrays(*three[:1])))
    return fixture


def joined(function, arrays, axis):
    dtype = arrays[0].dtype.name
    for array in arrays[1:]:
        dtype = meet(dtype, array.dtype.name)
    return function([array.astype(dtype) for array in arrays], axis=axis)


def concat_fixture():
    fixture = Fixture("concat")
    shapes = [((3,), (2,)), ((0,), (2,)), ((2, 3), (1, 3)), ((0, 3), (2, 3), (1, 3))]
    for group in shapes:
        arrays = tuple(numbered("float64", shape) + i * 100 for i, shape in enumerate(group))
        fixture.add([arrays], joined(np.concatenate, arrays, 0))
        for axis in (0, -len(group[0]), None):
            fixture.add([arrays], joined(np.concatenate, arrays, axis), axis=axis)
    arrays = (numbered("int32", (2, 3, 2)), numbered("int32", (2, 1, 2)), numbered("int32", (2, 0, 2)))
    for axis in (1, -2, None):
        fixture.add([arrays], joined(np.concatenate, arrays, axis), axis=axis)
    scalar = (numbered("float64", ()), numbered("float64", (2, 2)))
    fixture.add([scalar], joined(np.concatenate, scalar, None), axis=None)
    for a in ALL:
        for b in ALL:
            pair = (sample(a, (2,), fixture.rng), sample(b, (1,), fixture.rng))
            fixture.add([pair], joined(np.concatenate, pair, 0))
    return fixture


def stack_fixture():
    fixture = Fixture("stack")
    for shape in ((), (0,), (3,), (2, 3), (0, 3), (2, 3, 2)):
        arrays = tuple(numbered("float64", shape) + i * 100 for i in range(3))
        fixture.add([arrays], np.stack(arrays))
        for axis in range(-len(shape) - 1, len(shape) + 1):
            fixture.add([arrays], np.stack(arrays, axis=axis), axis=axis)
    for a, b in zip(ALL, ALL[1:] + ALL[:1]):
        pair = (sample(a, (2,), fixture.rng), sample(b, (2,), fixture.rng))
        fixture.add([pair], joined(np.stack, pair, 0))
    fixture.add([(numbered("int8", (2,)),)], np.stack([numbered("int8", (2,))]))
    return fixture


def unstack_fixture():
    fixture = Fixture("unstack")
    for shape in ((3,), (2, 3), (1, 2), (0, 3), (2, 3, 2)):
        for axis in range(-len(shape), len(shape)):
            x = numbered("float64", shape)
            fixture.add([x], tuple(np.array(y) for y in np.moveaxis(x, axis, 0)), axis=axis)
    for dtype in ALL:
        x = numbered(dtype, (2, 3))
        fixture.add([x], tuple(np.array(y) for y in x))
    return fixture


def fixtures():
    yield broadcast_arrays_fixture()
    yield broadcast_to_fixture()
    yield concat_fixture()
    yield stack_fixture()
    yield unstack_fixture()
