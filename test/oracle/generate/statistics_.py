"""Averages, covariances, histograms and counts: NumPy's.

In:  small arrays, every option. Out: one fixture a function. Records are lists of their arrays, in order.
Must hold: counts are exact. The library widens small integers that weights add up in, and keeps counts of several coordinates
as integers: expected values are cast to what it gives.
"""

import numpy as np

from encode import Fixture

NAN = np.nan
NOTE = "not in the standard; as NumPy's"
MAYBE_WIDE = {"int32": "int64", "uint8": "uint64", "int64": "int64"}


def whole(array):
    return np.asarray(array).astype("int64")


def averages():
    fixture = Fixture("average", NOTE + "; rounded sums")
    rng = fixture.rng
    for dtype in ("float64", "float32", "int32", "complex128"):
        x = (rng.integers(-9, 10, (3, 4, 5)) + (1j if dtype == "complex128" else 0)).astype(dtype)
        for axis in (None, 0, 1, -1, [0, 2]):
            axes = tuple(axis) if isinstance(axis, list) else axis
            options = {} if axis is None else {"axis": axis}
            fixture.add([x], np.asarray(np.average(x, axis=axes)), note="rounded sums", **options)
            if isinstance(axis, list):
                continue
            for weights in ("float64", "float32", "int64"):
                w = rng.integers(1, 5, x.shape).astype(weights)
                expect, total = np.average(x, axis=axes, weights=w, returned=True)
                fixture.add([x], np.asarray(expect), note="rounded sums", weights=w, **options)
                both = (np.asarray(expect), np.asarray(total))
                fixture.add([x], both, note="rounded sums", weights=w, returned=True, **options)
                kept = np.average(x, axis=axes, weights=w, keepdims=True)
                fixture.add([x], np.asarray(kept), note="rounded sums", weights=w, keepdims=True, **options)
        for axis, n in ((0, 3), (1, 4), (2, 5)):
            w = rng.integers(1, 5, n).astype("float64")
            fixture.add([x], np.average(x, axis=axis, weights=w), note="rounded sums", axis=axis, weights=w)
    return fixture


def covariances():
    cov, corr = Fixture("cov", NOTE), Fixture("corrcoef", NOTE)
    rng = cov.rng
    for dtype in ("float64", "float32", "int32", "complex128"):
        base = rng.integers(-20, 21, 8)
        x = np.stack([base + rng.integers(0, 9, 8), 3 * base + rng.integers(0, 9, 8), rng.integers(0, 9, 8) - base])
        if dtype == "complex128":
            x = x + 1j * rng.integers(1, 5, x.shape)
        x = x.astype(dtype)
        y = (x[:2] * 2 + rng.integers(1, 4, 8)).astype(dtype)
        f, a = rng.integers(1, 4, 8), rng.integers(1, 9, 8) / 4
        for m in (x, x[0], x.T.copy()):
            for rowvar in (True, False):
                cov.add([m], np.asarray(np.cov(m, rowvar=rowvar)), rowvar=rowvar)
                with np.errstate(all="ignore"):
                    corr.add([m], np.asarray(np.corrcoef(m, rowvar=rowvar)), rowvar=rowvar)
        cov.add([x], np.cov(x, y), y=y)
        corr.add([x], np.corrcoef(x, y), y=y)
        for more in ({"bias": True}, {"correction": 0}, {"correction": 2}, {"bias": True, "correction": 1}):
            for weights in ({}, {"fweights": f}, {"aweights": a}, {"fweights": f, "aweights": a}):
                given = {{"correction": "ddof"}.get(k, k): v for k, v in more.items()}
                cov.add([x], np.cov(x, **given, **weights), **more, **weights)
        for weights in ({"fweights": f}, {"aweights": a}, {"fweights": f, "aweights": a}):
            cov.add([x], np.cov(x, **weights), **weights)
    return cov, corr


def samples(rng):
    """Elements at edges, outside, equal ones, none."""
    yield rng.normal(size=200)
    yield np.array([0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0, 1.0])
    yield rng.integers(0, 50, 300) / 10
    yield rng.normal(size=(6, 7, 3)).astype("float32")
    yield (rng.integers(0, 30, 100) / 10).astype("float32")
    yield rng.integers(-5, 6, 90)
    yield rng.integers(0, 255, 77).astype("uint8")
    yield np.full(5, 3.0)
    yield np.zeros(0)
    yield np.linspace(0, 1, 49)


def histograms():
    fixture, edges = Fixture("histogram", NOTE), Fixture("histogramBinEdges", NOTE)
    rng = fixture.rng
    for x in samples(rng):
        for bins, span in ((10, None), (1, None), (7, [0, 1]), (49, [0, 1]), (13, [-2, 3]), (3, [0.25, 0.75])):
            given = {"bins": bins, **({} if span is None else {"range": span})}
            counts, found = np.histogram(x, **given)
            fixture.add([x], (whole(counts), found), **given)
            edges.add([x, bins], np.histogram_bin_edges(x, **given), **({} if span is None else {"range": span}))
            for weights in ("float64", "int64", "int32"):
                w = rng.integers(1, 9, x.shape).astype(weights)
                counts, found = np.histogram(x, weights=w, **given)
                fixture.add([x], (counts.astype(MAYBE_WIDE.get(weights, weights)), found), weights=w, **given)
            counts, found = np.histogram(x, density=True, **given)
            if counts.sum() > 0:
                fixture.add([x], (counts, found), note="rounded sums", density=True, **given)
        for list_ in ([0.0, 0.5, 0.7, 2.0], [-1.0, 0.0, 0.0, 1.0, 1.0], [0.0, 3.0]):
            bins = np.array(list_)
            counts, found = np.histogram(x, bins=bins)
            fixture.add([x], (whole(counts), found), bins=bins)
    for dtype in ("bool", "int8", "int16", "int32", "uint16", "uint32", "uint64", "float16"):
        x = rng.random(40) < 0.3 if dtype == "bool" else rng.integers(0, 100, 40).astype(dtype)
        for given in ({"bins": 7}, {"bins": 10, "range": [3, 60]}, {"bins": np.array([0.0, 1.0, 20.5, 99.0])}):
            counts, found = np.histogram(x.astype("uint8") if dtype == "bool" else x, **given)
            fixture.add([x], (whole(counts), found), **given)
            counts, found = np.histogram(x.astype("uint8") if dtype == "bool" else x, density=True, **given)
            fixture.add([x], (counts, found), note="rounded sums", density=True, **given)
    for weights in ("float32", "complex64", "complex128", "uint8", "bool"):
        x, w = rng.normal(size=40), rng.integers(0, 2, 40).astype(weights)
        counts, found = np.histogram(x, bins=5, weights=w.astype("uint8") if weights == "bool" else w)
        wide = {"uint8": "uint64", "bool": "int64"}.get(weights, weights)
        fixture.add([x], (counts.astype(wide), found), weights=w, bins=5)
    holes = np.array([1.0, NAN, 2.0, np.inf, 0.5, -np.inf])
    for bins in (np.array([0.0, 1.0, 2.0]), 4):
        counts, found = np.histogram(holes, bins=bins, range=[0, 2])
        fixture.add([holes], (whole(counts), found), bins=bins, range=[0, 2])
    w = np.array([1 + 2j, 0.5, 2, 1j])
    counts, found = np.histogram([1.0, 2.0, 2.5, 3.0], bins=3, weights=w)
    fixture.add([np.array([1.0, 2.0, 2.5, 3.0])], (counts, found), bins=3, weights=w)
    return fixture, edges


def grids():
    two, many = Fixture("histogram2d", NOTE), Fixture("histogramdd", NOTE)
    rng = two.rng
    for dtype in ("float64", "float32"):
        x, y, z = (rng.integers(0, 40, 120) / 10).astype(dtype), rng.normal(size=120).astype(dtype), rng.normal(size=120).astype(dtype)
        w = rng.integers(1, 5, 120).astype("float64")
        own = [np.array([0.0, 1.0, 2.0, 4.0]), 5]
        for options in ({}, {"bins": 4}, {"bins": [3, 5]}, {"bins": own}, {"range": [[0, 2], [-1, 1]]}, {"bins": 6, "range": [[0, 4], None]} ):
            if "range" in options and None in options["range"]:
                continue
            for weights in ({}, {"weights": w}):
                counts, a, b = np.histogram2d(x, y, **options, **weights)
                counts = counts if weights else whole(counts)
                # NumPy's edges are float64 here, computed from the elements as they are.
                two.add([x, y], (counts, a.astype(float), b.astype(float)), **options, **weights)
            counts, a, b = np.histogram2d(x, y, density=True, **options)
            two.add([x, y], (counts, a, b), note="rounded sums", density=True, **options)
        counts, found = np.histogramdd([x, y, z], bins=[2, 3, 4])
        many.add([(x, y, z)], (whole(counts), *found), bins=[2, 3, 4])
        bins = [np.array([0.0, 1.0, 4.0]), 3, 2]
        counts, found = np.histogramdd([x, y, z], bins=bins, density=True)
        many.add([(x, y, z)], (counts, *found), note="rounded sums", bins=bins, density=True)
        points = np.stack([x, y, z], axis=1)
        counts, found = np.histogramdd(points, bins=3, weights=w)
        many.add([points], (counts, *found), bins=3, weights=w)
    for dtype, other in (("int8", "uint8"), ("int16", "uint16"), ("int32", "uint32"), ("int64", "uint64"), ("int32", "float64")):
        x, y = rng.integers(-9, 10, 60).astype(dtype), rng.integers(0, 30, 60).astype(other)
        for options in ({"bins": 4}, {"bins": [np.array([-5.0, 0.0, 5.0]), 3]}, {"bins": 3, "range": [[-4, 4], [1, 20]]}):
            counts, a, b = np.histogram2d(x, y, **options)
            two.add([x, y], (whole(counts), a, b), **options)
    return two, many


def counts():
    count, digits = Fixture("bincount", NOTE), Fixture("digitize", NOTE)
    rng = count.rng
    for dtype in ("int64", "int32", "uint8"):
        for n in (0, 1, 57):
            x = rng.integers(0, 9, n).astype(dtype)
            for least in (0, 12):
                expect = np.bincount(x, minlength=least)
                count.add([x], whole(expect), length=len(np.bincount(x)), minLength=least)
                for weights in ("float64", "int32"):
                    w = rng.integers(1, 9, n).astype(weights)
                    expect = np.bincount(x, weights=w, minlength=least).astype("float64")
                    count.add([x], expect, length=len(np.bincount(x)), minLength=least, weights=w)
    rising = np.array([-1.0, 0.0, 0.5, 0.5, 2.0])
    for x in (rng.normal(size=40), np.array([-1.0, 0.0, 0.5, 2.0, 3.0, -9.0, NAN]), rng.integers(-3, 4, (4, 5)), rng.integers(0, 9, 30).astype("float32") / 2):
        for bins in (rising, rising[::-1].copy(), np.array([1, 2, 2, 5]), np.array([7, 3, 0]), np.array([1.5])):
            for right in (False, True):
                digits.add([x, bins], np.digitize(x, bins, right=right).astype("int64"), right=right)
    return count, digits


def fixtures():
    yield averages()
    yield from covariances()
    yield from histograms()
    yield from grids()
    yield from counts()
