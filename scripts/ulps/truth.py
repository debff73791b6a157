"""How far results are from the correctly rounded values, in units in the last place: 0 is the nearest double, 1 one beside it.

In (stdin): {name: {"formula": text, "points": [[operands]], "results": {label: [numbers]}}}; an operand is a number or a row.
Out (stdout): {name: {label: [errors]}}: how many doubles lie between; "inf" where one is a number and the other not, null where
both are NaN. Needs mpmath.
"""

import json
import math
import struct
import sys

import mpmath
from mpmath import mp, mpf

PRECISION = 2200  # exp(-745) beside 1, and digits to spare
USUAL = 400  # where no exponential is below 2^-90, and nothing is nearer to 0 than that
mp.prec = PRECISION
NAN, INF = mpf("nan"), mpf("inf")


def log(x):
    return NAN if x < 0 or mpmath.isnan(x) else -INF if x == 0 else mpmath.log(x)


def exp(x):
    return INF if x == INF else mpf(0) if x == -INF else mpmath.exp(x)


def sigmoid(x):
    return 1 / (1 + exp(-x))


def softmax(row):
    total = mpmath.fsum(exp(x) for x in row)
    return [exp(x) / total for x in row]


def variance(row):
    mean = mpmath.fsum(row) / len(row)
    return mpmath.fsum((x - mean) ** 2 for x in row) / len(row)


def total(row):
    return mpmath.fsum(exp(x) for x in row)


NAMES = {
    **{name: getattr(mpmath, name) for name in ("sqrt", "atanh", "tanh", "asinh", "sinh", "acosh", "cosh", "sin", "cos")},
    **dict(log=log, exp=exp, sigmoid=sigmoid, softmax=softmax, variance=variance, total=total, fsum=mpmath.fsum),
    **dict(NAN=NAN, INF=INF, mpf=mpf, abs=abs, len=len, max=max, float=float),
}


def place(value):
    """Neighbouring doubles have neighbouring places."""
    bits = struct.unpack("<q", struct.pack("<d", value))[0]
    return bits if bits >= 0 else -(bits & 0x7FFFFFFFFFFFFFFF)


def rounded(truth):
    try:
        return float(truth)
    except OverflowError:
        return math.inf if truth > 0 else -math.inf


def error(result, truth):
    if mpmath.isnan(truth):
        return None if result is None else "inf"
    nearest = rounded(truth)
    found = math.nan if result is None else float(result)
    if math.isinf(nearest) or math.isinf(found) or math.isnan(found):
        return 0 if found == nearest else "inf"
    return abs(place(found) - place(nearest))


def operand(value):
    return [mpf(x) for x in value] if isinstance(value, list) else mpf(value)


def parts(value):
    return value if isinstance(value, list) else [value]


def is_usual(x):
    return x == 0 or 1e-25 < abs(x) < 60


def errors(case):
    code = compile(case["formula"], "formula", "eval")
    found = {label: [] for label in case["results"]}
    for at, operands in enumerate(case["points"]):
        mp.prec = USUAL if all(is_usual(x) for value in operands for x in parts(value)) else PRECISION
        bound = dict(zip("xy", (operand(value) for value in operands)))
        truth = eval(code, {**NAMES, **bound})
        for label, results in case["results"].items():
            if isinstance(truth, list):
                found[label] += [error(result, one) for result, one in zip(results[at], truth)]
            else:
                found[label].append(error(results[at], truth))
    return found


print(json.dumps({name: errors(case) for name, case in json.load(sys.stdin, parse_int=float).items()}))
