"""Function values rounded from 80-bit arithmetic, so that the oracle is right to the last bit or nearly.

In:  a function's name and arrays of float32/float64/complex64/complex128.
Out: the value in the same precision, correctly rounded but for rare double rounding.
Must hold: NumPy's own result has the same NaNs, infinities and signs and is within a few ulps (check_close).
"""

import numpy as np

LONG = {"f": np.longdouble, "c": np.clongdouble}
NUMPY_NAMES = {
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan",
    "atanh": "arctanh", "atan2": "arctan2", "abs": "absolute", "pow": "power",
}
NATIVE_ULPS = {"f": 4, "c": 12}


def check_long_double():
    assert np.finfo(np.longdouble).nmant == 63, "the oracle needs x86-64's 80-bit long double"


def native(name):
    return getattr(np, NUMPY_NAMES.get(name, name))


def pair(re, im):
    """A complex number from its parts; arithmetic would spoil NaNs, infinities and signs of zero."""
    z = np.empty(np.shape(re), np.clongdouble)
    z.real, z.imag = re, im
    return z


def complex_expm1(z):
    re, im = z.real, z.imag
    imaginary = np.where(im == 0, im, np.exp(re) * np.sin(im))  # not inf * 0
    return pair(np.expm1(re) * np.cos(im) - 2 * np.sin(im / 2) ** 2, imaginary)


def complex_log1p(z):
    re, im = z.real, z.imag
    return pair(np.log1p(re * (2 + re) + im * im) / 2, np.arctan2(im, 1 + re))


def complex_log_base(base):
    def log_base(z):
        value = np.log(z)
        return pair(value.real / np.log(np.longdouble(base)), value.imag / np.log(np.longdouble(base)))

    return log_base


COMPLEX = {
    "expm1": complex_expm1, "log1p": complex_log1p,
    "log2": complex_log_base(2), "log10": complex_log_base(10),
}


def precise(name, *arrays):
    """The function computed in long double and rounded once to the precision of the arguments."""
    kind = arrays[0].dtype.kind
    function = COMPLEX.get(name, native(name)) if kind == "c" else native(name)
    value = np.asarray(function(*[array.astype(LONG[kind]) for array in arrays]))
    result_kind = value.dtype.kind
    size = arrays[0].real.dtype.itemsize * (2 if result_kind == "c" else 1)
    return value.astype(f"{result_kind}{size}")


def same_class(a, b):
    """Real arrays: both NaN, or the same infinity, or the same zero, or both other numbers of one sign."""
    sign = np.signbit(a) == np.signbit(b)
    both_nan = np.isnan(a) & np.isnan(b)
    alike = (np.isnan(a) == np.isnan(b)) & (np.isinf(a) == np.isinf(b)) & ((a == 0) == (b == 0))
    return both_nan | (alike & sign)


def distance(a, b, scale):
    """|a - b| in ulps of scale; 0 where either is not finite."""
    finite = np.isfinite(a) & np.isfinite(b) & np.isfinite(scale)
    gap = np.abs(a.astype(np.longdouble) - b.astype(np.longdouble))
    return np.where(finite, gap / np.spacing(np.abs(np.where(finite, scale, 1))), 0)


def same_complex(a, b):
    return same_class(a.real, b.real) & same_class(a.imag, b.imag)


def same_special(a, b):
    """As same_class, but a number that is not zero may be rounded to zero."""
    both_zero = (a == 0) & (b == 0)
    numbers = np.isfinite(a) & np.isfinite(b) & ~both_zero
    return same_class(a, b) | numbers


def close(a, b, ulps, at_least=0):
    """Where two results agree within ulps; complex parts relative to the larger part (or `at_least`)."""
    if a.dtype.kind != "c":
        return same_class(a, b) & (distance(a, b, b) <= ulps)
    scale = np.fmax(np.fmax(np.abs(b.real), np.abs(b.imag)), b.real.dtype.type(at_least))
    re = same_special(a.real, b.real) & (distance(a.real, b.real, scale) <= ulps)
    im = same_special(a.imag, b.imag) & (distance(a.imag, b.imag, scale) <= ulps)
    return re & im


def check_close(name, result, *arrays):
    """The oracle is NumPy: its own result, in the arrays' precision, is the same but for rounding."""
    theirs = native(name)(*arrays)
    agree = close(theirs, result, NATIVE_ULPS[arrays[0].dtype.kind])
    if not np.all(agree):
        where = np.argwhere(~agree)[:5]
        inputs = [np.broadcast_to(array, result.shape) for array in arrays]
        shown = [([x[tuple(i)] for x in inputs], theirs[tuple(i)], result[tuple(i)]) for i in where]
        raise AssertionError(f"{name}: NumPy and long double disagree at {shown}")
