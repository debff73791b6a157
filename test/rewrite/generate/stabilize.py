"""Writes test/rewrite/fixtures/stabilize.json: true values of formulas that lose digits or overflow.

Run: /usr/bin/python3 test/rewrite/generate/stabilize.py (needs mpmath).
In:  points, exact as doubles. Out: {form: [{"at": operands, "value": result}]}, each value correctly rounded; an
operand or a result is a number or a row of numbers. Must hold: forms are those of rules-stabilize-accuracy.test.ts.
"""

import json
import pathlib

from mpmath import atanh, exp, fsum, log, mp, mpf, sqrt, tanh

mp.prec = 4000  # exp(-1000) beside 1
TARGET = pathlib.Path(__file__).parents[1] / "fixtures" / "stabilize.json"


def sigmoid(x):
    return 1 / (1 + exp(-x))


def softmax(row):
    total = fsum(exp(x) for x in row)
    return [exp(x) / total for x in row]


def log_softmax(row):
    total = log(fsum(exp(x) for x in row))
    return [x - total for x in row]


ROWS = [
    ([1000.0, 1001.0, 999.5],), ([-1000.0, -1000.0, -1001.5],), ([1000.0, 990.0, 980.0],), ([0.5, 0.25, 1.5],),
    ([1e4, -1e4, 0.0],), ([30.0, -30.0, 0.0],),
]
FORMS = {
    "log(1 + x)": (lambda x: log(1 + x), [(1e-20,), (1e-10,), (-1e-12,), (0.75,), (-0.5,), (1e300,)]),
    "log(1 - x)": (lambda x: log(1 - x), [(1e-20,), (1e-10,), (-1e-12,), (0.75,)]),
    "exp(x) - 1": (lambda x: exp(x) - 1, [(1e-20,), (-1e-9,), (0.5,), (-40.0,), (300.0,)]),
    "1 - exp(x)": (lambda x: 1 - exp(x), [(1e-20,), (-1e-9,), (0.5,), (-40.0,)]),
    "log(exp(x) + exp(y))": (
        lambda x, y: log(exp(x) + exp(y)), [(1000.0, 1001.0), (-1000.0, -1001.0), (1.0, 2.0), (3.0, -50.0)],
    ),
    "log(1 + exp(x))": (lambda x: log(1 + exp(x)), [(800.0,), (-40.0,), (-700.0,), (1.0,), (-1.0,), (0.0,)]),
    "log(1 - exp(x))": (lambda x: log(1 - exp(x)), [(-1e-20,), (-1e-5,), (-50.0,), (-1.0,), (-0.5,), (-700.0,)]),
    "log(exp(x) - 1)": (lambda x: log(exp(x) - 1), [(1e-10,), (800.0,), (1.0,), (40.0,), (1e-300,)]),
    "log(exp(x) - exp(y))": (
        lambda x, y: log(exp(x) - exp(y)), [(1000.0, 999.0), (2.0, 2.0 - 2.0**-40), (-1000.0, -1001.0), (3.0, 1.0)],
    ),
    "exp(x) / (1 + exp(x))": (sigmoid, [(800.0,), (-740.0,), (1.0,), (-30.0,)]),
    "1 / (1 + exp(-x))": (sigmoid, [(-740.0,), (-700.0,), (1.0,), (800.0,)]),
    "1 - 1 / (1 + exp(-x))": (lambda x: sigmoid(-x), [(50.0,), (30.0,), (700.0,), (-1.0,)]),
    "log(1 / (1 + exp(-x)))": (lambda x: log(sigmoid(x)), [(-800.0,), (50.0,), (1.0,), (-1.0,)]),
    "log(1 - 1 / (1 + exp(-x)))": (lambda x: log(sigmoid(-x)), [(800.0,), (-50.0,), (1.0,), (-1.0,)]),
    "log(exp(x))": (lambda x: x, [(1000.0,), (-1000.0,), (1e-20,)]),
    "exp(log(x))": (lambda x: x, [(1e300,), (1e-300,), (3.5,)]),
    "log1p(expm1(x))": (lambda x: x, [(1000.0,), (-50.0,), (0.5,)]),
    "atanh(tanh(x))": (lambda x: x, [(25.0,), (15.0,), (0.5,)]),
    "log(x ** 2)": (lambda x: log(x * x), [(1e200,), (-1e-200,), (3.0,)]),
    "log(sqrt(x))": (lambda x: log(sqrt(x)), [(1 + 2.0**-40,), (1 - 2.0**-53,), (1e300,)]),
    "log(s / (1 - s)), s = sigmoid(x)": (lambda x: x, [(50.0,), (800.0,), (-3.0,)]),
    "log(sum(exp(x)))": (lambda row: log(fsum(exp(x) for x in row)), ROWS),
    "log(mean(exp(x)))": (lambda row: log(fsum(exp(x) for x in row) / len(row)), ROWS),
    "exp(x) / sum(exp(x))": (softmax, ROWS),
    "log(exp(x) / sum(exp(x)))": (log_softmax, ROWS),
    "x - log(sum(exp(x)))": (log_softmax, ROWS),
    "exp(x - log(sum(exp(x))))": (softmax, ROWS),
}


def exact(operand):
    return [mpf(x) for x in operand] if isinstance(operand, list) else mpf(operand)


def rounded(value):
    return [float(x) for x in value] if isinstance(value, list) else float(value)


def main():
    cases = {
        form: [{"at": list(at), "value": rounded(function(*map(exact, at)))} for at in points]
        for form, (function, points) in FORMS.items()
    }
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(json.dumps(cases, indent=1) + "\n")


main()
