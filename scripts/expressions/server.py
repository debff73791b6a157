"""Evaluates random programs with NumPy: one JSON line in, one out.

In: {"programs": [program…], "how": "result", "digest" or "expected"}. Out: for each program {"dtype", "shape", "bytes"} (base64,
little-endian), or the digest (FNV-1a) of the bytes instead; or, of floats, what may be expected where NumPy itself rounds: {"truth", "spread", "undecided"}, the value in 80-bit numbers, how far
NumPy and runs with every rounding perturbed are from it, and where one of those was NaN or infinite and another was not.
A program that NumPy cannot evaluate gives {"error"}.
"""

import base64
import json
import sys

import numpy as np

NAMES = {
    **dict(logicalAnd=np.logical_and, logicalOr=np.logical_or, logicalXor=np.logical_xor, logicalNot=np.logical_not),
    **dict(lessEqual=np.less_equal, greaterEqual=np.greater_equal, notEqual=np.not_equal),
    **dict(bitwiseAnd=np.bitwise_and, bitwiseOr=np.bitwise_or, bitwiseXor=np.bitwise_xor),
    **dict(bitwiseInvert=np.invert, bitwiseLeftShift=np.left_shift, bitwiseRightShift=np.right_shift),
    **dict(floorDivide=np.floor_divide, pow=np.power, countNonzero=np.count_nonzero),
}
SPECIAL = {"nan": np.nan, "inf": np.inf, "-inf": -np.inf, "-0": -0.0}
REDUCTIONS = {"sum", "prod", "max", "min", "mean", "any", "all", "countNonzero"}
CLOSE = {"exp", "log", "log1p", "expm1", "sqrt", "sin", "cos", "tanh", "reciprocal", "divide", "pow", "sum", "prod", "mean", "matmul", "square"}
TRIALS = 16
PIECES = [(size, isApart) for size in (2, 3, 4) for isApart in (False, True)]


def array(source):
    if "order" in source:
        factor, first = source["order"]
        values = (np.arange(source["shape"][0]) * factor + first) % 256
        return values.astype(np.uint8).view(source["dtype"])
    data = [SPECIAL[x] if isinstance(x, str) else x for x in source["data"]]
    return np.array(data, dtype=source["dtype"]).reshape(source["shape"])


class As:
    """How floats are held: as they are, wide, or with every rounding moved by some ulps; and how they are reduced: `pieces`
    says how many at a time, and whether neighbours or those that lie so far apart, before what comes of them is reduced."""

    def __init__(self, isWide=False, random=None, pieces=None, nan=None):
        self.isWide, self.random, self.pieces, self.nan = isWide, random, pieces, nan

    def held(self, x, op):
        if x.dtype.kind != "f":
            return x
        # Nobody says which sign a NaN has.
        if self.nan is not None:
            return np.where(np.isnan(x), np.copysign(x, self.nan), x)
        if self.isWide:
            return x.astype(np.longdouble)
        if self.random is None or op not in CLOSE:
            return x
        moved = x + x * np.finfo(x.dtype).eps * self.random.uniform(-2, 2, x.shape).astype(x.dtype)
        return np.where(np.isfinite(moved), moved, x)


def cast(x, dtype, how):
    return x.astype(np.longdouble) if how.isWide and dtype.startswith("float") else x.astype(dtype)


def runs(attrs):
    return tuple(slice(*run) for run in attrs["runs"])


def constant(attrs, x, op):
    if op == "pow":
        return (x, np.asarray(attrs["value"], dtype=x.dtype))
    value = np.asarray(attrs["value"], dtype=x.dtype)
    return (value, x) if attrs.get("isLeft") else (x, value)


UFUNCS = {"sum": np.add, "mean": np.add, "prod": np.multiply}


def inPieces(op, x, axis, keepdims, size, isApart):
    """A reduction in another order: sizes of tasks and lanes are not NumPy's."""
    axes = range(x.ndim) if axis is None else [axis]
    count = 1
    for a in axes:
        length = x.shape[a]
        count *= length
        if length == 0:
            return np.asarray(getattr(np, op)(x, axis=axis, keepdims=keepdims))
        order = np.argsort(np.arange(length) % size, kind="stable") if isApart else np.arange(length)
        starts = range(0, length, -(-length // size) if isApart else size)
        pieces = UFUNCS[op].reduceat(np.take(x, order, axis=a), list(starts), axis=a)
        x = UFUNCS[op].reduce(pieces, axis=a, keepdims=True)
    x = x / x.dtype.type(count) if op == "mean" else x
    return np.asarray(x if keepdims else x.reshape([n for a, n in enumerate(x.shape) if a not in axes]))


def step(op, given, attrs, how):
    x = given[0]
    if op in REDUCTIONS:
        axis, keepdims = attrs["axis"], attrs["keepdims"]
        if op == "countNonzero":
            return np.asarray(np.count_nonzero(x, axis=axis, keepdims=keepdims), dtype="int64")
        if how.pieces is not None and x.dtype.kind == "f" and op in UFUNCS:
            return inPieces(op, x, axis, keepdims, *how.pieces)
        return np.asarray(getattr(np, op)(x, axis=axis, keepdims=keepdims))
    if "value" in attrs:
        return NAMES.get(op, getattr(np, op, None))(*constant(attrs, x, op))
    if op == "get":
        return x[runs(attrs)]
    if op == "set":
        x = x.copy()
        x[runs(attrs)] = given[1]
        return x
    if op == "astype":
        return cast(x, attrs["dtype"], how)
    if op == "permuteDims":
        return np.transpose(x, attrs["axes"])
    if op == "expandDims":
        return np.expand_dims(x, attrs["axis"])
    if op == "squeeze":
        return np.squeeze(x, attrs["axis"])
    if op == "reshape":
        return np.reshape(x, attrs["shape"])
    if op == "broadcastTo":
        return np.broadcast_to(x, attrs["shape"])
    if op == "flip":
        return np.flip(x, attrs["axis"])
    if op == "roll":
        return np.roll(x, attrs["shift"], attrs["axis"])
    if op == "repeat":
        return np.repeat(x, attrs["count"], attrs["axis"])
    if op == "sort":
        return np.sort(x, attrs["axis"])
    if op == "concat":
        return np.concatenate(given, attrs["axis"])
    return NAMES.get(op, getattr(np, op, None))(*given)


def evaluate(program, how):
    values = [how.held(array(source), "source") for source in program["sources"]]
    # log(1 + x) may be log1p(x), of which the sum is not rounded.
    logged = {i for one in program["steps"] if one["op"] == "log" for i in one["inputs"]}
    for one in program["steps"]:
        found = step(one["op"], [values[i] for i in one["inputs"]], one["attrs"], how)
        values.append(how.held(np.asarray(found), "log" if len(values) in logged else one["op"]))
    return np.asarray(values[-1])


def digest(data):
    found = 0x811C9DC5
    for byte in data:
        found = ((found ^ byte) * 0x01000193) & 0xFFFFFFFF
    return found


def result(program, isDigested=False):
    x = evaluate(program, As())
    data = np.ascontiguousarray(x).tobytes()
    told = {"digest": digest(data)} if isDigested else {"bytes": base64.b64encode(data).decode()}
    return {"dtype": str(x.dtype), "shape": list(x.shape), **told}


def number(x):
    return None if np.isnan(x) else "inf" if x == np.inf else "-inf" if x == -np.inf else float(x)


def expected(program):
    usual = evaluate(program, As()).astype(np.longdouble).ravel()
    truth = evaluate(program, As(isWide=True)).astype(np.longdouble).ravel()
    moved = [
        evaluate(program, As(random=np.random.default_rng(seed))).astype(np.longdouble).ravel() for seed in range(TRIALS)
    ]
    ordered = [evaluate(program, As(pieces=pieces)).astype(np.longdouble).ravel() for pieces in PIECES]
    signed = [evaluate(program, As(nan=sign)).astype(np.longdouble).ravel() for sign in (-1, 1)]
    others = [usual, *moved, *ordered, *signed]
    undecided = np.zeros(truth.shape, bool)
    spread = np.zeros(truth.shape)
    for other in others:
        for isSo in (np.isnan, np.isposinf, np.isneginf):
            undecided |= isSo(other) != isSo(truth)
        apart = np.abs(other - truth)
        spread = np.maximum(spread, np.where(np.isfinite(apart), apart, 0).astype(float))
    return {
        "truth": [number(x) for x in truth.astype(float)],
        "spread": [float(16 * x) for x in spread],
        "undecided": [bool(x) for x in undecided],
    }


def answer(program, how):
    try:
        return expected(program) if how == "expected" else result(program, how == "digest")
    except Exception as error:  # a program that NumPy refuses is told of, and not compared
        return {"error": f"{type(error).__name__}: {error}"}


np.seterr(all="ignore")
for line in sys.stdin:
    asked = json.loads(line)
    answers = [answer(program, asked["how"]) for program in asked["programs"]]
    print(json.dumps({"answers": answers, "numpy": np.__version__}), flush=True)
