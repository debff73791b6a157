"""nonzero, uniqueAll, uniqueCounts, uniqueInverse, uniqueValues.

In:  nothing. Out: one Fixture per function; records are lists in the order of the standard's fields.
Must hold: values ascend, each NaN by itself and last; -0 and 0 are one value, and not both in one array here.
"""

import numpy as np

from dtypes import ALL, REALS
from encode import Fixture
from inputs import numbered

SHAPES = [(0,), (1,), (7,), (3, 4), (2, 3, 5), (4, 0)]
PARTS = {
    "uniqueAll": ("values", "indices", "inverse", "counts"),
    "uniqueCounts": ("values", "counts"),
    "uniqueInverse": ("values", "inverse"),
    "uniqueValues": ("values",),
}


def nonzero_fixture():
    fixture = Fixture("nonzero")
    for dtype in ALL:
        for shape in SHAPES:
            x = numbered(dtype, shape)
            x = np.where(fixture.rng.random(shape) < 0.5, x, np.zeros((), dtype)).astype(dtype)
            fixture.add([x], tuple(np.nonzero(x)))
    for x in (np.array([np.nan, 0.0, -0.0, np.inf]), np.zeros((3, 2)), np.ones((2, 2), "int8")):
        fixture.add([x], tuple(np.nonzero(x)))
    return fixture


def repeated(dtype, shape, rng):
    values = numbered(dtype, (5,))
    return values[rng.integers(0, 5, shape)]


def parts(x):
    values, indices, inverse, counts = np.unique(
        x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    return {"values": values, "indices": indices, "inverse": inverse.reshape(x.shape), "counts": counts}


def unique_fixture(name):
    note = "as the standard: each NaN is a value of its own, in the order in which they come"
    fixture = Fixture(name, note)
    inputs = [repeated(dtype, shape, fixture.rng) for dtype in REALS + ["bool"] for shape in SHAPES]
    inputs += [np.array([np.nan, 1, np.nan, -np.inf, 1, np.inf, np.nan], dtype) for dtype in ("float32", "float64")]
    inputs += [np.full((3, 2), np.nan), np.array(5.0)]
    for x in inputs:
        found = parts(np.atleast_1d(x))
        found["inverse"] = found["inverse"].reshape(x.shape)
        expect = tuple(found[part] for part in PARTS[name])
        fixture.add([x], expect[0] if name == "uniqueValues" else expect)
    return fixture


def fixtures():
    yield nonzero_fixture()
    for name in PARTS:
        yield unique_fixture(name)
