"""Functions that reduce axes: what they accept and how the expected value is computed.

In:  an array, an axis (None, a number, a list), keepdims. Out: the reduced array, never a scalar.
Must hold: dtypes are those of docs/semantics.md; what rounds is rounded once from long double.
"""

import numpy as np

from dtypes import ALL, NUMERIC, REALS, floating, sum_dtype

ROUNDED = "values rounded from long double (NumPy accumulates in the array's own precision); "


def numpy_axis(axis):
    return tuple(axis) if isinstance(axis, list) else axis


def widened(x):
    """x in long double, or in 64-bit integers."""
    return x.astype({"f": np.longdouble, "c": np.clongdouble}.get(x.dtype.kind, sum_dtype(x.dtype.name)))


def total(x, axis, keepdims, dtype=None):
    x = x if dtype is None else x.astype(dtype)
    value = widened(x).sum(axis=numpy_axis(axis), keepdims=keepdims)
    return np.asarray(value).astype(dtype or sum_dtype(x.dtype.name))


def product(x, axis, keepdims, dtype=None):
    x = x if dtype is None else x.astype(dtype)
    value = widened(x).prod(axis=numpy_axis(axis), keepdims=keepdims)
    return np.asarray(value).astype(dtype or sum_dtype(x.dtype.name))


def mean(x, axis, keepdims):
    dtype = floating(x.dtype.name)
    return np.asarray(widened(x.astype(dtype)).mean(axis=numpy_axis(axis), keepdims=keepdims)).astype(dtype)


def variance(x, axis, keepdims, correction=0):
    """NaN where there are no degrees of freedom (NumPy: infinity, or NaN)."""
    dtype, axes = floating(x.dtype.name), numpy_axis(axis)
    wide = x.astype(np.longdouble)
    count = np.sum(np.ones(x.shape), axis=axes, keepdims=keepdims)
    deviation = wide - wide.mean(axis=axes, keepdims=True)
    squares = (deviation * deviation).sum(axis=axes, keepdims=keepdims)
    freedom = np.asarray(count - correction)
    return np.where(freedom > 0, squares / np.where(freedom > 0, freedom, 1), np.nan), dtype


def var(x, axis, keepdims, correction=0):
    value, dtype = variance(x, axis, keepdims, correction)
    return np.asarray(value).astype(dtype)


def std(x, axis, keepdims, correction=0):
    value, dtype = variance(x, axis, keepdims, correction)
    return np.asarray(np.sqrt(value)).astype(dtype)


def of_numpy(function, dtype=None):
    """min, max, any, all, countNonzero: NumPy's own."""

    def reduce(x, axis, keepdims):
        value = np.asarray(function(x, axis=numpy_axis(axis), keepdims=keepdims))
        return value if dtype is None else value.astype(dtype)

    return reduce


REDUCTIONS = {  # name: (accepted dtypes, function, defined for nothing, note)
    "sum": (NUMERIC, total, True, "small integers add up in 64 bits; floats keep their type"),
    "prod": (NUMERIC, product, True, "small integers multiply in 64 bits; floats keep their type"),
    "mean": (NUMERIC, mean, True, ROUNDED + "integers become float64; of nothing NaN"),
    "var": (REALS, var, True, ROUNDED + "integers become float64; NaN where N - correction <= 0 (NumPy: inf or NaN)"),
    "std": (REALS, std, True, ROUNDED + "integers become float64; NaN where N - correction <= 0 (NumPy: inf or NaN)"),
    "min": (["bool"] + REALS, of_numpy(np.min), False, "never between +0 and -0 (unspecified)"),
    "max": (["bool"] + REALS, of_numpy(np.max), False, "never between +0 and -0 (unspecified)"),
    "any": (ALL, of_numpy(np.any), True, None),
    "all": (ALL, of_numpy(np.all), True, None),
    "countNonzero": (ALL, of_numpy(np.count_nonzero, "int64"), True, None),
    "argmin": (["bool"] + REALS, of_numpy(np.argmin, "int64"), False, "the first NaN, else the first least"),
    "argmax": (["bool"] + REALS, of_numpy(np.argmax, "int64"), False, "the first NaN, else the first greatest"),
}
