"""The data types and their promotion, as docs/semantics.md has them.

In:  dtype names, weak scalars. Out: dtype names.
Must hold: NumPy's dtype promotion is the table of semantics.md (check_promotion); NumPy 1.24's value-based
promotion of scalars is never used, weak_dtype says what a scalar does.
"""

import numpy as np

SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
INTS = SIGNED + UNSIGNED
FLOATS = ["float32", "float64"]
COMPLEXES = ["complex64", "complex128"]
REALS = INTS + FLOATS
NUMERIC = REALS + COMPLEXES
ALL = ["bool"] + NUMERIC

RANK = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}


def rank(dtype):
    """bool < integer < float < complex."""
    return RANK[np.dtype(dtype).kind]


def bits(dtype):
    return np.dtype(dtype).itemsize * 8


def part_dtype(dtype):
    """The real type of a complex type's parts; a real type is its own."""
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


def meet(a, b):
    """The type that two arrays promote to."""
    return np.promote_types(a, b).name


def scalar_rank(value):
    if isinstance(value, bool):
        return 0
    if isinstance(value, int):
        return 1
    return 2 if isinstance(value, float) else 3


def weak_dtype(dtype, scalar):
    """The type that an array of `dtype` and a weak scalar meet in."""
    kind = scalar_rank(scalar)
    if kind <= rank(dtype):
        return dtype
    if kind == 1:
        return "int64"
    if kind == 2:
        return "float64"
    return "complex64" if dtype == "float32" else "complex128"


def floating(dtype):
    """For functions that compute in floating point: integers become float64 first."""
    return "float64" if np.dtype(dtype).kind in "iu" else dtype


def sum_dtype(dtype):
    """What sums and products of `dtype` are held in: small integers widen to 64 bits."""
    return {"i": "int64", "u": "uint64"}.get(np.dtype(dtype).kind, dtype)


def fits(scalar, dtype):
    """Whether an integer scalar may meet an array of `dtype`."""
    if not isinstance(scalar, int) or isinstance(scalar, bool) or np.dtype(dtype).kind not in "iu":
        return True
    info = np.iinfo(dtype)
    return info.min <= scalar <= info.max


def check_promotion():
    expected = {
        ("int8", "uint8"): "int16", ("int32", "uint32"): "int64", ("int64", "uint64"): "float64",
        ("int16", "float32"): "float32", ("int32", "float32"): "float64", ("uint8", "float64"): "float64",
        ("int32", "complex64"): "complex128", ("int16", "complex64"): "complex64",
        ("float64", "complex64"): "complex128", ("bool", "int8"): "int8", ("bool", "bool"): "bool",
    }
    for (a, b), dtype in expected.items():
        assert meet(a, b) == dtype == meet(b, a), (a, b)
