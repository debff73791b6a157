"""Writes points.json: what the complex functions give at edge points and at seeded random points.

Run: /usr/bin/python3 test/oracle/complex/generate.py   (NumPy 1.24.2 on x86-64 Linux)

Functions are evaluated in NumPy's clongdouble and rounded, so that what is expected is right to half an ulp
of float64; sums, products and quotients are evaluated in complex128, because Chunkwise rounds as NumPy does.
"""
import base64
import json
import pathlib

import numpy as np

np.seterr(all="ignore")
INF, NAN, PI = np.inf, np.nan, np.pi
PARTS = [NAN] + [
    sign * size
    for size in (INF, 0.0, 1.0, 0.5, 1e-300, 1e300, 1e-8, 2.0, 20.0, 710.0, 1e8)
    for sign in (1.0, -1.0)
]
# Operands of binary functions: every pair of these.
NUMBERS = [
    complex(*parts)
    for parts in [
        (NAN, NAN), (NAN, 1), (INF, NAN), (INF, 0), (-INF, 2), (INF, INF), (1, INF),
        (0.0, 0.0), (-0.0, 0.0), (0.0, -0.0), (1, 0), (2, 0), (3, 0), (-1, 0), (-2, -0.0), (0.5, 0),
        (0, 1), (1.5, -0.5), (1e300, 1e-300), (1e-300, 0),
    ]
]


def complex_of(re, im):
    """re + i·im; the sum in Python would lose signs of zeros and make NaNs of infinities."""
    z = np.empty(np.broadcast(re, im).shape, np.result_type(np.asarray(re), np.asarray(im), 1j))
    z.real, z.imag = re, im
    return z


def wide(z):
    return z.astype(np.clongdouble)


def mixed(rng, count, spread):
    """Parts of both signs whose magnitudes are spread over 10^-spread … 10^spread."""
    size = 10.0 ** rng.uniform(-spread, spread, (2, count))
    sign = rng.choice([-1.0, 1.0], (2, count))
    return complex_of(size[0] * sign[0], size[1] * sign[1])


def random_points(rng):
    """300 points: ordinary, of mixed magnitude, beside the branch points ±1 and ±i, beside the unit circle."""
    turn = lambda count: np.exp(2j * np.pi * rng.uniform(size=count))
    beside = rng.choice([1, -1, 1j, -1j], 50) + 10.0 ** rng.uniform(-18, -1, 50) * turn(50)
    circle = turn(50) * (1 + 10.0 ** rng.uniform(-16, -2, 50))
    return np.concatenate([mixed(rng, 100, 1.5), mixed(rng, 70, 8), mixed(rng, 30, 250), beside, circle])


RNG = np.random.default_rng(20241201)
POINTS = np.concatenate([[complex(x, y) for x in PARTS for y in PARTS], random_points(RNG)])
LEFT = np.concatenate([np.repeat(NUMBERS, len(NUMBERS)), mixed(RNG, 200, 2)])
RIGHT = np.concatenate([np.tile(NUMBERS, len(NUMBERS)), mixed(RNG, 200, 0.8)])


def expm1(z):
    """NumPy's own makes NaNs of what the standard tells apart; beside infinities it is exp(z) − 1."""
    y, e = z.imag, np.exp(z)
    re = np.expm1(z.real) * np.cos(y) - 2 * np.sin(y / 2) ** 2
    finite = np.isfinite(z)
    return complex_of(np.where(finite, re, e.real - 1), e.imag)


def log1p(z):
    """NumPy's own goes through |1 + z|, which loses small z, and loses the sign of a zero imaginary part."""
    x, y = z.real, z.imag
    log = np.log(complex_of(1 + x, y))
    return complex_of(np.where(np.abs(z) < 0.5, np.log1p(x * (x + 2) + y * y) / 2, log.real), log.imag)


def sign(z):
    """NumPy 2's; NumPy 1.24 looks at the real part. Beside NaN the standard's NaN + NaN i."""
    direction = lambda part, other: np.where(
        np.isinf(part), np.copysign(1, part), np.where(np.isinf(other), 0, part)
    )
    d = complex_of(direction(z.real, z.imag), direction(z.imag, z.real))
    unit = complex_of(d.real / np.abs(d), d.imag / np.abs(d))
    nothing = np.isnan(z) | (np.isinf(z.real) & np.isinf(z.imag))
    return np.where(z == 0, 0, np.where(nothing, complex(NAN, NAN), unit))


def multiply(z, w):
    """The textbook formula, without the fused operations that NumPy uses on some machines."""
    return complex_of(z.real * w.real - z.imag * w.imag, z.real * w.imag + z.imag * w.real)


def divide(z, w):
    """NumPy multiplies by a reciprocal, which costs a digit: its zeros, infinities and NaNs, better digits."""
    narrow, precise = np.divide(z, w), np.divide(wide(z), w)
    digits = lambda part: np.isfinite(part) & (part != 0)
    re = np.where(digits(narrow.real), precise.real, narrow.real)
    return complex_of(re, np.where(digits(narrow.imag), precise.imag, narrow.imag))


def power(z, w):
    """Beside infinities and NaNs the standard has exp(w·log z); NumPy multiplies for whole exponents."""
    square = multiply(z, z)
    finite = np.isfinite(z) & np.isfinite(w)
    general = np.where(finite, wide(z) ** wide(w), np.exp(multiply(w, np.log(z))))
    # 0^w: NumPy 1.24 gives 0 for real w > 0 only, NumPy 2 for re w > 0.
    general = np.where(z == 0, np.where(w.real > 0, 0, complex(NAN, NAN)), general)
    return np.select([w == 0, w == 1, w == 2, w == 3], [1, z, square, multiply(z, square)], general)


UNARY = {
    "sign": sign, "exp": np.exp, "expm1": expm1, "log": np.log, "log1p": log1p, "log2": np.log2,
    "log10": np.log10, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin,
    "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
    "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
}


def corrections():
    """(function, x, y, value, why) where NumPy 1.24 does otherwise than the standard, or than its symmetries.

    expm1, log1p, sign, divide and power above are whole functions of that kind.
    Not followed: the standard's rows for sqrt(±∞ + bi), b finite. They say NaN + NaN i and 0 + ∞i; C99, NumPy
    and the limit say 0 + ∞i for −∞ and ∞ + 0i for +∞. And sqrt(NaN ± ∞i) is ∞ ± ∞i: two of its rows disagree.
    """
    for a in (INF, -INF):
        for b in PARTS:
            if np.isfinite(b):
                # C99 has the sign of sin(2b) here, the standard that of b.
                yield "tanh", a, b, (np.copysign(1, a), np.copysign(0, b)), "±1 ± 0i"
                yield "tan", b, a, (np.copysign(0, b), np.copysign(1, a)), "tan z = −i tanh(iz)"
    for b in (NAN, INF, -INF):
        # Signs unspecified, but "sinh(x) must equal -sinh(-x)".
        yield "sinh", -INF, b, (-INF, NAN), "odd"
        yield "sin", b, -INF, (NAN, -INF), "sin z = −i sinh(iz)"
    for y in (1e-300, -1e-300):
        # −y²/2 is no double: NumPy's complex128 has +0 as well.
        yield "expm1", 0.0, y, (0.0, y), "underflow"
    for a in (INF, -INF):
        # Sign unspecified: here always that of −i·(+0).
        yield "atan", a, NAN, (np.copysign(PI / 2, a), -0.0), "atan z = −i atanh(iz)"


def corrected(values):
    same = lambda a, b: np.array([a]).tobytes() == np.array([b]).tobytes() or (np.isnan(a) and np.isnan(b))
    for name, x, y, (re, im), _ in corrections():
        (at,) = [i for i in range(len(PARTS) ** 2) if same(POINTS[i].real, x) and same(POINTS[i].imag, y)]
        values[name][at] = complex(re, im)
    return values


def packed(z):
    return base64.b64encode(np.asarray(z).astype(np.complex128).tobytes()).decode()


def main():
    unary = {name: f(wide(POINTS)).astype(np.complex128) for name, f in UNARY.items()}
    unary = corrected(unary)
    unary["abs"] = np.abs(wide(POINTS))
    unary["square"] = multiply(POINTS, POINTS)
    unary["reciprocal"] = divide(np.ones_like(POINTS), POINTS)
    binary = {"multiply": multiply(LEFT, RIGHT), "divide": divide(LEFT, RIGHT), "pow": power(LEFT, RIGHT)}
    tables = {
        "points": packed(POINTS),
        "unary": {name: packed(z) for name, z in unary.items()},
        "left": packed(LEFT),
        "right": packed(RIGHT),
        "binary": {name: packed(z) for name, z in binary.items()},
    }
    text = json.dumps(tables, indent=2) + "\n"
    pathlib.Path(__file__).with_name("points.json").write_text(text)


if __name__ == "__main__":
    main()
