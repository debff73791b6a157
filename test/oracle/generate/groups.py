"""groupbyReduce: xarray's groupby where it has the reduction and labels go along one axis, NumPy label by label elsewhere.

In:  arrays with NaN, labels along one axis or two, or any values with those that are expected. Out: one fixture.
Must hold: elements are whole numbers, so that sums are exact; xarray leaves NaN out of floats, which is what "nan" names here.
"""

import warnings

import numpy as np
import xarray as xr

from dtypes import ALL, COMPLEXES
from encode import Fixture
from quantiles import METHODS, even_order, weak

NAN = np.nan
XARRAY = {"nansum": "sum", "nanmean": "mean", "nanmin": "min", "nanmax": "max", "nanstd": "std", "nanfirst": "first"}
NUMPY = {
    "sum": np.sum, "prod": np.prod, "mean": np.mean, "min": np.min, "max": np.max, "var": np.var, "std": np.std,
    "argmax": np.argmax, "argmin": np.argmin, "nanprod": np.nanprod, "nanvar": np.nanvar,
    "first": lambda x, axis: np.take(x, 0, axis), "last": lambda x, axis: np.take(x, -1, axis),
    "count": lambda x, axis: np.full(np.delete(x.shape, axis), x.shape[axis]),
    "nancount": lambda x, axis: np.sum(~np.isnan(x), axis=axis),
    "any": np.any, "all": np.all,
}
INDEX = ("argmax", "argmin", "count", "nancount")


def by_label(x, labels, axis, reduce, numbers):
    """Every label by itself; places are those of the whole axis."""
    results = []
    for label in numbers:
        places = np.nonzero(labels == label)[0]
        value = NUMPY[reduce](np.take(x, places, axis), axis=axis)
        results.append(places[value] if reduce.startswith("arg") else value)
    return np.stack(results, axis=axis)


def of_xarray(x, labels, axis, reduce):
    dims = [f"d{k}" for k in range(x.ndim)]
    array = xr.DataArray(x, dims=dims, coords={"label": (dims[axis], labels)})
    made = getattr(array.groupby("label"), XARRAY[reduce])()
    return made.transpose(*[d if k != axis else "label" for k, d in enumerate(dims)]).values


def typed(value, x, reduce):
    if reduce in INDEX:
        return np.asarray(value).astype("int64")
    if reduce in ("mean", "var", "std", "nanmean", "nanstd", "nanvar"):
        return np.asarray(value).astype(x.dtype if x.dtype.kind in "fc" else "float64")
    if reduce in ("sum", "prod", "nansum", "nanprod"):
        return np.asarray(value).astype({"b": "int64", "i": "int64", "u": "uint64"}.get(x.dtype.kind, x.dtype))
    if reduce in ("any", "all"):
        return np.asarray(value).astype(bool)
    return np.asarray(value).astype(x.dtype)


# Of each kind one dtype is asked for everything, the others for what each dtype has code for.
FEW = ("sum", "min", "first")
ASKED_ALL = ("float16", "bool", "int64", "complex64")


def add_dtypes(fixture):
    """Reductions of every dtype, together: a record of their results."""
    rng = fixture.rng
    labels = np.arange(9) % 4
    for dtype in ("float16", *(name for name in ALL if name not in ("int32", "float32", "float64"))):
        kind = np.dtype(dtype).kind
        x = rng.integers(0 if kind in "ub" else -3, 2 if kind == "b" else 4, (9, 2)).astype(dtype)
        if kind in "fc":
            x[[1, 2], [0, 1]] = NAN
        if kind == "c":
            x += (1j * rng.integers(-3, 4, x.shape)).astype(dtype)
        names = [name for name in NUMPY if name != "nancount" or kind in "fc"]
        if dtype in COMPLEXES:
            names = [name for name in names if name not in ("min", "max", "var", "std", "argmax", "argmin", "nanvar")]
        names = [name for name in names if dtype in ASKED_ALL or name in FEW]
        wide = {"e": "float32", "b": "int64"}.get(x.dtype.char, x.dtype) if kind in "fb" else x.dtype
        expect = tuple(
            typed(by_label(x.astype("int64") if kind == "b" and name in ("var", "std", "mean") else x.astype(wide), labels, 0, name, range(4)), x, name)
            if name not in ("any", "all")
            else by_label(x, labels, 0, name, range(4))
            for name in names
        )
        fixture.add([x, labels], expect, note="rounded sums", reduce=names, axis=0, numLabels=4)


def of_group(x, q, method):
    """numpy.quantile along the first axis, whatever the method; closest_observation as NumPy 2."""
    if method == "closest_observation":
        return np.take(np.sort(x, axis=0), even_order(len(x), q), axis=0)
    return np.quantile(x, q, axis=0, method=method)


def add_quantiles(fixture):
    rng = fixture.rng
    labels = np.array([0, 1, 0, 2, 1, 0, 0, 1, 2, 0, 1])
    for method in METHODS:
        x = rng.normal(size=(11, 2))
        expect = np.stack([of_group(x[labels == k], 0.3, method) for k in range(3)])
        fixture.add([x, labels], expect, reduce="quantile", q=weak(0.3), method=method, axis=0, numLabels=3)
    for dtype in ("float32", "int8", "uint16", "int64", "bool"):
        x = (rng.integers(1, 9, (11, 2)) / (1 if dtype != "float32" else 4)).astype(dtype)
        if dtype == "bool":
            x = rng.random((11, 2)) < 0.5
        expect = np.stack([np.median(x[labels == k].astype("float64"), axis=0) for k in range(3)])
        fixture.add([x, labels], expect.astype("float32" if dtype == "float32" else "float64"), reduce="median", axis=0, numLabels=3)


def fixtures():
    fixture = Fixture("groupbyReduce", "xarray's, or NumPy's label by label; rounded sums")
    rng = fixture.rng
    warnings.simplefilter("ignore")
    for dtype in ("float64", "float32", "int32"):
        x = rng.integers(-9, 10, (9, 2, 3)).astype(dtype)
        holes = np.where(rng.integers(0, 4, x.shape) == 0, NAN, x).astype(dtype) if dtype != "int32" else x
        for axis, n in ((0, 9),) if dtype != "float64" else ((0, 9), (2, 3)):
            labels = np.arange(n) % 3
            for reduce in NUMPY:
                if reduce == "nancount" and dtype == "int32":
                    continue
                if axis == 2 and reduce not in ("mean", "var", "first", "argmax", "count"):
                    continue
                given = holes if reduce.startswith("nan") or axis == 0 else x
                if reduce == "prod" or reduce == "nanprod":
                    given = np.sign(given).astype(dtype)
                expect = by_label(given, labels, axis, reduce, range(3))
                fixture.add([given, labels], typed(expect, x, reduce), note="rounded sums", reduce=reduce, axis=axis, numLabels=3)
            for reduce in XARRAY if axis == 0 else ():
                expect = of_xarray(holes, labels, axis, reduce)
                fixture.add([holes, labels], typed(expect, x, reduce), note="rounded sums", reduce=reduce, axis=axis, numLabels=3)
    x = rng.integers(-9, 10, (2, 4, 3)).astype("float64")
    regions = rng.integers(0, 4, (4, 3))
    regions.flat[:4] = range(4)
    for reduce in ("mean", "max", "count", "last", "var", "argmin"):
        flat = by_label(x.reshape(2, 12), regions.ravel(), 1, reduce, range(4))
        fixture.add([x, regions], typed(flat, x, reduce), note="rounded sums", reduce=reduce, axis=[1, 2], numLabels=4)
        turned = np.ascontiguousarray(np.moveaxis(x, 0, 1))  # labelled axes that are not neighbours
        fixture.add([turned, regions], typed(flat.T, x, reduce), note="rounded sums", reduce=reduce, axis=[0, 2], numLabels=4)
        all_ = by_label(x[0].ravel(), regions.ravel(), 0, reduce, range(4))
        fixture.add([x[0].copy(), regions], typed(all_, x, reduce), note="rounded sums", reduce=reduce, numLabels=4)
    values = np.array([2000, 1990, 1990, 2010, 2000, 1980])
    y = rng.integers(0, 9, (6, 3)).astype("float32")
    for expected in ([1990, 2000, 2010], [2010, 1990], [2000]):
        for kind in ("int64", "float64"):
            expect = by_label(y, values, 0, "mean", expected)
            fixture.add([y, values.astype(kind)], typed(expect, y, "mean"), note="rounded sums", reduce="mean", axis=0,
                        expected=np.array(expected).astype(kind))
    add_dtypes(fixture)
    add_quantiles(fixture)
    yield fixture
