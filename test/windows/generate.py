"""/usr/bin/python3 test/windows/generate.py: writes test/windows/fixtures/windows.json.

In:  nothing. Out: what scipy.ndimage, pandas, NumPy and scipy.interpolate make of small arrays, by the names and options that Chunkwise has.
Must hold: running twice gives the same bytes.
"""

import json
import os

import numpy as np
import pandas as pd
from scipy import ndimage, signal
from scipy.interpolate import CubicSpline, interp1d


def noise(*shape):
    n = int(np.prod(shape))
    return (((np.arange(1, n + 1) * 0.7548776662466927) % 1) - 0.5).reshape(shape)


def listed(x):
    x = np.asarray(x)
    data = [None if np.isnan(v) else "inf" if v == np.inf else "-inf" if v == -np.inf else float(v) for v in x.astype(float).ravel()]
    return {"shape": list(x.shape), "data": data}


line, image, volume = noise(23), noise(9, 11), noise(5, 6, 7)
ARRAYS = {"line": line, "image": image, "volume": volume, "bytes": (np.abs(image) * 400).astype("uint8")}
MODES = ["reflect", "grid-mirror", "constant", "grid-constant", "nearest", "mirror", "wrap", "grid-wrap"]
cases = []


def add(name, array, args, options, expect):
    cases.append({"name": name, "array": array, "args": args, "options": options, "expect": listed(expect)})


def filters():
    for mode in MODES:
        for cval in [0, 1.5] if mode == "constant" else [0]:
            options = {"mode": mode, "cval": cval}
            # Aliases, and three axes, are as good as one of each.
            few = ["line"] if mode.startswith("grid") else ["line", "image"]
            for array in few + (["volume"] if mode in ("reflect", "constant") else []):
                x = ARRAYS[array]
                add("gaussianFilter", array, [1.2], options, ndimage.gaussian_filter(x, 1.2, **options))
                add("uniformFilter", array, [4], options, ndimage.uniform_filter(x, 4, **options))
                add("medianFilter", array, [3], options, ndimage.median_filter(x, 3, **options))
                add("minimumFilter", array, [4], options, ndimage.minimum_filter(x, 4, **options))
                add("maximumFilter", array, [3], options, ndimage.maximum_filter(x, 3, **options))
        k = noise(3, 4)
        add("convolve", "image", [listed(k)], {"boundary": mode}, ndimage.convolve(image, k, mode=mode))
        add("correlate", "image", [listed(k)], {"boundary": mode}, ndimage.correlate(image, k, mode=mode))
        # Longer than the array.
        add("uniformFilter", "line", [61], {"mode": mode}, ndimage.uniform_filter(line, 61, mode=mode))
    add("gaussianFilter", "image", [[0, 2.5]], {"truncate": 2}, ndimage.gaussian_filter(image, [0, 2.5], truncate=2))
    add("gaussianFilter", "image", [1.5], {"order": [1, 2], "mode": ["wrap", "nearest"]}, ndimage.gaussian_filter(image, 1.5, order=[1, 2], mode=["wrap", "nearest"]))
    add("gaussianFilter", "line", [2], {"order": 3, "radius": 5}, ndimage.gaussian_filter1d(line, 2, order=3, radius=5))
    add("uniformFilter", "image", [[3, 4]], {"origin": [-1, 1]}, ndimage.uniform_filter(image, [3, 4], origin=[-1, 1]))
    add("medianFilter", "image", [[2, 5]], {"origin": [0, -2]}, ndimage.median_filter(image, [2, 5], origin=[0, -2]))
    add("rankFilter", "image", [-3, [3, 4]], {}, ndimage.rank_filter(image, -3, size=[3, 4]))
    add("medianFilter", "bytes", [5], {}, ndimage.median_filter(ARRAYS["bytes"], 5))
    add("maximumFilter", "bytes", [[1, 6]], {}, ndimage.maximum_filter(ARRAYS["bytes"], [1, 6]))
    add("gaussianFilter", "bytes", [1], {}, ndimage.gaussian_filter(ARRAYS["bytes"].astype(float), 1))
    add("convolve", "image", [listed(noise(2, 2))], {"boundary": "nearest", "origin": [0, -1]}, ndimage.convolve(image, noise(2, 2), mode="nearest", origin=[0, -1]))
    for mode in ["full", "same", "valid"]:
        for n in [1, 4, 5, 30]:
            k = noise(n)
            add("convolve", "line", [listed(k)], {"mode": mode}, np.convolve(line, k, mode))
            add("correlate", "line", [listed(k)], {"mode": mode}, np.correlate(line, k, mode))
        add("convolve", "image", [listed(noise(3, 5))], {"mode": mode}, signal.convolve(image, noise(3, 5), mode, method="direct") if mode != "same" else signal.convolve(image, noise(3, 5), "same", method="direct"))


def rolling():
    gaps = pd.Series(line.copy())
    gaps[[3, 4, 5, 11, 12]] = np.nan
    ARRAYS["gaps"] = gaps.to_numpy()
    for array in ["line", "gaps"]:
        s = pd.Series(ARRAYS[array])
        for window, least, center in [(1, None, False), (3, None, False), (4, None, True), (5, 1, False), (6, 3, True), (23, 2, False), (9, 0, False)]:
            options = {"minPeriods": least, "center": center}
            options = {k: v for k, v in options.items() if v is not None}
            r = s.rolling(window, min_periods=least, center=center)
            for name in ["sum", "mean", "min", "max", "std", "var", "median"]:
                cases.append({"name": f"rolling.{name}", "array": array, "args": [window], "options": options, "expect": listed(getattr(r, name)())})
    frame = pd.DataFrame(image)
    add("rolling.mean", "image", [4], {"axis": 0}, frame.rolling(4).mean())
    add("rolling.std", "image", [4], {"axis": 1, "minPeriods": 2}, frame.rolling(4, min_periods=2, axis=1).std())


def differences():
    y, x = np.cumsum(np.abs(noise(9)) + 0.1), np.cumsum(np.abs(noise(11)) + 0.1)
    for order in [1, 2]:
        options = {"edgeOrder": order}
        add("gradient", "line", [], {**options, "axis": 0}, np.gradient(line, edge_order=order))
        add("gradient", "image", [], {**options, "axis": 1, "spacing": 0.25}, np.gradient(image, 0.25, axis=1, edge_order=order))
        add("gradient", "image", [], {**options, "axis": 0, "spacing": listed(y)}, np.gradient(image, y, axis=0, edge_order=order))
        add("gradient", "image", [], {**options, "axis": 1, "spacing": listed(x)}, np.gradient(image, x, axis=1, edge_order=order))
    ARRAYS["phases"] = noise(40) * 30
    for options in [{}, {"discont": 4}, {"period": 5}]:
        add("unwrap", "phases", [], options, np.unwrap(ARRAYS["phases"], **options))
    add("unwrap", "image", [], {"axis": 0, "period": 0.3}, np.unwrap(image, axis=0, period=0.3))


def grids():
    add("slidingWindowView", "image", [[3, 4]], {}, np.lib.stride_tricks.sliding_window_view(image, (3, 4)))
    add("slidingWindowView", "image", [3], {"axis": 1}, np.lib.stride_tricks.sliding_window_view(image, 3, axis=1))
    add("slidingWindowView", "image", [[3, 2]], {"axis": [0, 0]}, np.lib.stride_tricks.sliding_window_view(image, (3, 2), axis=(0, 0)))
    for k in range(-1, 4):
        add("rot90", "image", [], {"k": k}, np.rot90(image, k))
    add("rot90", "volume", [], {"axes": [2, 0]}, np.rot90(volume, axes=(2, 0)))
    odd = np.array([1, np.nan, np.inf, -np.inf, -0.0, 5e-324])
    ARRAYS["odd"] = odd
    add("nanToNum", "odd", [], {}, np.nan_to_num(odd))
    add("nanToNum", "odd", [], {"nan": 7, "posinf": 8, "neginf": -9}, np.nan_to_num(odd, nan=7, posinf=8, neginf=-9))
    for nan in [False, True]:
        add("isclose", "odd", [listed(odd + 1e-9)], {"equalNan": nan}, np.isclose(odd, odd + 1e-9, equal_nan=nan))
        add("arrayEqual", "odd", [listed(odd)], {"equalNan": nan}, np.array_equal(odd, odd, equal_nan=nan))
        add("allclose", "odd", [listed(odd)], {"equalNan": nan}, np.allclose(odd, odd, equal_nan=nan))
    add("isclose", "line", [listed(line * 1.001)], {"rtol": 1e-3, "atol": 1e-4}, np.isclose(line, line * 1.001, rtol=1e-3, atol=1e-4))


def interpolation():
    xp = np.cumsum(np.abs(noise(9)) + 0.1)
    x = np.concatenate([xp, xp[:-1] + np.diff(xp) / 3, (xp[:-1] + xp[1:]) / 2, [xp[0] - 1, xp[-1] + 1, np.nan]])
    inside = np.linspace(xp[0], xp[-1], 17)
    column = image[:, 2]
    ARRAYS["column"] = column
    at = lambda *places: [listed(p) for p in places]
    interps.append({"places": at(x), "known": at(xp), "array": "column", "options": {}, "expect": listed(np.interp(x, xp, column))})
    interps.append({"places": at(x), "known": at(xp), "array": "column", "options": {"left": -5, "right": 9}, "expect": listed(np.interp(x, xp, column, left=-5, right=9))})
    interps.append({"places": at(x.reshape(7, 4)), "known": at(xp), "array": "column", "options": {}, "expect": listed(np.interp(x.reshape(7, 4), xp, column))})
    for method in ["linear", "nearest"]:
        interps.append({"places": at(inside), "known": at(xp), "array": "image", "options": {"method": method, "axis": 0}, "expect": listed(interp1d(xp, image, method, axis=0)(inside))})
    beyond = np.concatenate([inside, [xp[0] - 0.2, xp[-1] + 0.3]])
    interps.append({"places": at(beyond), "known": at(xp), "array": "image", "options": {"method": "cubic", "axis": 0}, "expect": listed(CubicSpline(xp, image, axis=0)(beyond))})
    across = np.linspace(0.2, 9.7, 13)
    grid = interp1d(np.arange(11.0), interp1d(xp, image, axis=0)(inside), axis=1)(across)
    interps.append({"places": at(inside, across), "known": at(xp, np.arange(11.0)), "array": "image", "options": {"axis": [0, 1]}, "expect": listed(grid)})


interps = []
filters()
rolling()
differences()
grids()
interpolation()
found = {"arrays": {name: listed(x) for name, x in ARRAYS.items()}, "cases": cases, "interps": interps}
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures", "windows.json")
with open(path, "w", encoding="utf-8") as file:
    json.dump(found, file)
    file.write("\n")
