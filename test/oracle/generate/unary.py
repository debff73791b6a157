"""Elementwise functions of one argument that are exact or nearly: signs, rounding, tests, parts, squares.

In:  nothing. Out: one Fixture per function.
Must hold: result dtypes are those of docs/semantics.md; of complex numbers only points with one answer are asked.
"""

import numpy as np

from dtypes import ALL, COMPLEXES, FLOATS, INTS, NUMERIC, REALS, floating
from encode import Fixture
from inputs import SHAPES, edges, sample, spread
from precise import precise, same_complex

def keep_integers(function):
    """floor, ceil, trunc and round of integers are the integers themselves."""
    return lambda x: x.copy() if x.dtype.kind in "iu" else function(x)


def round_parts(x):
    if x.dtype.kind != "c":
        return np.rint(x)
    out = np.empty(x.shape, x.dtype)
    out.real, out.imag = np.rint(x.real), np.rint(x.imag)
    return out


def reciprocal(x):
    if x.dtype.kind != "c":
        return np.asarray(1 / x.astype(floating(x.dtype.name)), floating(x.dtype.name))
    return (1 / x.astype(np.clongdouble)).astype(x.dtype)


def sign(x):
    """z/|z| for complex numbers; 0 for zeros of either sign."""
    if x.dtype.kind != "c":
        return np.sign(x)
    z = x.astype(np.clongdouble)
    size = np.hypot(z.real, z.imag)
    out = np.empty(x.shape, x.dtype)
    out.real = np.where(size == 0, 0, z.real / size)
    out.imag = np.where(size == 0, 0, z.imag / size)
    return np.where(np.isnan(x), x.dtype.type(complex(np.nan, np.nan)), out)


def imag(x):
    return np.array(x.imag) if x.dtype.kind == "c" else np.zeros(x.shape, x.dtype)


EXACT = {  # name: (accepted dtypes, function)
    "abs": (NUMERIC, lambda x: precise("abs", x) if x.dtype.kind == "c" else np.abs(x)),
    "bitwiseInvert": (["bool"] + INTS, np.invert),
    "ceil": (REALS, keep_integers(np.ceil)),
    "conj": (NUMERIC, np.conj),
    "floor": (REALS, keep_integers(np.floor)),
    "imag": (NUMERIC, imag),
    "isfinite": (ALL, np.isfinite),
    "isinf": (ALL, np.isinf),
    "isnan": (ALL, np.isnan),
    "logicalNot": (ALL, np.logical_not),
    "negative": (NUMERIC, np.negative),
    "positive": (NUMERIC, np.positive),
    "real": (NUMERIC, lambda x: np.array(x.real)),
    "reciprocal": (NUMERIC, reciprocal),
    "round": (NUMERIC, keep_integers(round_parts)),
    "sign": (NUMERIC, sign),
    "signbit": (FLOATS, np.signbit),
    "square": (NUMERIC, np.square),
    "trunc": (REALS, keep_integers(np.trunc)),
}

ROUNDING_NOTE = "integers keep their dtype (NumPy 1.24 makes them float)"
NOTES = {
    "ceil": ROUNDING_NOTE, "floor": ROUNDING_NOTE, "round": ROUNDING_NOTE, "trunc": ROUNDING_NOTE,
    "reciprocal": "integers become float64 (NumPy: integer division); complex 1/z of finite nonzero z where the "
    "textbook formula and NumPy agree on signs of zero (the rest is implementation-dependent)",
    "sign": "complex: z/|z|, NaN + NaNj if a part is NaN (NumPy 1.24: sign of the real part); z with an infinite "
    "part is implementation-dependent and in a case of its own; an overflowing |z| is left out; sign(-0) is +0",
    "square": "complex: the textbook formula without fused multiply-add, as NumPy",
    "abs": "the smallest signed integer wraps to itself; complex values rounded from long double",
}
def reciprocal_points(x, y):
    """Finite z != 0 where NumPy agrees on signs of zero: with the textbook formula, and in spite of its overflow."""
    size = x.real * x.real + x.imag * x.imag
    textbook = np.empty(x.shape, x.dtype)
    textbook.real, textbook.imag = (x.real + 0 * x.imag) / size, (0 * x.real - x.imag) / size
    fine = np.isfinite(x) & (x != 0) & same_complex(np.reciprocal(x), y)
    return fine & same_complex(textbook, y), fine & ((size == 0) | np.isinf(size))


def complex_points(name, x, y):
    """Masks of the points to ask: plain ones, and ones that need care against overflow."""
    nothing = np.zeros(x.shape, bool)
    if name == "reciprocal":
        return reciprocal_points(x, y)
    return (np.isnan(x) | np.isfinite(np.abs(x)) if name == "sign" else ~nothing), nothing


def exact_fixture(name, dtypes, function):
    fixture = Fixture(name, NOTES.get(name))
    for dtype in dtypes:
        x = np.concatenate([edges(dtype), spread(dtype, fixture.rng)])
        if dtype in COMPLEXES:
            plain, careful = complex_points(name, x, function(x))
            if np.any(careful):
                fixture.add([x[careful]], function(x[careful]),
                            note="the textbook formula overflows, NumPy does not")
            x = x[plain]
        fixture.add([x], function(x))
    for dtype in [d for d in ("bool", "int32", "float64", "complex64") if d in dtypes]:
        for shape in SHAPES:
            x = sample(dtype, shape, fixture.rng, signed=True)
            fixture.add([x], np.asarray(function(x)))
    if name == "signbit":
        add_negative_nan(fixture)
    if name == "sign":
        add_infinite_signs(fixture)
    return fixture


def add_infinite_signs(fixture):
    """Implementation-dependent in the standard; these are NumPy 2's (1.24 has another definition)."""
    inf, nan = np.inf, np.nan
    points = [(inf, 1, 1, 0), (-inf, -2.5, -1, 0), (0.5, inf, 0, 1), (-1, -inf, 0, -1), (inf, inf, nan, nan)]
    for dtype in COMPLEXES:
        x, y = np.empty(len(points), dtype), np.empty(len(points), dtype)
        x.real, x.imag, y.real, y.imag = np.array(points).T
        fixture.add([x], y, note="implementation-dependent: an infinite part, as NumPy 2")


def add_negative_nan(fixture):
    for dtype in FLOATS:
        x = np.copysign(np.array([np.nan, np.nan], dtype), np.array([-1, 1], dtype))
        fixture.add([x], np.signbit(x), note="the sign bit of a NaN")


def fixtures():
    for name, (dtypes, function) in EXACT.items():
        yield exact_fixture(name, dtypes, function)
