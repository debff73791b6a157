"""python3 test/linalg/generate.py: writes test/linalg/fixtures/linalg.json.

In:  nothing. Out: matrices, what NumPy (LAPACK) finds of them, and LAPACK's backward errors in units of n·ε.
Must hold: running twice gives the same bytes but for the last digits of LAPACK's results.
"""

import json
import os

import numpy as np

rng = np.random.default_rng(22)
EPS = np.finfo(float).eps


def listed(x):
    x = np.asarray(x)
    return {"shape": list(x.shape), "data": x.astype(float).ravel().tolist()}


def spd(n):
    a = rng.standard_normal((n, n))
    return a @ a.T + n * np.eye(n)


def graded(n):
    return rng.standard_normal((n, n)) * 10.0 ** -np.arange(n)


def low_rank(m, n, rank):
    return rng.standard_normal((m, rank)) @ rng.standard_normal((rank, n))


hilbert = 1 / (1 + np.arange(8)[:, None] + np.arange(8)[None, :])

SQUARE = {
    "of 1": rng.standard_normal((1, 1)),
    "of 12": rng.standard_normal((12, 12)),
    "Hilbert": hilbert,
    "graded": graded(9),
    "batched": rng.standard_normal((2, 3, 4, 4)),
    "large numbers": 1e60 * rng.standard_normal((5, 5)),
    "a permutation": np.eye(5)[[3, 0, 4, 1, 2]],
}
OTHER = {
    "tall": rng.standard_normal((20, 6)),
    "wide": rng.standard_normal((4, 11)),
    "of low rank": low_rank(10, 7, 3),
    "wide, of low rank": low_rank(5, 9, 2),
    "zeros": np.zeros((4, 3)),
    "batched, wide": rng.standard_normal((3, 2, 5)),
    "a column": rng.standard_normal((6, 1)),
    "tiny numbers": 1e-160 * rng.standard_normal((6, 4)),
}


def error(a, product):
    """‖A − product‖ in units of ε·n·‖A‖."""
    size = np.linalg.norm(a)
    return 0.0 if size == 0 else float(np.linalg.norm(a - product) / size / (EPS * max(a.shape[-2:])))


def lapack(a):
    q, r = np.linalg.qr(a)
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return {"qr": error(a, q @ r), "svd": error(a, (u * s[..., None, :]) @ vh)}


fixture = {"square": {}, "other": {}, "symmetric": {}}
for name, a in {**SQUARE, **OTHER}.items():
    group = "square" if name in SQUARE else "other"
    entry = {
        "a": listed(a),
        "svdvals": listed(np.linalg.svd(a, compute_uv=False)),
        "rank": listed(np.linalg.matrix_rank(a)),
        "pinv": listed(np.linalg.pinv(a, rcond=max(a.shape[-2:]) * EPS)),
        "norms": {str(o): listed(np.linalg.norm(a, ord=o, axis=(-2, -1))) for o in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)},
        "lapack": lapack(a),
    }
    if group == "square":
        sign, logabsdet = np.linalg.slogdet(a)
        b = rng.standard_normal(a.shape[:-1] + (2,))
        x = np.linalg.solve(a, b)
        entry |= {"det": listed(np.linalg.det(a)), "sign": listed(sign), "logabsdet": listed(logabsdet), "b": listed(b)}
        entry["lapack"]["solve"] = float(
            np.linalg.norm(a @ x - b) / (np.linalg.norm(a) * np.linalg.norm(x) + np.linalg.norm(b)) / (EPS * a.shape[-1])
        )
    fixture[group][name] = entry
for name, a in {"of 9": spd(9), "of 1": spd(1), "batched": np.stack([spd(4), spd(4)]), "Hilbert": hilbert, "diagonal": np.diag([3.0, 1, 2])}.items():
    w, v = np.linalg.eigh(a)
    lower = np.linalg.cholesky(a)
    fixture["symmetric"][name] = {
        "a": listed(a),
        "eigvalsh": listed(w),
        "lapack": {
            "eigh": error(a, (v * w[..., None, :]) @ np.swapaxes(v, -1, -2)),
            "cholesky": error(a, lower @ np.swapaxes(lower, -1, -2)),
        },
    }

EINSUM = [
    ("ij,jk->ik", (3, 4), (4, 5)),
    ("ij,jk", (3, 4), (4, 5)),
    ("ii", (4, 4)),
    ("ii->i", (4, 4)),
    ("ijj->ji", (2, 3, 3)),
    ("iii->i", (3, 3, 3)),
    ("ij->ji", (2, 3)),
    ("ij->", (2, 3)),
    ("...ij,...jk->...ik", (2, 3, 4), (4, 5)),
    ("i...,i...->...", (3, 2), (3, 2)),
    ("bij,bjk,kl->bil", (2, 3, 4), (2, 4, 2), (2, 3)),
    ("i,j,k->kji", (2,), (3,), (4,)),
    ("ij,ij->", (3, 4), (3, 4)),
    ("ab,bc,cd,de->ae", (2, 3), (3, 4), (4, 2), (2, 5)),
    ("ij,kj->ikj", (1, 4), (3, 4)),
    ("ij,jk->k", (3, 1), (4, 5)),
    ("zij,zj->zi", (1, 3, 4), (5, 4)),
]
fixture["einsum"] = []
for subscripts, *shapes in EINSUM:
    arrays = [rng.integers(-4, 5, shape) for shape in shapes]
    fixture["einsum"].append(
        {"subscripts": subscripts, "arrays": [listed(a) for a in arrays], "expect": listed(np.einsum(subscripts, *arrays))}
    )

x = rng.integers(-5, 6, (3, 4, 5))
v, w = rng.integers(-5, 6, 4), rng.integers(-5, 6, 3)
fixture["made"] = {
    "x": listed(x),
    "v": listed(v),
    "w": listed(w),
    "diagonal": {str(k): listed(np.diagonal(x, k, -2, -1)) for k in range(-5, 7)},
    "trace": {str(k): listed(np.trace(x, k, -2, -1)) for k in range(-5, 7)},
    "diag": {str(k): listed(np.diag(v, k)) for k in range(-2, 3)},
    "kron": listed(np.kron(x[0], x[1])),
    "kron of a vector": listed(np.kron(v, x[0])),
    "outer": listed(np.outer(v, w)),
    "cross": listed(np.cross(np.stack([w, w + 1]), x[:, :2, 0].T)),
    "block": listed(np.block([[x[0], np.ones((4, 1))], [np.zeros((1, 6))]])),
    "vector norms": {str(o): listed(np.linalg.norm(x.astype(float), ord=o, axis=1)) for o in (0, 1, 2, 3, 0.5, -1, np.inf, -np.inf)},
    "powers": {str(n): listed(np.linalg.matrix_power(x[:, :4, :4], n)) for n in range(0, 6)},
}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures", "linalg.json"), "w") as file:
    json.dump(fixture, file, allow_nan=False)
    file.write("\n")
