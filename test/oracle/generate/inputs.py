"""The arrays that go into functions: edge values, benign samples, shapes.

In:  a dtype (and a random generator). Out: arrays of that dtype.
Must hold: edges are the same everywhere; samples are exact binary fractions of few bits, so that sums and
products of them are exact in any order of evaluation.
"""

import math

import numpy as np

from dtypes import bits, part_dtype

SHAPES = [(), (0,), (0, 3), (1,), (1, 1), (5,), (2, 3), (2, 1, 3)]
BROADCASTS = [
    ((), ()), ((), (3,)), ((3,), ()), ((1,), (4,)), ((3, 1), (1, 4)), ((2, 3), (3,)), ((0, 3), (1, 3)),
    ((0,), ()), ((2, 1, 3), (4, 1)), ((2, 3, 2), (2, 3, 2)),
]

NAN, INF = math.nan, math.inf
NEAR_PI = [math.pi, math.pi / 2, math.pi / 4, 3 * math.pi / 4, 2 * math.pi, 355.0, 3.0, 22.0]
LIMITS = {  # overflow and underflow of exp, sinh and friends
    "float32": [88.5, 89.0, -87.5, -104.0, -103.0, 9.0, 17.5],
    "float64": [709.5, 710.4, -708.5, -746.0, -745.0, 19.0, 37.5],
}


def float_core(dtype):
    """The edge values that every pair of is tried."""
    info = np.finfo(dtype)
    positive = [0.0, float(info.smallest_subnormal), float(info.tiny), 0.1, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0]
    positive += [math.pi, 1e22, float(info.max), INF]
    signed = [sign * value for value in positive for sign in (1.0, -1.0)]
    return np.array([NAN] + signed, dtype)


def float_edges(dtype):
    """The core and what only functions of one argument care about."""
    more = NEAR_PI + LIMITS[dtype] + [1e-10, 1e-5, 0.25, 0.75, 3.5, 4.5, 1e5, 1e10, 8388609.0, 0.49999997, 100.0]
    more = np.array(more + [-value for value in more], dtype)
    near_one = np.nextafter(np.array([1, 1, -1, -1], dtype), np.array([0, 2, 0, -2], dtype), dtype=dtype)
    return np.concatenate([float_core(dtype), more, near_one])


def float_spread(dtype, rng, count=48):
    """Magnitudes from 2^-30 to 2^30, and as many values between -1 and 1."""
    wide = rng.uniform(-1, 1, count) * 2.0 ** rng.integers(-30, 31, count)
    return np.concatenate([wide, rng.uniform(-1, 1, count)]).astype(dtype)


def int_edges(dtype):
    info = np.iinfo(dtype)
    values = {info.min, info.min + 1, 0, 1, 2, 3, 7, 100, info.max - 1, info.max, info.max // 2 + 1}
    if info.min < 0:
        values |= {-1, -2, -3, -7, -100}
    if bits(dtype) == 64:
        values |= {2**53 + 1, 2**60 + 2**36 + 1}  # the second rounds to float32 differently by way of float64
    return np.array(sorted(values), dtype)


def complex_grid(dtype, parts):
    """All pairs of parts."""
    part = part_dtype(dtype)
    re, im = np.meshgrid(np.array(parts, part), np.array(parts, part), indexing="ij")
    grid = np.empty(re.size, dtype)
    grid.real, grid.imag = re.ravel(), im.ravel()
    return grid


def large(dtype):
    return 1e30 if dtype == "complex64" else 1e300


def complex_edges(dtype):
    big = large(dtype)
    return complex_grid(dtype, [NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.5, big, -big])


def complex_core(dtype):
    """Few enough that every pair of them can be tried."""
    return complex_grid(dtype, [NAN, INF, -0.0, 1.0, -2.5, large(dtype)])


def complex_spread(dtype, rng, count=32):
    """Parts of all magnitudes, parts between -1 and 1, parts between -4 and 4."""
    part = part_dtype(dtype)
    values = np.empty(3 * count, dtype)
    for parts in (values.real, values.imag):
        parts[:] = np.concatenate([float_spread(part, rng, count), rng.uniform(-4, 4, count).astype(part)])
    return values


def spread(dtype, rng):
    """Ordinary numbers to stand beside the edges; none for integers."""
    kind = np.dtype(dtype).kind
    if kind == "f":
        return float_spread(dtype, rng)
    return complex_spread(dtype, rng) if kind == "c" else np.empty(0, dtype)


def edges(dtype):
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.array([False, True])
    if kind == "f":
        return float_edges(dtype)
    return complex_edges(dtype) if kind == "c" else int_edges(dtype)


def core(dtype):
    """Edges of which every pair is tried."""
    kind = np.dtype(dtype).kind
    return {"f": float_core, "c": complex_core}.get(kind, edges)(dtype)


def sample(dtype, shape, rng, signed=False):
    """Small exact values, no part zero: 1..9 for integers, eighths up to 4 for floats."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.array(rng.integers(0, 2, shape) == 1)
    sign = rng.choice([-1, 1], shape) if signed and kind != "u" else np.ones(shape, np.int64)
    if kind in "iu":
        return np.array(rng.integers(1, 10, shape) * sign).astype(dtype)
    real = np.array(rng.integers(1, 33, shape) * sign / 8)
    if kind == "f":
        return real.astype(dtype)
    values = np.empty(shape, dtype)
    values.real, values.imag = real, rng.integers(1, 33, shape) * rng.choice([-1, 1], shape) / 8
    return values


def numbered(dtype, shape):
    """0, 1, 2, … so that a misplaced element shows; bool alternates."""
    count = np.arange(int(np.prod(shape)))
    return (count % 3 == 0 if dtype == "bool" else count.astype(dtype)).reshape(shape)


def factors(dtype, shape, rng):
    """Values whose products are exact: powers of two, or complex primes that never multiply to a zero part."""
    kind = np.dtype(dtype).kind
    if kind in "iu":
        return sample(dtype, shape, rng, signed=True)
    choices = [1, 1, 1, 1 + 2j] if kind == "c" else [1, 2, -2, 0.5, -0.5, -1]
    return np.array(rng.choice(choices, shape)).astype(dtype)
