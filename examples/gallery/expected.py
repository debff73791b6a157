"""What NumPy says of the gallery's examples: writes expected.json. python3 examples/gallery/expected.py"""

import json
import os

import numpy as np

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

found = {
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
