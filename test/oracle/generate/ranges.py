"""arange, linspace, meshgrid.

In:  nothing. Out: one Fixture per function.
Must hold: a JavaScript number that is whole is an integer, so arange(0, 5) is int64; ranges of floats are asked only
where start + i*step is exact or NumPy's way of filling gives the same numbers.
"""

import numpy as np

from dtypes import COMPLEXES, FLOATS, INTS, REALS
from encode import Fixture
from inputs import sample


def arange_of(args, dtype):
    """The numbers start + i*step, computed once more beside NumPy: both have to agree."""
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (args + [1])[:3]
    count = max(0, int(np.ceil((stop - start) / step)))
    value = np.arange(start, stop, step, dtype=dtype)
    plain = np.array([start + i * step for i in range(count)], dtype)
    assert value.dtype == plain.dtype and np.array_equal(value, plain), args
    return value


def arange_fixture():
    fixture = Fixture("arange")
    whole = [[0], [5], [-3], [2, 7], [7, 2], [2, 2], [-4, 4, 3], [10, 0, -3], [0, 10, -1], [1, 10, 100],
             [0, -7, -2]]
    for args in whole:
        fixture.add(args, arange_of(args, "int64"))
    for args in ([2.5], [0.5, 4], [0, 1, 0.25], [1, -1, -0.5], [0.5, 0.25], [0, 2, 0.1], [-1.5, 6.25, 1.75],
                 [3, 0, -0.75]):
        fixture.add(args, arange_of(args, "float64"))
    for dtype in REALS:
        fixture.add([6], arange_of([6], dtype), dtype=dtype)
        fixture.add([3, 20, 4], arange_of([3, 20, 4], dtype), dtype=dtype)
    for dtype in FLOATS:
        fixture.add([0, 1, 0.125], arange_of([0, 1, 0.125], dtype), dtype=dtype)
    big = 2**60
    fixture.add([big, big + 3], np.arange(big, big + 3, dtype="int64"))
    huge = np.array([2**63 + i for i in range(3)], "uint64")
    fixture.add([2**63, 2**63 + 3], huge, dtype="uint64")
    return fixture


def linspace_fixture():
    note = "start + i*step, the last value exactly stop; allow an ulp where the step is not exact"
    fixture = Fixture("linspace", note)
    ranges = [(0, 1, 5), (0, 10, 11), (2, -2, 9), (-1.5, 4.5, 4), (0, 1, 11), (3, 3, 4), (0, 1, 1), (0, 1, 0),
              (1, 2, 2)]
    for start, stop, count in ranges:
        for endpoint in (True, False):
            value = np.linspace(start, stop, count, endpoint=endpoint)
            fixture.add([start, stop, count], value, endpoint=endpoint)
    fixture.add([0, 8, 5], np.linspace(0, 8, 5))
    for start, stop in ((0.5 - 1j, 2.5 + 1j), (0, 4 + 2j)):
        fixture.add([start, stop, 5], np.linspace(start, stop, 5))
    for dtype in FLOATS + COMPLEXES:
        fixture.add([0, 3, 7], np.linspace(0, 3, 7, dtype=dtype), dtype=dtype)
    return fixture


def meshgrid_fixture():
    fixture = Fixture("meshgrid")
    for dtype in INTS[:3] + FLOATS + COMPLEXES:
        a, b, c = (sample(dtype, (n,), fixture.rng) for n in (3, 2, 4))
        for vectors in ([a], [a, b], [a, b, c], [a, b[:0]], [b[:1], c]):
            for indexing in ("xy", "ij"):
                fixture.add(vectors, tuple(np.meshgrid(*vectors, indexing=indexing)), indexing=indexing)
            fixture.add(vectors, tuple(np.meshgrid(*vectors)))
    return fixture


def fixtures():
    yield arange_fixture()
    yield linspace_fixture()
    yield meshgrid_fixture()
