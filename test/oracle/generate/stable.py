"""Functions of exponentials that keep their digits: sigmoid, softplus, log1mexp, logsumexp, softmax, logSoftmax.

In:  floats of every size, and sums of eighths, so that x - max(x) is exact. Out: one fixture a function.
Must hold: formulas are evaluated in 80-bit long double, whose exponents do not overflow here, and rounded once.
"""

import numpy as np

from dtypes import FLOATS, INTS, floating
from encode import Fixture
from inputs import SHAPES, edges, sample, spread

NOTE = "not in the standard; values rounded from 80-bit long double"
INF, NAN = np.inf, np.nan
LONG = np.longdouble


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softplus(x):
    return np.where(x > 50, x + np.exp(-x), np.log1p(np.exp(x)))


def log1mexp(x):
    """-inf instead of NaN as far above 0 as rounding goes."""
    left = -np.expm1(x)
    return np.where(x > -0.5, np.log(np.where((left < 0) & (left > -(2.0**-60)), 0, left)), np.log1p(-np.exp(x)))


ELEMENTWISE = {"sigmoid": sigmoid, "softplus": softplus, "log1mexp": log1mexp}


def shifted(x, axis):
    """x - max(x), and x itself where that is infinite."""
    top = np.max(x, axis=axis, keepdims=True, initial=-INF)
    return top, x - np.where(np.isfinite(top), top, 0)


def logsumexp(x, axis, keepdims):
    top, rest = shifted(x, axis)
    total = np.log(np.sum(np.exp(rest), axis=axis, keepdims=True)) + np.where(np.isfinite(top), top, 0)
    return total if keepdims else np.squeeze(total, axis=axis)


def softmax(x, axis):
    e = np.exp(shifted(x, axis)[1])
    return e / np.sum(e, axis=axis, keepdims=True)


def log_softmax(x, axis):
    """The largest term, 1, is left out of the sum: log1p keeps the digits of what is beside it."""
    rest = shifted(x, axis)[1]
    others = np.sum(np.where(rest == 0, 0, np.exp(rest)), axis=axis, keepdims=True)
    below = np.log1p(others + (np.sum(rest == 0, axis=axis, keepdims=True) - 1))
    return np.where(np.abs(rest - below) < 1e-320, 0, rest - below)  # not a -0 that underflow makes


def rounded(function, x, *args):
    dtype = floating(x.dtype.name)
    return np.asarray(function(x.astype(dtype).astype(LONG), *args)).astype(dtype)


def elementwise_fixture(name, function):
    fixture = Fixture(name, NOTE)
    for dtype in INTS + FLOATS:
        x = edges(dtype)
        if dtype in FLOATS:
            x = np.concatenate([x, spread(dtype, fixture.rng), -np.abs(spread(dtype, fixture.rng)) * 8]).astype(dtype)
        if name == "log1mexp":  # what rounding leaves just above 0 is -inf, and how far that goes is ours to say
            x = x[~((x > 0) & (x < 1e-4))]
        fixture.add([x], rounded(function, x))
    for shape in SHAPES:
        x = -sample("float64", shape, fixture.rng)
        fixture.add([x], rounded(function, x))
    return fixture


def rows(dtype):
    """Rows with what overflows, what is infinite, and what is not a number."""
    big = 80 if dtype == "float32" else 700
    return np.array(
        [
            [0.5, 0.25, -1.5], [1000, 1001, 999.5], [-1000, -1000, -1001.5], [big, -big, 0], [-INF, -INF, -INF],
            [INF, 1, 2], [INF, -INF, INF], [NAN, 1, 2], [-INF, 0.5, 3], [-0.0, 0.0, -0.0], [20, 10, 0],
        ],
        dtype,
    )


def arrays(rng, signed):
    for dtype in FLOATS:
        yield rows(dtype)
        for shape in [(), (1,), (5,), (2, 3), (2, 1, 3), (3, 0), (40,)]:
            yield sample(dtype, shape, rng, signed)
    yield sample("int32", (2, 3), rng, signed)


def axes_of(x):
    return [None, *range(-1 if x.ndim > 0 else 0, x.ndim), *([(0, x.ndim - 1)] if x.ndim > 1 else [])]


def logsumexp_fixture():
    fixture = Fixture("logsumexp", NOTE)
    for x in arrays(fixture.rng, signed=False):  # not max(x) = -log(rest), where the result is 0 but for rounding
        for axis in axes_of(x):
            named = {} if axis is None else {"axis": list(axis) if isinstance(axis, tuple) else axis}
            every = tuple(range(x.ndim)) if axis is None else axis
            fixture.add([x], rounded(logsumexp, x, every, False), **named)
            fixture.add([x], rounded(logsumexp, x, every, True), keepdims=True, **named)
    return fixture


def softmax_fixture(name, function):
    fixture = Fixture(name, NOTE)
    for x in arrays(fixture.rng, signed=True):
        fixture.add([x], rounded(function, x, -1 if x.ndim > 0 else ()))
        for axis in axes_of(x):
            every = tuple(range(x.ndim)) if axis is None else axis
            fixture.add([x], rounded(function, x, every), axis=list(every) if isinstance(every, tuple) else every)
    return fixture


def fixtures():
    for name, function in ELEMENTWISE.items():
        yield elementwise_fixture(name, function)
    yield logsumexp_fixture()
    yield softmax_fixture("softmax", softmax)
    yield softmax_fixture("logSoftmax", log_softmax)
