"""Elementwise functions of one argument that round: exponentials, logarithms, roots, circular and hyperbolic ones.

In:  nothing. Out: one Fixture per function.
Must hold: integers are computed as float64; complex special values are the standard's (annexg.py), and where NumPy's
are not they stand in a case of their own.
"""

import numpy as np

from annexg import NAMES as COMPLEX_RULES
from annexg import SKIP, special
from dtypes import COMPLEXES, FLOATS, INTS, floating
from encode import Fixture
from inputs import SHAPES, edges, float_spread, sample, spread
from precise import check_close, close, native, precise

NAMES = [
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "expm1", "log", "log1p", "log2",
    "log10", "sin", "sinh", "sqrt", "tan", "tanh",
]
DOMAINS = {"acosh": 1.5, "log": 1e-300, "log2": 1e-300, "log10": 1e-300, "sqrt": 0.0}  # lower ends, for samples

NOTE = (
    "integers are computed as float64 (NumPy: float16 or float32 for small ones); values rounded from 80-bit long "
    "double, NumPy itself is within 4 ulps (complex: 12); complex special cases are the standard's, open signs left out"
)
NUMPY_NAIVE = "complex: NumPy 1.24 loses digits near 0, these do not"
NOTES = {
    "expm1": NUMPY_NAIVE,
    "log1p": NUMPY_NAIVE,
    "sqrt": "real: correctly rounded; complex: sqrt(±inf + bj) as C99 and NumPy, the text of 2024.12 had a slip there",
    "tan": "tan(b ± inf j) is ±0 ± 1j only where C99 and the standard agree on the sign of zero",
    "tanh": "tanh(±inf + bj) is ±1 + 0j only where C99 and the standard agree on the sign of zero (array-api#1006)",
}


def transcendental(name, x):
    x = x.astype(floating(x.dtype.name))
    if name == "sqrt" and x.dtype.kind == "f":  # IEEE asks for the correctly rounded root
        return np.sqrt(x)
    result = precise(name, x)
    if x.dtype.kind == "f":
        check_close(name, result, x)
    return result


def split_complex(name, x):
    """The points where NumPy gives the standard's answer, and those where it does not; open points go."""
    y = precise(name, x)
    agree = np.ones(x.size, bool)
    for i, z in enumerate(x):
        rule = special(name, z.real, z.imag) if name in COMPLEX_RULES else None
        if rule is SKIP or (rule is None and not np.isfinite(z) and name in ("expm1", "log1p")):
            agree[i] = False
        elif rule is not None:
            y[i] = parts(rule, x.dtype)
    theirs = native(name)(x)
    at_least = 1 if name in ("expm1", "log1p") else 0  # NumPy loses digits near zero there
    differ = agree & ~close(theirs, y, 12, at_least)
    return y, agree & ~differ, differ


def parts(rule, dtype):
    value = np.empty(1, dtype)
    value.real, value.imag = rule
    return value[0]


def transcendental_fixture(name):
    fixture = Fixture(name, NOTE)
    fixture.note(NOTES.get(name))
    for dtype in INTS + FLOATS:
        x = edges(dtype)
        if dtype in FLOATS:
            x = np.concatenate([x, spread(dtype, fixture.rng)])
            if name in DOMAINS:
                x = np.concatenate([x, DOMAINS[name] + np.abs(float_spread(dtype, fixture.rng))]).astype(dtype)
        fixture.add([x], transcendental(name, x))
    for dtype in COMPLEXES:
        x = np.concatenate([edges(dtype), spread(dtype, fixture.rng)])
        y, agree, differ = split_complex(name, x)
        fixture.add([x[agree]], y[agree])
        if np.any(differ):
            fixture.add([x[differ]], y[differ], note="the standard's special cases; NumPy 1.24 differs here")
    for dtype in ("int32", "float64", "complex64"):
        for shape in SHAPES:
            x = sample(dtype, shape, fixture.rng)
            fixture.add([x], np.asarray(transcendental(name, x)))
    return fixture


def fixtures():
    for name in NAMES:
        yield transcendental_fixture(name)
