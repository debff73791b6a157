"""quantile, percentile, median and the same without NaN.

In:  nothing. Out: one Fixture per function.
Must hold: what differs from NumPy 1.24 is what NumPy 2 gives: closest_observation takes the even order statistic, and a single
quantile leaves float32 what it is. Integers lie so close that no difference of two of them wraps round. Infinities are
computed without inf - inf: equal neighbours, and a place that is a whole number, give the element itself.
"""

import numpy as np

from dtypes import FLOATS
from encode import Fixture
from inputs import INF, NAN

METHODS = ["inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull",
           "linear", "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
QS = [0.0, 0.1, 0.25, 0.5, 0.625, 0.9, 1.0]


def even_order(n, q):
    """closest_observation as NumPy 2 has it."""
    index = n * q - 1 - 0.5
    whole = np.floor(index)
    exact = index == whole and whole % 2 == 1
    return int(max(0, whole if exact else whole + 1))


def weak(q):
    """Whole numbers are integers in JavaScript."""
    return int(q) if q == int(q) else float(q)


def one(x, q, axis, method, function):
    if method == "closest_observation" and function in (np.quantile, np.percentile):
        part = q / 100 if function is np.percentile else q
        n = x.size if axis is None else x.shape[axis]
        chosen = np.take(np.sort(x, axis=axis), even_order(n, part), axis=axis)
        return np.where(np.isnan(x).any(axis=axis), NAN, chosen).astype(x.dtype) if x.dtype.kind == "f" else chosen
    return np.asarray(function(x, q, axis=axis, method=method))


def quantile_fixture(name, function, scale, skips):
    fixture = Fixture(name, "as NumPy 2; float64 and integers to the bit")
    rng = fixture.rng
    values = rng.permutation(np.concatenate([rng.normal(size=9), [0.5, 0.5]]))
    methods = [m for m in METHODS if not (skips and m == "closest_observation")]
    for method in methods:
        for q in (0.1, 0.5, 0.625):
            for x in (values, values[:8]):
                if skips:
                    x = np.concatenate([x, [NAN, NAN]])
                fixture.add([x, weak(q * scale)], one(x, q * scale, None, method, function), method=method)
        x = rng.integers(0, 50, 12)
        for dtype in INTEGERS if method == "linear" else ["int64", "uint8"]:
            fixture.add([x.astype(dtype), weak(0.3 * scale)], one(x.astype(dtype), 0.3 * scale, None, method, function),
                        method=method)
    add_dtypes(fixture, methods if scale == 1 else ["linear", "lower"], function, scale, skips)
    cube = rng.normal(size=(3, 4, 5))
    if skips:
        cube[rng.random(cube.shape) < 0.3] = NAN
    qs = np.array(QS) * scale
    for axis in (0, 1, -1, None):
        expect = np.asarray(function(cube, qs, axis=axis))
        fixture.add([cube, [weak(q) for q in qs]], expect, axis=axis)
    for axis in ((0, 1), (0, 2), (2, 1)):
        fixture.add([cube, weak(qs[2])], np.asarray(function(cube, qs[2], axis=axis)), axis=list(axis))
        fixture.add([cube, weak(qs[3])], np.asarray(function(cube, qs[3], axis=axis, keepdims=True)), axis=list(axis),
                    keepdims=True)
    x = np.array([1.5, NAN, 0.5, 2.5])
    fixture.add([x, weak(0.5 * scale)], np.asarray(function(x, 0.5 * scale)), note="NaN")
    if not skips:
        x = np.array([INF, 1.0, -INF, 2.0, INF])
        for q, e in ((0.0, -INF), (0.25, 1.0), (0.5, 2.0), (0.75, INF), (1.0, INF), (0.9, INF), (0.1, NAN)):
            fixture.add([x, weak(q * scale)], np.array(e), note="infinities")
    return fixture


DISCRETE = {"inverted_cdf", "closest_observation", "lower", "higher", "nearest"}


def of_dtype(x, qs, method, function, dtype):
    """Computed in float64, where no difference wraps round, and rounded once."""
    expect = np.stack([one(x.astype("float64"), q, None, method, function) for q in qs])
    isFloat = x.dtype.kind == "f"
    return expect.astype(dtype if isFloat or method in DISCRETE else "float64")


def add_dtypes(fixture, methods, function, scale, skips):
    """Every method with halves or singles and with integers of another width each time, as far apart as these can be; or bools."""
    rng = fixture.rng
    qs = [q * scale for q in (0.125, 0.5, 0.625, 0.9)]
    for i, method in enumerate(methods):
        for dtype in (("float16", "float32")[i % 2], (*INTEGERS, "bool")[i % 9]):
            kind = np.dtype(dtype).kind
            if kind == "f":
                x = rng.uniform(1, 2, 11).astype(dtype)
                if skips:
                    x[[2, 7]] = NAN
            elif kind == "b":
                x = rng.random(11) < 0.4
            else:
                info = np.iinfo(dtype)
                # Beyond 2⁵³ NumPy's float64 loses digits before it interpolates.
                x = rng.integers(max(int(info.min), -(2**52)), min(int(info.max), 2**52), 11).astype(dtype)
            note = {"note": "rounded weights"} if kind == "f" and method not in DISCRETE else {}
            fixture.add([x, [weak(q) for q in qs]], of_dtype(x, qs, method, function, dtype), method=method, **note)


def median_fixture(name, function, skips):
    fixture = Fixture(name, "the mean of the two in the middle")
    rng = fixture.rng
    for n in (1, 2, 7, 8):
        for dtype in FLOATS:
            x = rng.normal(size=n).astype(dtype)
            fixture.add([x], np.asarray(function(x)))
        for dtype in INTEGERS:
            x = rng.integers(0, 100, n).astype(dtype)
            fixture.add([x], np.asarray(function(x)))
    x = rng.random(6) < 0.5
    fixture.add([x], np.asarray(function(x)))
    cube = rng.normal(size=(3, 4, 5))
    cube[0, 1, 2] = NAN
    if skips:
        cube[:, 0, 0] = NAN
    for axis in (0, 1, 2, None):
        for keepdims in (False, True):
            fixture.add([cube], np.asarray(function(cube, axis=axis, keepdims=keepdims)), axis=axis, keepdims=keepdims)
    fixture.add([cube], np.asarray(function(cube, axis=(0, 2))), axis=[0, 2])
    x = np.array([INF, INF, 1.0, INF])
    fixture.add([x], np.array(INF), note="infinities")
    return fixture


def fixtures():
    np.seterr(all="ignore")
    yield median_fixture("median", np.median, False)
    yield median_fixture("nanmedian", np.nanmedian, True)
    yield quantile_fixture("nanpercentile", np.nanpercentile, 100, True)
    yield quantile_fixture("nanquantile", np.nanquantile, 1, True)
    yield quantile_fixture("percentile", np.percentile, 100, False)
    yield quantile_fixture("quantile", np.quantile, 1, False)
