"""Vectors by NumPy in long doubles, by matrices and not by the formulas of the library, for vectors.test.ts.

Run: /usr/bin/python3 test/ragged-behaviors/generate.py
"""

import json
import pathlib

import numpy as np

rng = np.random.default_rng(4)
LD = np.longdouble


def four(pt, eta, phi, mass):
    p = [pt * np.cos(phi), pt * np.sin(phi), pt * np.sinh(eta)]
    return np.array([*p, np.sqrt(mass**2 + sum(c * c for c in p))], dtype=LD)


def boost_matrix(p, energy, mass):
    """x, y, z, t; to where what is at rest moves as what has this momentum."""
    u, gamma = p / mass, energy / mass
    m = np.eye(4, dtype=LD)
    m[:3, :3] += np.outer(u, u) / (gamma + 1)
    m[:3, 3] = m[3, :3] = u
    m[3, 3] = gamma
    return m


def rotation(axis, angle):
    k = np.array(axis, dtype=LD) / np.sqrt(LD(np.dot(axis, axis)))
    cross = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]], dtype=LD)
    return np.eye(3) + np.sin(LD(angle)) * cross + (1 - np.cos(LD(angle))) * (cross @ cross)


def mass(v):
    return np.sqrt(max(v[3] ** 2 - v[:3] @ v[:3], LD(0)))


cases = []
for _ in range(40):
    raw = [
        [float(rng.exponential(40)), float(rng.normal(0, 1.5)), float(rng.uniform(-3.1, 3.1)), float(rng.uniform(0.1, 5))]
        for _ in range(2)
    ]
    a, b = (four(*map(LD, r)) for r in raw)
    dphi = np.arctan2(np.sin(LD(raw[0][2] - raw[1][2])), np.cos(LD(raw[0][2] - raw[1][2])))
    total = a + b
    rest = boost_matrix(-total[:3], total[3], mass(total))
    out = {
        "xyzt": a, "theta": np.arctan2(np.hypot(a[0], a[1]), a[2]), "p": np.sqrt(a[:3] @ a[:3]),
        "sum": total, "mass": mass(total), "difference": a - b,
        "dot": a[3] * b[3] - a[:3] @ b[:3], "dot3": a[:3] @ b[:3], "cross": np.cross(a[:3], b[:3]),
        "deltaPhi": dphi, "deltaEta": LD(raw[0][1]) - LD(raw[1][1]),
        "deltaR": np.hypot(dphi, LD(raw[0][1]) - LD(raw[1][1])),
        "angle": np.arccos(np.clip((a[:3] @ b[:3]) / np.sqrt((a[:3] @ a[:3]) * (b[:3] @ b[:3])), -1, 1)),
        "boost": boost_matrix(b[:3], b[3], LD(raw[1][3])) @ a, "rest": rest @ a,
        "rotated": rotation([1, 2, -0.5], 0.7) @ a[:3], "turned": rotation([0, 0, 1], 2.5) @ a[:3],
        "rapidity": np.arctanh(a[2] / a[3]), "gamma": a[3] / LD(raw[0][3]), "beta": np.sqrt(a[:3] @ a[:3]) / a[3],
        "mt": np.sqrt(a[3] ** 2 - a[2] ** 2), "et": a[3] * np.hypot(a[0], a[1]) / np.sqrt(a[:3] @ a[:3]),
    }
    plain = {k: [float(c) for c in v] if np.ndim(v) else float(v) for k, v in out.items()}
    cases.append({"a": raw[0], "b": raw[1], **plain})

path = pathlib.Path(__file__).parent / "fixture.json"
path.write_text("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
