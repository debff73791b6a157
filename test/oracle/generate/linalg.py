"""matmul, tensordot, vecdot, matrixTranspose.

In:  nothing. Out: one Fixture per function.
Must hold: products of the samples are exact in any order; integers keep their (promoted) dtype and wrap around; the
long random products are rounded from long double.
"""

import numpy as np

from dtypes import ALL, FLOATS, NUMERIC, meet
from encode import Fixture
from inputs import sample

MIXED = [("int8", "uint8"), ("int32", "float32"), ("float32", "float64"), ("uint64", "int64"),
         ("int16", "complex64"), ("float64", "complex64")]
LONG = {"f": np.longdouble, "c": np.clongdouble}
WRAP_NOTE = "integers keep their promoted dtype and wrap around"


def promoted(function, a, b, **options):
    """Computed in long double for floats, in the promoted dtype for integers."""
    dtype = meet(a.dtype.name, b.dtype.name)
    wide = LONG.get(np.dtype(dtype).kind, dtype)
    return np.asarray(function(a.astype(wide), b.astype(wide), **options)).astype(dtype)


def add_random_product(fixture, function, shapes):
    for dtype in FLOATS:
        a, b = (fixture.rng.uniform(0.5, 1, shape).astype(dtype) for shape in shapes)
        fixture.add([a, b], promoted(function, a, b), note="rounded sums")


def matmul_fixture():
    fixture = Fixture("matmul", WRAP_NOTE)
    rng = fixture.rng
    shapes = [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((1, 1), (1, 1)), ((2, 0), (0, 3)),
              ((0,), (0,)),
              ((0, 3), (3, 2)), ((2, 3), (3, 0)), ((4, 2, 3), (4, 3, 2)), ((4, 2, 3), (3, 2)), ((2, 3), (4, 3, 2)),
              ((4, 2, 3), (3,)), ((3,), (4, 3, 2)), ((2, 1, 2, 3), (4, 3, 2)), ((0, 2, 3), (3, 2)),
              ((1, 5), (5, 1)), ((5, 1), (1, 5))]
    for dtype in ("int32", "float64"):
        for left, right in shapes:
            a, b = sample(dtype, left, rng, signed=True), sample(dtype, right, rng, signed=True)
            fixture.add([a, b], promoted(np.matmul, a, b))
    for dtype in NUMERIC:
        for left, right in shapes[:4]:
            a, b = sample(dtype, left, rng, signed=True), sample(dtype, right, rng, signed=True)
            fixture.add([a, b], promoted(np.matmul, a, b))
    for left, right in MIXED:
        a, b = sample(left, (2, 3), rng), sample(right, (3, 2), rng)
        fixture.add([a, b], promoted(np.matmul, a, b))
    a = np.full((2, 3), 100, "int8")
    fixture.add([a, a.T], promoted(np.matmul, a, a.T), note="wraps around")
    add_random_product(fixture, np.matmul, ((5, 70), (70, 6)))
    return fixture


def matrix_transpose_fixture():
    fixture = Fixture("matrixTranspose")
    for shape in ((2, 3), (1, 1), (0, 3), (2, 3, 4), (2, 1, 3, 2)):
        x = sample("float64", shape, fixture.rng, signed=True)
        fixture.add([x], np.swapaxes(x, -1, -2))
    for dtype in ALL:
        x = sample(dtype, (2, 3), fixture.rng)
        fixture.add([x], x.T)
    return fixture


def tensordot_fixture():
    fixture = Fixture("tensordot", WRAP_NOTE)
    rng = fixture.rng
    cases = [((2, 3, 4), (3, 4, 2), None), ((2, 3), (3, 4), 1), ((2, 3), (4,), 0), ((), (3,), 0), ((3,), (3,), 1),
             ((2, 3, 4), (4, 3, 2), [[1, 2], [1, 0]]), ((2, 3), (2, 4), [[0], [0]]), ((2, 3), (4, 3), [[-1], [1]]),
             ((2, 3), (4, 5), [[], []]), ((2, 0), (0, 3), 1), ((0, 3), (3, 2), 1),
             ((2, 3, 4), (4, 2, 5), [[2, 0], [0, 1]])]
    for dtype in ("int32", "float64", "complex128"):
        for left, right, axes in cases:
            a, b = sample(dtype, left, rng, signed=True), sample(dtype, right, rng, signed=True)
            options = {} if axes is None else {"axes": axes}
            fixture.add([a, b], promoted(np.tensordot, a, b, **options), **options)
    for dtype in NUMERIC:
        a, b = sample(dtype, (2, 3), rng), sample(dtype, (3, 2), rng)
        fixture.add([a, b], promoted(np.tensordot, a, b, axes=1), axes=1)
    for left, right in MIXED:
        a, b = sample(left, (2, 3), rng), sample(right, (3, 2), rng)
        fixture.add([a, b], promoted(np.tensordot, a, b, axes=1), axes=1)
    return fixture


def vecdot(a, b, axis=-1):
    """The sum of conj(a)*b along one axis of both, the others broadcast."""
    products = np.conj(np.moveaxis(a, axis, -1)) * np.moveaxis(b, axis, -1)
    return products.sum(axis=-1, dtype=products.dtype)


def vecdot_fixture():
    fixture = Fixture("vecdot", "the first argument is conjugated; " + WRAP_NOTE)
    rng = fixture.rng
    cases = [((3,), (3,), None), ((2, 3), (2, 3), -1), ((2, 3), (2, 3), -2), ((2, 3), (3,), -1),
             ((4, 1, 3), (2, 3), -1),
             ((2, 3), (1, 3), None), ((0,), (0,), -1), ((0, 3), (3,), -1), ((2, 0), (2, 0), -1),
             ((2, 3, 2), (2, 3, 2), -2)]
    for dtype in ("int32", "float64", "complex128"):
        for left, right, axis in cases:
            a, b = sample(dtype, left, rng, signed=True), sample(dtype, right, rng, signed=True)
            options = {} if axis is None else {"axis": axis}
            fixture.add([a, b], promoted(vecdot, a, b, **options), **options)
    for dtype in NUMERIC:
        a, b = sample(dtype, (4,), rng, signed=True), sample(dtype, (4,), rng, signed=True)
        fixture.add([a, b], promoted(vecdot, a, b))
    for left, right in MIXED:
        a, b = sample(left, (4,), rng), sample(right, (4,), rng)
        fixture.add([a, b], promoted(vecdot, a, b))
    add_random_product(fixture, vecdot, ((3, 100), (3, 100)))
    return fixture


def fixtures():
    yield matmul_fixture()
    yield matrix_transpose_fixture()
    yield tensordot_fixture()
    yield vecdot_fixture()
