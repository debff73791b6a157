"""Histograms by NumPy, for test/ragged-hist/hist.test.ts. Run: /usr/bin/python3 test/ragged-hist/generate.py

Bins here have no upper edge, so the last edge of each axis is followed by the next float, and flow bins are bins that go on
to infinity.
"""

import json
import pathlib

import numpy as np

rng = np.random.default_rng(20)


def flowing(edges):
    return np.concatenate([[-np.inf], edges, [np.inf]])


def regular(bins, start, stop):
    edges = np.arange(bins + 1) * ((stop - start) / bins) + start
    edges[-1] = stop
    return edges


cases = []
for number in range(24):
    ndim = 1 + number % 3
    length = int(rng.integers(0, 40))
    axes, edges = [], []
    for k in range(ndim):
        bins = int(rng.integers(1, 7))
        if rng.random() < 0.5:
            start, stop = float(rng.integers(-3, 1)), float(rng.integers(1, 5))
            axes.append({"regular": [bins, start, stop]})
            edges.append(flowing(regular(bins, start, stop)))
        else:
            own = sorted(set(np.round(rng.normal(0, 2, bins + 1), 2).tolist()))
            own = own if len(own) > 1 else [-1.0, 1.0]
            axes.append({"variable": own})
            edges.append(flowing(np.array(own)))
    # Quarters meet edges often.
    columns = [np.round(rng.normal(0, 2.5, length) * 4) / 4 for _ in range(ndim)]
    weights = np.round(rng.normal(1, 1, length) * 8) / 8
    sample = np.stack(columns, axis=1) if ndim > 0 else np.zeros((0, 0))
    counts, _ = np.histogramdd(sample, bins=edges)
    sums, _ = np.histogramdd(sample, bins=edges, weights=weights)
    squares, _ = np.histogramdd(sample, bins=edges, weights=weights**2)
    cases.append(
        {
            "axes": axes,
            "columns": [c.tolist() for c in columns],
            "weights": weights.tolist(),
            "counts": counts.tolist(),
            "sums": sums.tolist(),
            "squares": squares.tolist(),
        }
    )

path = pathlib.Path(__file__).parent / "fixture.json"
path.write_text("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases) + "\n]\n")
