"""Creation functions other than ranges: eye, full, ones, zeros, their likes, tril, triu.

In:  nothing. Out: one Fixture per function.
Must hold: a JavaScript number that is whole is an integer, so full(3, 4) is int64.
"""

import numpy as np

from dtypes import ALL
from encode import Fixture
from inputs import core, sample

SHAPES = [[], [0], [0, 3], [1], [4], [2, 3], [2, 1, 3]]


def eye_fixture():
    fixture = Fixture("eye")
    for args in ([3], [1], [0], [3, None], [3, 4], [4, 2], [0, 3], [2, 0]):
        fixture.add(args, np.eye(args[0], args[1] if len(args) > 1 else None))
        for k in (-1, 1, 2, 5):
            fixture.add(args, np.eye(args[0], args[1] if len(args) > 1 else None, k), k=k)
    for dtype in ALL:
        fixture.add([2, 3], np.eye(2, 3, dtype=dtype), dtype=dtype)
    return fixture


def filled_fixture(name, value):
    """ones, zeros: float64 unless told."""
    fixture = Fixture(name)
    for shape in SHAPES:
        fixture.add([shape], np.full(shape, value, "float64"))
    fixture.add([3], np.full(3, value, "float64"))
    for dtype in ALL:
        fixture.add([[2, 2]], np.full((2, 2), value, dtype), dtype=dtype)
    return fixture


def filled_like_fixture(name, value):
    fixture = Fixture(name)
    for dtype in ALL:
        fixture.add([core(dtype)[:2]], np.full(2, value, dtype))
        fixture.add([sample("float64", (2, 3), fixture.rng)], np.full((2, 3), value, dtype), dtype=dtype)
    for shape in SHAPES:
        x = sample("int16", tuple(shape), fixture.rng)
        fixture.add([x], np.full(shape, value, "int16"))
    return fixture


FILLS = [(True, "bool"), (7, "int64"), (-3, "int64"), (2.5, "float64"), (float("nan"), "float64"),
         (float("-inf"), "float64"), (2 - 1.5j, "complex128"), (2**62 + 1, "int64")]


def fill_of(dtype):
    """A fill value for dtype: of its kind, so that no lossy conversion is asked."""
    return {"b": True, "i": -3, "u": 3, "f": 2.5, "c": 0.5 - 2j}[np.dtype(dtype).kind]


def full_fixture():
    fixture = Fixture("full")
    for value, dtype in FILLS:
        fixture.add([[2, 2], value], np.full((2, 2), value, dtype))
    for shape in SHAPES:
        fixture.add([shape, 0.5], np.full(shape, 0.5))
    fixture.add([3, 4], np.full(3, 4, "int64"))
    for dtype in ALL:
        value = fill_of(dtype)
        fixture.add([[3], value], np.full(3, value, dtype), dtype=dtype)
    fixture.add([[3], 2], np.full(3, 2, "float32"), dtype="float32")
    fixture.add([[3], 2**64 - 1], np.full(3, 2**64 - 1, "uint64"), dtype="uint64")
    return fixture


def full_like_fixture():
    fixture = Fixture("fullLike")
    for dtype in ALL:
        value = fill_of(dtype)
        fixture.add([sample(dtype, (2, 3), fixture.rng), value], np.full((2, 3), value, dtype))
        fixture.add([sample("int8", (2,), fixture.rng), value], np.full(2, value, dtype), dtype=dtype)
    for shape in SHAPES:
        fixture.add([sample("float64", tuple(shape), fixture.rng), 1], np.full(shape, 1, "float64"))
    return fixture


def triangle_fixture(name, function):
    fixture = Fixture(name)
    for shape in ((3, 3), (2, 4), (4, 2), (1, 1), (0, 3), (3, 0), (2, 3, 3)):
        x = sample("float64", shape, fixture.rng, signed=True)
        fixture.add([x], function(x))
        for k in (-2, -1, 1, 2, 5):
            fixture.add([x], function(x, k), k=k)
    for dtype in ALL:
        x = sample(dtype, (3, 3), fixture.rng)
        fixture.add([x], function(x))
    return fixture


def fixtures():
    yield eye_fixture()
    yield full_fixture()
    yield full_like_fixture()
    yield filled_fixture("ones", 1)
    yield filled_like_fixture("onesLike", 1)
    yield triangle_fixture("tril", np.tril)
    yield triangle_fixture("triu", np.triu)
    yield filled_fixture("zeros", 0)
    yield filled_like_fixture("zerosLike", 0)
