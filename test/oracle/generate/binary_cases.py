"""Cases of the elementwise functions of two arguments.

In:  the specs of binary.py. Out: one Fixture per function: pairs of edge values per dtype, broadcasting,
     mixed dtypes, weak scalars on either side.
Must hold: operands are cast to the dtype of docs/semantics.md before NumPy sees them.
"""

import numpy as np

from binary import SPECS
from dtypes import ALL, COMPLEXES, FLOATS, bits, fits, meet, weak_dtype
from encode import Fixture
from inputs import BROADCASTS, core, sample, spread
from pairs import complex_divide_scaled, valid

MIXED = [
    ("bool", "int8"), ("uint8", "bool"), ("bool", "float32"), ("complex64", "bool"), ("int8", "uint8"),
    ("uint16", "int8"), ("int32", "uint32"), ("int64", "uint64"), ("uint8", "float32"), ("float32", "int16"),
    ("int32", "float32"), ("float32", "uint64"), ("uint64", "float64"), ("float64", "float32"),
    ("int8", "complex64"), ("complex64", "int32"), ("float64", "complex64"), ("complex128", "float32"),
]
SCALARS = [True, 2, 2.5, float("nan"), float("-inf"), 1.5 - 2j]
SHIFTS = ("bitwiseLeftShift", "bitwiseRightShift")


def compute(name, a, b, dtype):
    """The expected value of two operands that meet in dtype."""
    to = SPECS[name].compute_dtype(dtype)
    return np.asarray(SPECS[name].function(np.asarray(a).astype(to), np.asarray(b).astype(to)))


def second_edges(name, dtype):
    """The right operands: shift counts and integer exponents are not any number."""
    if name in SHIFTS:
        return np.array(sorted({0, 1, 3, bits(dtype) // 2, bits(dtype) - 1}), dtype)
    return core(dtype)


def add_edge_pairs(fixture, name):
    """Every pair of edge values; as one row against one column when all pairs are valid."""
    for dtype in SPECS[name].accepts:
        a, b = core(dtype)[:, None], second_edges(name, dtype)[None, :]
        to = SPECS[name].compute_dtype(dtype)
        wide = [np.array(x.astype(to)) for x in np.broadcast_arrays(a, b)]
        mask = valid(name, *wide)
        if not np.all(mask):
            a, b = [np.array(x)[mask] for x in np.broadcast_arrays(a, b)]
        fixture.add([a, b], compute(name, a, b, dtype))


def add_random_pairs(fixture, name):
    """Ordinary floats and complex numbers, for accuracy."""
    for dtype in [d for d in FLOATS + COMPLEXES if d in SPECS[name].accepts]:
        a, b = spread(dtype, fixture.rng), spread(dtype, fixture.rng)
        mask = valid(name, a, b)
        fixture.add([a[mask], b[mask]], compute(name, a[mask], b[mask], dtype))


def small(name, dtype, shape, rng):
    """Operands with which every function is defined: shifts and powers get small ones."""
    values = sample(dtype, shape, rng)
    return np.array(values % 7).astype(dtype) if name in SHIFTS else values


def add_broadcasts(fixture, name):
    for dtype in [d for d in ("bool", "int32", "float64", "complex128") if d in SPECS[name].accepts]:
        for left, right in BROADCASTS:
            a, b = small(name, dtype, left, fixture.rng), small(name, dtype, right, fixture.rng)
            fixture.add([a, b], compute(name, a, b, dtype))


def is_ambiguous(name, a, b):
    """A small integer with float32 or complex64, where "integers become float64 first" can be read in two ways."""
    if not SPECS[name].floats:
        return False
    kinds = {np.dtype(a).kind, np.dtype(b).kind}
    return bool(kinds & {"i", "u"}) and meet(a, b) in ("float32", "complex64")


def add_mixed(fixture, name):
    accepts = SPECS[name].accepts
    pairs = [(a, b) for a in ALL for b in ALL if a != b] if name == "add" else MIXED
    for a_dtype, b_dtype in pairs:
        if a_dtype not in accepts or b_dtype not in accepts or is_ambiguous(name, a_dtype, b_dtype):
            continue
        if meet(a_dtype, b_dtype) not in accepts:  # int64 with uint64 is float64
            continue
        a, b = small(name, a_dtype, (4,), fixture.rng), small(name, b_dtype, (4,), fixture.rng)
        fixture.add([a, b], compute(name, a, b, meet(a_dtype, b_dtype)))


def takes_scalar(name, dtype, scalar):
    spec = SPECS[name]
    if type(scalar) not in spec.scalars or not fits(scalar, dtype):
        return False
    if name.startswith("bitwise") and isinstance(scalar, bool) != (dtype == "bool"):
        return False
    return weak_dtype(dtype, scalar) in spec.accepts


def add_scalars(fixture, name):
    for dtype in SPECS[name].accepts:
        x = small(name, dtype, (3,), fixture.rng)
        for scalar in SCALARS:
            if not takes_scalar(name, dtype, scalar):
                continue
            to = weak_dtype(dtype, scalar)
            value = np.array(scalar).astype(to)
            fixture.add([x, scalar], compute(name, x, value, to))
            fixture.add([scalar, x], compute(name, value, x, to))


def add_wide_scalars(fixture):  # integers that a JavaScript number does not hold
    for dtype, scalar in (("int64", -(2**62) - 1), ("uint64", 2**63 + 1)):
        x = np.array([1, 2, 3], dtype)
        fixture.add([x, scalar], np.add(x, np.array(scalar, dtype)))


def add_negative_nan(fixture):
    for dtype in FLOATS:
        a = np.array([1.5, -2.5, np.inf, 0.0], dtype)
        b = np.copysign(np.array(np.nan, dtype), np.array([-1, 1, -1, -1], dtype))
        fixture.add([a, b], np.copysign(a, b), note="the sign of a NaN counts")


def add_complex_division_extras(fixture):
    """Where the textbook formula overflows, and division by zero: implementation-dependent, here NumPy's."""
    for dtype in COMPLEXES:
        a, b = (x.ravel() for x in np.meshgrid(core(dtype), core(dtype), indexing="ij"))
        mask = complex_divide_scaled(a, b)
        note = "the textbook formula overflows, NumPy does not"
        fixture.add([a[mask], b[mask]], compute("divide", a[mask], b[mask], dtype), note=note)
        zero = np.zeros(1, dtype)
        a = np.array([1, -1, 1j, -2.5 - 1j], dtype)
        fixture.add([a, zero], np.true_divide(a, zero), note="implementation-dependent: by +0+0j, as NumPy 2")


def fixture_of(name):
    fixture = Fixture(name, SPECS[name].note)
    add_edge_pairs(fixture, name)
    add_random_pairs(fixture, name)
    add_broadcasts(fixture, name)
    add_mixed(fixture, name)
    add_scalars(fixture, name)
    if name == "add":
        add_wide_scalars(fixture)
    if name == "copysign":
        add_negative_nan(fixture)
    if name == "divide":
        add_complex_division_extras(fixture)
    return fixture


def fixtures():
    for name in SPECS:
        yield fixture_of(name)
