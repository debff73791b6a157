"""sort, argsort, partition, argpartition, topk, argtopk, ptp, searchsorted, isin.

In:  nothing. Out: one Fixture per function.
Must hold: sorts are stable, equal elements keep their order also when descending; NaN stands last, and is asked only
where the order is ascending (the standard leaves it open).
"""

import numpy as np

from dtypes import FLOATS, NUMERIC, REALS
from encode import Fixture
from inputs import INF, NAN, sample

SHAPES = [((7,), -1), ((1,), 0), ((0,), -1), ((0, 3), 0), ((3, 0), -1), ((3, 5), 0), ((3, 5), 1), ((2, 3, 4), 1),
          ((2, 3, 4), -3)]


def stable_argsort(x, axis=-1, descending=False):
    if not descending:
        return np.argsort(x, axis=axis, kind="stable").astype("int64")
    backwards = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return np.flip(x.shape[axis] - 1 - backwards, axis).astype("int64")


def stable_sort(x, axis=-1, descending=False):
    return np.take_along_axis(x, stable_argsort(x, axis, descending), axis)


def tied(dtype, shape, rng):
    """Values with many ties."""
    values = rng.integers(0, 5, shape)
    return np.array(values - (2 if np.dtype(dtype).kind != "u" else 0)).astype(dtype)


def sort_fixture(name, function):
    fixture = Fixture(name, "stable; NaN last when ascending (as NumPy), not asked when descending (unspecified)")
    rng = fixture.rng
    for dtype in REALS:
        x = tied(dtype, (12,), rng)
        if dtype not in FLOATS:
            info = np.iinfo(dtype)
            x = np.concatenate([x, np.array([info.max, info.min, 0], dtype)])
        fixture.add([x], function(x))
        for descending in (False, True):
            fixture.add([x], function(x, descending=descending), descending=descending, stable=True)
    for shape, axis in SHAPES:
        x = tied("float64", shape, rng)
        for descending in (False, True):
            fixture.add([x], function(x, axis, descending), axis=axis, descending=descending)
    for dtype in FLOATS:
        x = np.array([1.5, NAN, -INF, 0.5, NAN, INF, -2.5, 1.5], dtype)
        fixture.add([x], function(x), note="NaN last")
    return fixture


def first_of_order(x, k, axis, largest):
    """Places of the first k: NaN stands last either way, equal elements in their order."""
    key = x.astype(object) if x.dtype.kind in "iu" else x
    order = np.argsort(-key if largest else key, axis=axis, kind="stable")
    return np.take(order, np.arange(k), axis=axis).astype("int64")


def topk_fixture(name, places):
    fixture = Fixture(name, "the first k of a stable order; NaN last either way")

    def add(x, k):
        at = first_of_order(x, k, -1, True)
        fixture.add([x, k], at if places else x[at])

    for dtype in REALS:
        x = tied(dtype, (12,), fixture.rng)
        for k in (0, 5, 12) if dtype == "float64" else (1, 5):
            add(x, k)
            at = first_of_order(x, k, -1, False)
            fixture.add([x, k], at if places else x[at], largest=False)
    for shape, axis in SHAPES:
        x = tied("float64", shape, fixture.rng)
        k = min(2, x.shape[axis])
        at = first_of_order(x, k, axis, True)
        fixture.add([x, k], at if places else np.take_along_axis(x, at, axis), axis=axis)
    for dtype in FLOATS:
        x = np.array([1.5, NAN, -INF, 0.5, NAN, INF, -2.5, 1.5], dtype)
        add(x, 8)
    return fixture


def partition_fixture(name, places):
    """A sorted array is partitioned at every place; at the kth, NumPy's has the same element."""
    fixture = Fixture(name, "sorted, which is more than NumPy promises")

    def add(x, kth, **options):
        axis = options.get("axis", -1)
        expect = stable_sort(x, axis)
        split = np.partition(x, kth, axis=axis)
        np.testing.assert_array_equal(np.take(split, kth, axis), np.take(expect, kth, axis))
        fixture.add([x, kth], stable_argsort(x, axis) if places else expect, **options)

    for dtype in ("bool", *REALS):
        x = fixture.rng.random(12) < 0.5 if dtype == "bool" else tied(dtype, (12,), fixture.rng)
        for kth in (0, -3, [2, 7]):
            add(x, kth)
    for shape, axis in (((7,), -1), ((1,), 0), ((3, 5), 0), ((3, 5), 1), ((2, 3, 4), 1), ((2, 3, 4), -3)):
        add(tied("float64", shape, fixture.rng), shape[axis] // 2, axis=axis)
    for dtype in FLOATS:
        add(np.array([1.5, NAN, -INF, 0.5, NAN, INF, -2.5, 1.5], dtype), 5)
    return fixture


def ptp_fixture():
    fixture = Fixture("ptp", "the largest less the least")
    for dtype in REALS:
        x = tied(dtype, (3, 4), fixture.rng)
        fixture.add([x], np.asarray(np.ptp(x)))
        for axis in (0, 1):
            fixture.add([x], np.ptp(x, axis=axis), axis=axis)
            fixture.add([x], np.ptp(x, axis=axis, keepdims=True), axis=axis, keepdims=True)
    return fixture


def searchsorted_fixture():
    fixture = Fixture("searchsorted", "NaN sorts last, as in NumPy (the standard leaves it open)")
    rng = fixture.rng
    for dtype in REALS:
        x = np.sort(sample(dtype, (9,), rng, signed=True))
        v = sample(dtype, (6,), rng, signed=True)
        order = np.argsort(x[::-1], kind="stable").astype("int64")
        for side in ("left", "right"):
            fixture.add([x, v], np.searchsorted(x, v, side).astype("int64"), side=side)
            shuffled = x[::-1].copy()
            fixture.add([shuffled, v], np.searchsorted(shuffled, v, side, order).astype("int64"), side=side,
                        sorter=order)
        fixture.add([x, v], np.searchsorted(x, v).astype("int64"))
    x = np.array([-1.0, 0.5, 0.5, 2.0])
    for shape in ((), (0,), (1,), (2, 3), (0, 3)):
        v = sample("float64", shape, rng, signed=True)
        fixture.add([x, v], np.asarray(np.searchsorted(x, v)).astype("int64"))
        fixture.add([x[:0], v], np.asarray(np.searchsorted(x[:0], v)).astype("int64"))
    v = np.array([-INF, INF, -1.0, 0.5, 2.0, 3.0, NAN])
    for side in ("left", "right"):
        fixture.add([x, v], np.searchsorted(x, v, side).astype("int64"), side=side)
        ending = np.array([-INF, 1.0, INF, NAN, NAN])
        fixture.add([ending, v], np.searchsorted(ending, v, side).astype("int64"), side=side, note="NaN last")
    return fixture


def isin_fixture():
    fixture = Fixture("isin", "not in 2024.12 but in the next standard; NaN is in nothing")
    rng = fixture.rng
    for dtype in NUMERIC:
        x, v = tied(dtype, (3, 4), rng), tied(dtype, (3,), rng)
        for invert in (False, True):
            fixture.add([x, v], np.isin(x, v, invert=invert), invert=invert)
    x = sample("float64", (4,), rng)
    fixture.add([x, x[:0]], np.isin(x, x[:0]))
    fixture.add([x[:0], x], np.isin(x[:0], x))
    fixture.add([x, x[:2].reshape(2, 1)], np.isin(x, x[:2]))
    x = np.array([NAN, 0.0, -0.0, INF])
    fixture.add([x, x], np.array([False, True, True, True]), note="NaN is in nothing, +0 equals -0")
    return fixture


def fixtures():
    yield partition_fixture("argpartition", True)
    yield sort_fixture("argsort", stable_argsort)
    yield topk_fixture("argtopk", True)
    yield isin_fixture()
    yield partition_fixture("partition", False)
    yield ptp_fixture()
    yield searchsorted_fixture()
    yield sort_fixture("sort", stable_sort)
    yield topk_fixture("topk", False)
