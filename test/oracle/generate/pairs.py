"""Which pairs of operands have one answer, so that a fixture may ask for it.

In:  a function's name and two arrays of one dtype (already promoted). Out: a mask.
Must hold: division by integer zero, negative integer powers and shifts past the width are never asked; nor is what
the standard leaves open (the order of +0 and -0, complex arithmetic beyond finite numbers).
"""

import numpy as np

from binary import divide
from dtypes import bits
from precise import same_complex


def everywhere(a):
    return np.ones(a.shape, bool)


def integer_valid(name, a, b):
    if name in ("floorDivide", "remainder"):
        return b != 0
    if name == "pow":
        return b >= 0
    if name in ("bitwiseLeftShift", "bitwiseRightShift"):
        return (b >= 0) & (b < bits(a.dtype))
    return everywhere(a)


def float_valid(name, a, b):
    if name in ("maximum", "minimum"):
        return ~((a == 0) & (b == 0) & (np.signbit(a) != np.signbit(b)))
    if name == "logaddexp":  # the sum of the larger argument and a logarithm may cancel
        result, size = np.abs(np.logaddexp(a, b)), np.fmax(np.abs(a), np.abs(b))
        return ~np.isfinite(size) | (result > size / 4)
    return everywhere(a)


def textbook_quotient(a, b):
    """The formula, and |b| squared, which may overflow or vanish."""
    size = b.real * b.real + b.imag * b.imag
    value = np.empty(a.shape, a.dtype)
    value.real = (a.real * b.real + a.imag * b.imag) / size
    value.imag = (a.imag * b.real - a.real * b.imag) / size
    return value, size


def complex_divide_valid(a, b):
    """Finite operands whose quotient has the same zeros by the textbook, by NumPy and in long double."""
    exact = divide(a, b)
    same = same_complex(textbook_quotient(a, b)[0], exact) & same_complex(np.true_divide(a, b), exact)
    return same & np.isfinite(a) & np.isfinite(b)


def complex_divide_scaled(a, b):
    """Finite operands that NumPy divides well, though |b| squared overflows."""
    size = textbook_quotient(a, b)[1]
    finite = np.isfinite(a) & np.isfinite(b) & np.isfinite(divide(a, b))
    return finite & np.isinf(size) & same_complex(np.true_divide(a, b), divide(a, b))


def complex_pow_valid(a, b):
    moderate = (np.abs(a) < 1e3) & (np.abs(a) > 1e-3) & (np.abs(b) < 20)
    return np.isfinite(a) & np.isfinite(b) & moderate & (a.imag != 0) & (b.imag != 0)


def valid(name, a, b):
    """Where the pair (a, b) has an answer that the fixture may ask for."""
    kind = a.dtype.kind
    if kind in "iu":
        return integer_valid(name, a, b)
    if kind == "c":
        rule = {"divide": complex_divide_valid, "pow": complex_pow_valid}.get(name)
        return rule(a, b) if rule else everywhere(a)
    return float_valid(name, a, b) if kind == "f" else everywhere(a)
