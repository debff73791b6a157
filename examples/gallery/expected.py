"""What NumPy says of the gallery's examples: writes expected.json. python3 examples/gallery/expected.py"""

import json
import os

import numpy as np
import pandas as pd
from scipy import ndimage, signal, stats
from scipy.interpolate import RegularGridInterpolator

month, row, column = np.arange(120.0)[:, None, None], np.arange(9.0)[:, None], np.arange(18.0)
latitude = (row - 4) / 4
temperature = np.cos(month * (np.pi / 6)) * latitude * -8 + 15 - latitude**2 * 20 + np.sin(column * 0.3) + month * (0.5 / 12)
climatology = np.stack([temperature[m::12].mean(axis=0) for m in range(12)])
anomaly = temperature - np.tile(climatology, (10, 1, 1))

places = np.arange(30.0 * 18 * 36).reshape(30, 18, 36)
field = np.where(places % 7 == 3, np.nan, np.sin(places * 0.37) * 10)
weights = np.cos(np.radians((np.arange(18) + 0.5) * 10 - 90))[:, None] * np.ones(36)
masked = np.ma.masked_invalid(field)
area = [float(np.ma.average(day, weights=weights)) for day in masked]

x, y = np.zeros(20_000), np.zeros(20_000)
for i in range(1, len(x)):
    x[i], y[i] = 1 - 1.4 * x[i - 1] * x[i - 1] + y[i - 1], 0.3 * x[i - 1]
counts, xs, ys = np.histogram2d(x, y, bins=[24, 16])

day, row, column = np.arange(730.0)[:, None, None], np.arange(12.0)[:, None], np.arange(20.0)
weather = (np.sin(day * 0.7 + column) + np.cos(day * 0.231 + row)) * 3
cube = np.cos(day * (2 * np.pi / 365)) * (row * -1.5) + weather + 20 - row
percentiles = np.percentile(cube, [5, 25, 50, 75, 95], axis=0)
hot = cube > np.percentile(cube, 90, axis=0)

row, column = np.arange(48.0)[:, None], np.arange(72.0)
waves = np.sin(row * 0.21) * np.cos(column * 0.13) + np.sin(row * column * 0.004)
high = waves[waves > 0.8]
peaks = np.argsort(-high, kind="stable")[:3]

hour = np.arange(8760.0)
weather = (np.sin(hour * 0.0137) + np.cos(hour * 0.0041)) * 3
measured = np.cos(hour * (2 * np.pi / 8760)) * -9 + np.cos(hour * (2 * np.pi / 24)) * -4 + weather + 11
missing = (hour % 7 == 0) & (hour // 24 % 11 == 0)
week = pd.Series(np.where(missing, np.nan, measured)).rolling(168, min_periods=24)
nones = lambda x: [None if np.isnan(v) else float(v) for v in x]

lat, lon, rad = np.arange(-90.0, 91, 5), np.arange(0.0, 361, 5), np.pi / 180
globe = np.cos(lat * (2 * rad))[:, None] * 10 + np.sin(lon * (3 * rad) + np.arange(10.0)[:, None, None] * 0.4)
points = np.stack(np.meshgrid(np.arange(-89, 90, 2), np.arange(1, 360, 2), indexing="ij"), axis=-1)
finer = [RegularGridInterpolator((lat, lon), day)(points) for day in globe]

place = np.arange(96.0) * 0.125 - 6
y, x = np.meshgrid(place, place, indexing="ij")
fall = lambda at, turn: turn * np.exp(-0.5 * ((x - at) ** 2 + y**2))
u, v = -y * fall(-2, 1) - y * fall(2, -1), (x + 2) * fall(-2, 1) + (x - 2) * fall(2, -1)
vorticity = np.gradient(v, 0.125, axis=1) - np.gradient(u, 0.125, axis=0)

z, y, x = np.ogrid[0:4, 0:64, 0:64]
spot = lambda row, column: 300 * np.exp(-0.2 * ((y - (row + 3 * z)) ** 2 + (x - (column - 2 * z)) ** 2))
stack = ((np.sin(y * 0.05) + np.cos(x * 0.03)) * 200 + 500 + spot(12, 20) + spot(30, 50) + spot(45, 33)).round().astype("uint16")
smooth = ndimage.median_filter(stack, (1, 3, 3))
background = ndimage.gaussian_filter(ndimage.minimum_filter(smooth, (1, 15, 15)).astype("float64"), (0, 5, 5))
spots = np.maximum(smooth - background, 0)
quarter = spots.reshape(4, 16, 4, 16, 4).mean(axis=(2, 4))

t = np.arange(16384.0) / 1000
tones = np.sin(t * (2 * np.pi * 125)) + 0.3 * np.sin(t * (2 * np.pi * 310)) + np.sin(t * t * 0.9)
power = signal.welch(tones, 1000, nperseg=256)[1]

row, column = np.arange(40000.0)[:, None], np.arange(12.0)
cause = lambda rate, weight: np.sin(row * rate) * np.cos(column * weight)
tall = 5 * cause(0.37, 0.2) + 2 * cause(0.011, 0.9) + cause(1.7, 2.1) + column
sizes, directions = np.linalg.svd(tall - tall.mean(axis=0), full_matrices=False)[1:]
directions = directions[:3] * np.sign(directions[:3, :1])

d1 = (np.log(100 / 105) + (0.03 + 0.2**2 / 2)) / 0.2
price = 100 * stats.norm.cdf(d1) - 105 * np.exp(-0.03) * stats.norm.cdf(d1 - 0.2)

found = {
    "powerSpectrum": power.tolist(),
    "principalComponents": {"sizes": sizes.tolist(), "directions": directions.tolist()},
    "monteCarlo": float(price),
    "rollingMean": {"means": nones(week.mean()[::97]), "spreads": nones(week.std()[::97])},
    "regridding": {"rows": [finer[k][9 * k].tolist() for k in range(10)]},
    "vorticity": vorticity.ravel()[::101].tolist(),
    "imageStack": {"whole": spots[0].ravel()[::37].tolist(), "small": quarter.ravel()[::13].tolist()},
    "climatology": {"north": climatology[:, 7, 0].tolist(), "warming": anomaly.mean(axis=(1, 2)).tolist()},
    "areaMean": area,
    "percentiles": {"byRow": percentiles.mean(axis=2).tolist(), "hotDays": hot.mean(axis=(1, 2)).tolist()},
    "masked": {
        "count": len(high),
        "mean": float(high.mean()),
        "median": float(np.median(high)),
        "peaks": [where[peaks].tolist() for where in np.nonzero(waves > 0.8)],
    },
    "histogram2d": {"counts": counts.astype(int).tolist(), "xEdges": xs.tolist(), "yEdges": ys.tolist()},
}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "expected.json"), "w", encoding="utf-8") as file:
    json.dump(found, file)
    file.write("\n")
