"""Writes test/math/fixtures/*.json: arguments and correctly rounded values of the elementary functions.

Run: /usr/bin/python3 test/math/generate/references.py   (needs mpmath; takes a few minutes)
A file has, for each width, base64 of little-endian arrays: the arguments, the rounded values, and as int8 what
the rounding took away, in 1/250 ulp, so that errors can be measured finer than an ulp.
"""

import base64
import json
import pathlib
import random
import struct

import mpmath
from mpmath import mp, mpf

import points

TARGET = pathlib.Path(__file__).parents[1] / "fixtures"

# Width: struct letter, bits of the mantissa, exponent of the least subnormal, of the first number that is too large.
WIDTHS = {"float64": ("d", 53, -1074, 1024), "float32": ("f", 24, -149, 128)}

FUNCTIONS = {
    "exp": (mpmath.exp, points.exponential),
    "expm1": (mpmath.expm1, points.exponential_less_one),
    "log": (mpmath.log, points.logarithm),
    "log1p": (mpmath.log1p, points.logarithm_one_plus),
    "log2": (lambda x: mpmath.log(x) / mpmath.log(2), points.logarithm),
    "log10": (lambda x: mpmath.log(x) / mpmath.log(10), points.logarithm),
    "sin": (mpmath.sin, points.angle),
    "cos": (mpmath.cos, points.angle),
    "tan": (mpmath.tan, points.angle),
    "asin": (mpmath.asin, points.unit),
    "acos": (mpmath.acos, points.unit),
    "atan": (mpmath.atan, points.line),
    "sinh": (mpmath.sinh, points.hyperbolic),
    "cosh": (mpmath.cosh, points.hyperbolic),
    "tanh": (mpmath.tanh, points.hyperbolic),
    "asinh": (mpmath.asinh, points.long_line),
    "acosh": (mpmath.acosh, points.above_one),
    "atanh": (mpmath.atanh, points.inside_unit),
    "atan2": (mpmath.atan2, points.angles_of_two),
    "hypot": (lambda x, y: mpmath.sqrt(x * x + y * y), points.sides),
    "pow": (mpmath.power, points.powers),
}

MAX_POINTS = {"float64": 1500, "float32": 1300}


def rounded(value, width):
    """The nearest number of the width, ties to even, and what is left in ulps of it."""
    _, bits, least, limit = WIDTHS[width]
    if value == 0:
        return 0.0, mpf(0)
    exponent = max(mp.frexp(value)[1] - bits, least)
    scaled = mp.ldexp(value, -exponent)
    whole = mp.floor(scaled)
    rest = scaled - whole
    if rest > 0.5 or (rest == 0.5 and int(whole) % 2 == 1):
        whole, rest = whole + 1, rest - 1
    result = mp.ldexp(whole, exponent)
    if abs(result) >= mp.ldexp(1, limit):
        return float(mp.sign(value)) * float("inf"), mpf(0)
    return float(result), rest


def reference(f, arguments, width):
    """Rounded at one precision, checked at a higher one; None where the function has no finite value."""
    results = []
    for precision in (1400, 1700):
        with mp.workprec(precision):
            value = f(*[mpf(x) for x in arguments])
            if not isinstance(value, mpf) or not mp.isfinite(value):
                return None
            results.append(rounded(value, width))
    (first, rest), (second, _) = results
    assert first == second, (f, arguments)
    return first, round(rest * 250)


def single(x):
    """The nearest float32, or None where there is none."""
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return None


def arguments_of(name, width):
    """Distinct tuples of arguments that the width holds, none of them zero or infinite."""
    tuples = [x if isinstance(x, tuple) else (x,) for x in FUNCTIONS[name][1]()]
    worst = points.found(name)
    tuples = worst + random.sample(tuples, min(len(tuples), MAX_POINTS[width] - len(worst)))
    if width == "float32":
        tuples = [tuple(single(x) for x in values) for values in tuples]
    return [v for v in dict.fromkeys(tuples) if all(x is not None and 0 < abs(x) < float("inf") for x in v)]


def encode(letter, values):
    return base64.b64encode(struct.pack(f"<{len(values)}{letter}", *values)).decode()


def is_stored(name, value):
    """Leaves out what the tests state one by one: zeros, whose signs mpmath lacks."""
    return value != 0 or name in ("pow", "exp")


def fixture(name, width):
    rows = []
    for values in arguments_of(name, width):
        result = reference(FUNCTIONS[name][0], values, width)
        if result is not None and is_stored(name, result[0]):
            rows.append((values, *result))
    letter = WIDTHS[width][0]
    count = len(rows[0][0])
    return {
        "arguments": [encode(letter, [row[0][i] for row in rows]) for i in range(count)],
        "values": encode(letter, [row[1] for row in rows]),
        "rests": encode("b", [row[2] for row in rows]),
    }


def main():
    TARGET.mkdir(exist_ok=True)
    for name in FUNCTIONS:
        random.seed(name)
        data = {width: fixture(name, width) for width in WIDTHS}
        (TARGET / f"{name}.json").write_text(json.dumps(data, indent=2) + "\n")
        print(name, len(base64.b64decode(data["float64"]["rests"])), len(base64.b64decode(data["float32"]["rests"])))


if __name__ == "__main__":
    main()
