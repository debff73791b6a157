"""Reductions and scans that leave NaN out: NumPy's nan-functions.

In:  arrays with some, all or no NaN. Out: one fixture a function.
Must hold: values add up exactly (small whole numbers), so that the order of the sum does not matter; variances are rounded
from long double, and NaN where nothing is left to divide by (NumPy too, with a warning).
"""

import numpy as np

from encode import Fixture

NAN, INF = np.nan, np.inf
ARRAYS = [
    [1.0, NAN, 3.0, -2.0],
    [[1.0, NAN, 4.0], [NAN, NAN, 2.0], [NAN, NAN, NAN]],
    [[NAN, INF], [-INF, 1.0], [0.0, -0.5]],
    [2.0, 4.0],
    2.0,
    NAN,
]
# NumPy gives the place of a NaN where there are but NaN and the infinity that it puts in their place: left out.
FOUND = [[1.0, NAN, 3.0, -2.0], [[NAN, 7.0, 4.0], [5.0, NAN, NAN]], [[NAN, 2.0, 5.0], [-8.0, 1.0, INF]], [NAN, 3.0, 3.0, NAN, -1.0]]
OTHERS = [
    np.array([[3, 1], [2, 5]], "int64"),
    np.array([[3, 1, 0], [2, 5, 200]], "uint8"),
    np.array([[True, False], [True, True]]),
]
# Dtypes of which one array is enough: whole numbers have no NaN.
REST = ["int8", "int16", "int32", "uint16", "uint32", "uint64"]
HALVES = np.array([[1, NAN, 3], [2, -4, NAN]], "float16")
COMPLEX = np.array([[1 + 2j, complex(NAN, 1), 3 - 1j], [complex(0, NAN), 2j, 1 + 0j]])
NOTE = "not in the standard; as NumPy's"


def variance(x, axis=None, keepdims=False, correction=0):
    dtype = x.dtype if x.dtype.kind == "f" else np.dtype("float64")
    wide = x.astype(np.longdouble)
    return np.asarray(np.nanvar(wide, axis=axis, keepdims=keepdims, ddof=correction)).astype(dtype)


def deviation(x, axis=None, keepdims=False, correction=0):
    dtype = x.dtype if x.dtype.kind == "f" else np.dtype("float64")
    wide = x.astype(np.longdouble)
    return np.asarray(np.nanstd(wide, axis=axis, keepdims=keepdims, ddof=correction)).astype(dtype)


REDUCTIONS = {  # name: (function, takes complex numbers, takes bools)
    "nansum": (np.nansum, True, True),
    "nanprod": (np.nanprod, True, True),
    "nanmean": (np.nanmean, True, True),
    "nanmax": (np.nanmax, False, True),
    "nanmin": (np.nanmin, False, True),
    "nanvar": (variance, False, True),
    "nanstd": (deviation, False, True),
}
PLACES = {"nanargmax": np.nanargmax, "nanargmin": np.nanargmin}
SCANS = {"nancumsum": np.nancumsum, "nancumprod": np.nancumprod}


def add_axes(fixture, function, x):
    for axis in [None, *range(x.ndim)]:
        options = {} if axis is None else {"axis": axis}
        fixture.add([x], np.asarray(function(x, axis=axis)), **options)
        fixture.add([x], np.asarray(function(x, axis=axis, keepdims=True)), keepdims=True, **options)


def reductions():
    for name, (function, takes_complex, takes_bool) in REDUCTIONS.items():
        fixture = Fixture(name, NOTE)
        for dtype in ("float64", "float32"):
            for values in ARRAYS:
                add_axes(fixture, function, np.array(values, dtype))
        for x in OTHERS if takes_bool else OTHERS[:2]:
            add_axes(fixture, function, x)
        for dtype in REST:
            x = OTHERS[0].astype(dtype)
            fixture.add([x], np.asarray(function(x, axis=1)), axis=1)
        wide = np.asarray(function(HALVES.astype("float32"), axis=1)).astype("float16")
        fixture.add([HALVES], wide, axis=1, note="rounded sums")
        for dtype in ("complex128", "complex64") if takes_complex else ():
            add_axes(fixture, function, COMPLEX.astype(dtype))
        if name in ("nanvar", "nanstd"):
            for correction in (1, 1.5, 2, 5):
                for values in ARRAYS[:2]:
                    x = np.array(values)
                    for axis in range(x.ndim):
                        expect = function(x, axis=axis, correction=correction)
                        # Numbers of freedom below 0 are NaN here, as everywhere in the library.
                        left = np.sum(~np.isnan(x), axis=axis) - correction
                        fixture.add([x], np.where(left > 0, expect, np.nan), axis=axis, correction=correction)
        yield fixture


def places():
    for name, function in PLACES.items():
        fixture = Fixture(name, NOTE)
        for dtype in ("float64", "float32"):
            for values in FOUND:
                add_axes(fixture, function, np.array(values, dtype))
        for x in OTHERS:
            add_axes(fixture, function, x)
        for x in (*(OTHERS[0].astype(dtype) for dtype in REST), HALVES):
            fixture.add([x], np.asarray(function(x, axis=1)), axis=1)
        yield fixture


def scans():
    for name, function in SCANS.items():
        fixture = Fixture(name, NOTE + ", but that an axis has to be named where there are several")
        for dtype in ("float64", "float32"):
            for values in ARRAYS[:4]:
                x = np.array(values, dtype)
                for axis in range(x.ndim):
                    fixture.add([x], function(x, axis=axis), axis=axis)
        for x in (*OTHERS, COMPLEX, COMPLEX.astype("complex64"), HALVES, *(OTHERS[0].astype(dtype) for dtype in REST)):
            fixture.add([x], function(x, axis=1), axis=1)
        yield fixture


def fixtures():
    yield from reductions()
    yield from places()
    yield from scans()
