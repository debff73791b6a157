"""Reductions that leave NaN out: NumPy's nansum, nanprod, nanmean, nanmax, nanmin.

In:  arrays with some, all or no NaN. Out: one fixture a function.
Must hold: values add up exactly (small whole numbers), so that the order of the sum does not matter.
"""

import numpy as np

from encode import Fixture

FUNCTIONS = {"nansum": np.nansum, "nanprod": np.nanprod, "nanmean": np.nanmean, "nanmax": np.nanmax, "nanmin": np.nanmin}
NAN, INF = np.nan, np.inf
ARRAYS = [
    [1.0, NAN, 3.0, -2.0],
    [[1.0, NAN, 4.0], [NAN, NAN, 2.0], [NAN, NAN, NAN]],
    [[NAN, INF], [-INF, 1.0], [0.0, -0.5]],
    [2.0, 4.0],
    2.0,
    NAN,
]


def fixtures():
    for name, function in FUNCTIONS.items():
        fixture = Fixture(name, "not in the standard; as NumPy's")
        for dtype in ("float64", "float32"):
            for values in ARRAYS:
                x = np.array(values, dtype)
                for axis in [None, *range(x.ndim)]:
                    options = {} if axis is None else {"axis": axis}
                    fixture.add([x], np.asarray(function(x, axis=axis)), **options)
                    fixture.add([x], np.asarray(function(x, axis=axis, keepdims=True)), keepdims=True, **options)
        x = np.array([[3, 1], [2, 5]], "int64")
        fixture.add([x], np.asarray(function(x, axis=0)), axis=0)
        yield fixture
