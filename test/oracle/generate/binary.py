"""Elementwise functions of two arguments: what they accept and how the expected value is computed.

In:  a function's name and two arrays of one dtype (already promoted).
Out: the expected array.
Must hold: complex arithmetic is the textbook's without fused multiply-add; what rounds is rounded from long double.
"""

import numpy as np

from dtypes import ALL, INTS, NUMERIC, REALS, floating
from precise import check_close, precise


class Spec:
    """accepts: dtypes of arrays; floats: integers are computed as float64; scalars: weak kinds that it takes."""

    def __init__(self, accepts, function, floats=False, scalars=(int, float, complex), note=None):
        self.accepts = accepts
        self.function = function
        self.floats = floats
        self.scalars = scalars
        self.note = note

    def compute_dtype(self, dtype):
        return floating(dtype) if self.floats else dtype


def checked(name):
    """A function of floats in long double, checked against NumPy's own."""

    def function(a, b):
        result = precise(name, a, b)
        if name != "logaddexp":  # NumPy cancels there, see pairs.py
            check_close(name, result, a, b)
        return result

    return function


def divide(a, b):
    if a.dtype.kind != "c":
        return np.true_divide(a, b)
    finite = np.isfinite(a) & np.isfinite(b) & (b != 0)
    exact = (a.astype(np.clongdouble) / np.where(finite, b, 1).astype(np.clongdouble)).astype(a.dtype)
    return np.where(finite, exact, np.true_divide(a, b))


def power(a, b):
    if a.dtype.kind in "iu":
        return np.power(a, b)
    return precise("pow", a, b) if a.dtype.kind == "c" else checked("pow")(a, b)


REAL_SCALARS = (int, float)
FLOAT_NOTE = "integers are computed as float64"
PRECISE_NOTE = FLOAT_NOTE + "; values rounded from 80-bit long double, NumPy itself is within 4 ulps"
ZERO_NOTE = "pairs of +0 and -0 are left out: the standard leaves the choice open"
PYTHON_NOTE = "Python's: the remainder has the divisor's sign"
COMPARE_NOTE = "int64 with uint64 only for small values: NumPy 1.24 compares them as float64, NumPy 2 exactly"
TEXTBOOK = "complex: the textbook formula without fused multiply-add, also where a part is not finite (as NumPy)"

SPECS = {
    "add": Spec(NUMERIC, np.add),
    "atan2": Spec(REALS, checked("atan2"), floats=True, scalars=REAL_SCALARS, note=PRECISE_NOTE),
    "bitwiseAnd": Spec(["bool"] + INTS, np.bitwise_and, scalars=(bool, int)),
    "bitwiseLeftShift": Spec(INTS, np.left_shift, scalars=(int,)),
    "bitwiseOr": Spec(["bool"] + INTS, np.bitwise_or, scalars=(bool, int)),
    "bitwiseRightShift": Spec(INTS, np.right_shift, scalars=(int,)),
    "bitwiseXor": Spec(["bool"] + INTS, np.bitwise_xor, scalars=(bool, int)),
    "copysign": Spec(REALS, np.copysign, floats=True, scalars=REAL_SCALARS, note=FLOAT_NOTE),
    "divide": Spec(NUMERIC, divide, floats=True, note=FLOAT_NOTE + "; complex: rounded from long double for finite "
                   "operands where the textbook formula and NumPy agree on signs of zero, cases of their own where "
                   "the textbook formula overflows and for division by zero (as NumPy 2); the rest is "
                   "implementation-dependent and left out"),
    "equal": Spec(ALL, np.equal, scalars=(bool, int, float, complex), note=COMPARE_NOTE),
    "floorDivide": Spec(REALS, np.floor_divide, scalars=REAL_SCALARS),
    "greater": Spec(["bool"] + REALS, np.greater, scalars=REAL_SCALARS, note=COMPARE_NOTE),
    "greaterEqual": Spec(["bool"] + REALS, np.greater_equal, scalars=REAL_SCALARS, note=COMPARE_NOTE),
    "hypot": Spec(REALS, checked("hypot"), floats=True, scalars=REAL_SCALARS, note=PRECISE_NOTE),
    "less": Spec(["bool"] + REALS, np.less, scalars=REAL_SCALARS, note=COMPARE_NOTE),
    "lessEqual": Spec(["bool"] + REALS, np.less_equal, scalars=REAL_SCALARS, note=COMPARE_NOTE),
    "logaddexp": Spec(REALS, checked("logaddexp"), floats=True, scalars=REAL_SCALARS, note=FLOAT_NOTE
                      + "; values rounded from 80-bit long double; pairs whose result is much smaller than the "
                      "arguments are left out (cancellation)"),
    "logicalAnd": Spec(ALL, np.logical_and, scalars=(bool, int)),
    "logicalOr": Spec(ALL, np.logical_or, scalars=(bool, int)),
    "logicalXor": Spec(ALL, np.logical_xor, scalars=(bool, int)),
    "maximum": Spec(["bool"] + REALS, np.maximum, scalars=REAL_SCALARS, note=ZERO_NOTE),
    "minimum": Spec(["bool"] + REALS, np.minimum, scalars=REAL_SCALARS, note=ZERO_NOTE),
    "multiply": Spec(NUMERIC, np.multiply, note=TEXTBOOK),
    "nextafter": Spec(REALS, np.nextafter, floats=True, scalars=REAL_SCALARS, note=FLOAT_NOTE),
    "notEqual": Spec(ALL, np.not_equal, scalars=(bool, int, float, complex), note=COMPARE_NOTE),
    "pow": Spec(NUMERIC, power, note="floats: C's pow (1**NaN is 1); complex: finite nonzero bases and moderate "
                "exponents rounded from long double (NumPy itself is within 16 ulps), the rest left out (the standard "
                "lets implementations choose)"),
    "remainder": Spec(REALS, np.remainder, scalars=REAL_SCALARS, note=PYTHON_NOTE),
    "subtract": Spec(NUMERIC, np.subtract),
}
