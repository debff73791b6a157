"""where, clip, astype, resultType, finfo, iinfo.

In:  nothing. Out: one Fixture per function.
Must hold: casts that semantics.md defines otherwise than NumPy (float to integer out of range, NaN to integer) and
those it forbids (complex to real) are not here; clip keeps the dtype of x.
"""

import struct

import numpy as np

from dtypes import ALL, COMPLEXES, FLOATS, INTS, REALS, fits, meet, weak_dtype
from encode import Fixture
from inputs import SHAPES, core, edges, sample


def castable(x, to):
    """The elements of x whose cast to `to` NumPy defines as semantics.md does."""
    if x.dtype.kind != "f" or np.dtype(to).kind not in "iu":
        return x
    whole, info = np.trunc(x), np.iinfo(to)
    # float(max) may round up to max + 1, which no longer fits
    return x[np.isfinite(x) & (whole >= float(info.min)) & (whole < float(int(info.max) + 1))]


def astype_fixture():
    note = "without complex to real (an error) and without NaN and out-of-range floats to integers (our own rule)"
    fixture = Fixture("astype", note)
    for source in ALL:
        for to in ALL:
            if source in COMPLEXES and to in REALS:
                continue
            x = castable(edges(source), to)
            fixture.add([x, to], x.astype(to))
    for shape in SHAPES:
        x = sample("float64", shape, fixture.rng, signed=True)
        fixture.add([x, "int16"], np.asarray(x.astype("int16")))
    return fixture


def result_type_fixture():
    note = "scalars are weak (NumPy 1.24: value-based); triples only where their order does not matter"
    fixture = Fixture("resultType", note)
    for a in ALL:
        fixture.add([a], a)
        for b in ALL:
            fixture.add([a, b], meet(a, b))
    for triple in (["bool", "int8", "uint8"], ["int8", "float32", "complex64"], ["uint32", "int16", "float64"]):
        fixture.add(triple, meet(meet(triple[0], triple[1]), triple[2]))
    for dtype in ALL:
        for scalar in (True, 3, 2.5, float("inf"), 1.5 + 2j):
            fixture.add([dtype, scalar], weak_dtype(dtype, scalar))
            fixture.add([scalar, dtype], weak_dtype(dtype, scalar))
    return fixture


def where_of(condition, a, b, dtype):
    return np.where(condition, np.asarray(a).astype(dtype), np.asarray(b).astype(dtype))


def where_fixture():
    fixture = Fixture("where", "scalars are weak (NumPy 1.24: value-based)")
    rng = fixture.rng
    for a_dtype in ALL:
        x = core(a_dtype)
        mask = np.arange(x.size) % 3 == 0
        fixture.add([mask, x, x[::-1]], np.where(mask, x, x[::-1]))
        for b_dtype in [d for d in ALL if d != a_dtype]:
            mask, a, b = rng.integers(0, 2, 4) == 1, sample(a_dtype, (4,), rng), sample(b_dtype, (4,), rng)
            fixture.add([mask, a, b], where_of(mask, a, b, meet(a_dtype, b_dtype)))
    triples = [((), (), ()), ((3, 1), (1, 4), ()), ((), (2, 3), (3,)), ((0, 3), (1, 3), (3,)),
               ((2, 1, 2), (3, 1), (2,))]
    for shapes in triples:
        mask = sample("bool", shapes[0], rng)
        a, b = sample("float64", shapes[1], rng), sample("float64", shapes[2], rng)
        fixture.add([mask, a, b], np.where(mask, a, b))
    for dtype in ALL:
        x, mask = sample(dtype, (3,), rng), np.array([True, False, True])
        for scalar in (True, 3, 2.5, float("nan"), 1.5 - 2j):
            to = weak_dtype(dtype, scalar)
            fixture.add([mask, x, scalar], where_of(mask, x, scalar, to))
            fixture.add([~mask, scalar, x], where_of(~mask, scalar, x, to))
    return fixture


def clip_of(x, low, high):
    """maximum(minimum(x, high), low), in the dtype of x."""
    value = x
    if high is not None:
        value = np.minimum(value, np.asarray(high).astype(x.dtype))
    if low is not None:
        value = np.maximum(value, np.asarray(low).astype(x.dtype))
    return np.asarray(value)


def clip_fixture():
    fixture = Fixture("clip", "bounds with min > max, and between +0 and -0, are left out (unspecified)")
    rng = fixture.rng
    for dtype in REALS:
        x = edges(dtype)
        for low, high in ((1, 5), (2, None), (None, 3), (None, None)):
            fixture.add([x, low, high], clip_of(x, low, high))
        if dtype in INTS and fits(-2, dtype):
            fixture.add([x, -2, 2], clip_of(x, -2, 2))
        if dtype in FLOATS:
            for low, high in ((-0.5, 2.5), (float("nan"), 2.5), (float("-inf"), float("inf")), (0.5, float("nan"))):
                fixture.add([x, low, high], clip_of(x, low, high))
        low, high = np.array([1, 2, 3, 4], dtype), np.array([[4], [6]], dtype)
        x = sample(dtype, (2, 4), rng)
        fixture.add([x, low, high], clip_of(x, low, high))
    for shape in SHAPES:
        x = sample("float64", shape, rng)
        fixture.add([x, 0.5, 2.5], clip_of(x, 0.5, 2.5))
    return fixture


def float_bits(value):
    """A number as the big-endian bytes of a float64, in hexadecimal."""
    return {"bits": struct.pack(">d", float(value)).hex()}


def finfo_fixture():
    fixture = Fixture("finfo", "numbers are the bits of a float64, big endian; complex types tell of their parts")
    for dtype in FLOATS + COMPLEXES:
        info = np.finfo(dtype)
        fixture.add([dtype], {
            "bits": int(info.bits), "eps": float_bits(info.eps), "max": float_bits(info.max),
            "min": float_bits(info.min),
            "smallest_normal": float_bits(info.smallest_normal), "dtype": info.dtype.name,
        })
    return fixture


def iinfo_fixture():
    fixture = Fixture("iinfo", "max and min are decimal strings")
    for dtype in INTS:
        info = np.iinfo(dtype)
        fixture.add([dtype], {"bits": int(info.bits), "max": str(info.max), "min": str(info.min), "dtype": dtype})
    return fixture


def fixtures():
    yield astype_fixture()
    yield clip_fixture()
    yield finfo_fixture()
    yield iinfo_fixture()
    yield result_type_fixture()
    yield where_fixture()
