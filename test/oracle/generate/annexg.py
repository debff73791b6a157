"""The standard's special cases of complex functions (array API 2024.12, after C99 Annex G).

In:  a function's name and the parts a, b of one argument.
Out: the parts of the result, SKIP where the standard leaves a sign open, None where it has no rule.
Must hold: rules are written for b >= +0 and, for odd and even functions, a >= +0; symmetry gives the rest.
sqrt(±inf + bj) is as in C99: the text of 2024.12 had a slip there, since corrected (data-apis/array-api#987).
"""

import numpy as np

L = np.longdouble
PI = np.arctan2(L(0), L(-1))
INF, NAN, SKIP = L(np.inf), L(np.nan), "skip"

CLASSES = {
    "any": lambda v: True,
    "nan": np.isnan,
    "+inf": lambda v: v == INF,
    "-inf": lambda v: v == -INF,
    "±inf": np.isinf,
    "finite": np.isfinite,
    "nonzero": lambda v: np.isfinite(v) and v != 0,
    "positive": lambda v: np.isfinite(v) and v > 0,
    "zero": lambda v: v == 0,
    "+0": lambda v: v == 0 and not np.signbit(v),
    "-0": lambda v: v == 0 and np.signbit(v),
    "1": lambda v: v == 1,
    "-1": lambda v: v == -1,
}


def cis_times(size):
    """size * cis(b), for size 0 or infinity."""
    return lambda b: (np.copysign(L(size), np.cos(b)), np.copysign(L(size), np.sin(b)))


def tanh_at_infinity(b):
    """1 + 0j in the standard, 1 + 0*sin(2b)j in C: where they differ (array-api#1006) nothing is asked."""
    return (L(1), L(0)) if np.sin(2 * b) >= 0 else SKIP


LOG = [
    ("finite", "+inf", (INF, PI / 2)), ("finite", "nan", (NAN, NAN)), ("-inf", "positive", (INF, PI)),
    ("+inf", "positive", (INF, 0)), ("-inf", "+inf", (INF, 3 * PI / 4)), ("+inf", "+inf", (INF, PI / 4)),
    ("±inf", "nan", (INF, NAN)), ("nan", "finite", (NAN, NAN)), ("nan", "+inf", (INF, NAN)),
    ("nan", "nan", (NAN, NAN)),
]

RULES = {
    "acos": [
        ("zero", "+0", (PI / 2, -0.0)), ("zero", "nan", (PI / 2, NAN)), ("finite", "+inf", (PI / 2, -INF)),
        ("nonzero", "nan", (NAN, NAN)), ("-inf", "positive", (PI, -INF)), ("+inf", "positive", (0, -INF)),
        ("-inf", "+inf", (3 * PI / 4, -INF)), ("+inf", "+inf", (PI / 4, -INF)), ("±inf", "nan", SKIP),
        ("nan", "finite", (NAN, NAN)), ("nan", "+inf", (NAN, -INF)), ("nan", "nan", (NAN, NAN)),
    ],
    "acosh": [
        ("zero", "+0", (0, PI / 2)), ("finite", "+inf", (INF, PI / 2)), ("nonzero", "nan", (NAN, NAN)),
        ("zero", "nan", SKIP), ("-inf", "positive", (INF, PI)), ("+inf", "positive", (INF, 0)),
        ("-inf", "+inf", (INF, 3 * PI / 4)), ("+inf", "+inf", (INF, PI / 4)), ("±inf", "nan", (INF, NAN)),
        ("nan", "finite", (NAN, NAN)), ("nan", "+inf", (INF, NAN)), ("nan", "nan", (NAN, NAN)),
    ],
    "asinh": [
        ("+0", "+0", (0, 0)), ("positive", "+inf", (INF, PI / 2)), ("finite", "nan", (NAN, NAN)),
        ("+inf", "positive", (INF, 0)), ("+inf", "+inf", (INF, PI / 4)), ("nan", "+0", (NAN, 0)),
        ("nan", "nonzero", (NAN, NAN)), ("nan", "+inf", SKIP), ("nan", "nan", (NAN, NAN)),
    ],
    "atanh": [
        ("+0", "+0", (0, 0)), ("+0", "nan", (0, NAN)), ("1", "+0", (INF, 0)), ("positive", "+inf", (0, PI / 2)),
        ("nonzero", "nan", (NAN, NAN)), ("+inf", "positive", (0, PI / 2)), ("+inf", "+inf", (0, PI / 2)),
        ("+inf", "nan", (0, NAN)), ("nan", "finite", (NAN, NAN)), ("nan", "+inf", SKIP), ("nan", "nan", (NAN, NAN)),
    ],
    "cosh": [
        ("+0", "+0", (1, 0)), ("+0", "+inf", SKIP), ("+0", "nan", SKIP), ("nonzero", "+inf", (NAN, NAN)),
        ("nonzero", "nan", (NAN, NAN)), ("+inf", "+0", (INF, 0)), ("+inf", "nonzero", cis_times(INF)),
        ("+inf", "+inf", SKIP), ("+inf", "nan", (INF, NAN)), ("nan", "zero", SKIP),
        ("nan", "nonzero", (NAN, NAN)), ("nan", "nan", (NAN, NAN)),
    ],
    "exp": [
        ("zero", "+0", (1, 0)), ("finite", "+inf", (NAN, NAN)), ("finite", "nan", (NAN, NAN)),
        ("+inf", "+0", (INF, 0)), ("-inf", "finite", cis_times(0)), ("+inf", "nonzero", cis_times(INF)),
        ("±inf", "+inf", SKIP), ("±inf", "nan", SKIP), ("nan", "+0", (NAN, 0)), ("nan", "any", (NAN, NAN)),
    ],
    "expm1": [
        ("+0", "+0", (0, 0)), ("-0", "+0", SKIP), ("finite", "+inf", (NAN, NAN)), ("finite", "nan", (NAN, NAN)),
        ("+inf", "+0", (INF, 0)), ("-inf", "finite", lambda b: (L(-1), cis_times(0)(b)[1])),
        ("+inf", "nonzero", cis_times(INF)), ("±inf", "+inf", SKIP), ("±inf", "nan", SKIP),
        ("nan", "+0", (NAN, 0)), ("nan", "any", (NAN, NAN)),
    ],
    "log": [("-0", "+0", (-INF, PI)), ("+0", "+0", (-INF, 0))] + LOG,
    "log1p": [("-1", "+0", (-INF, 0)), ("-0", "+0", SKIP)] + LOG,
    "sinh": [
        ("+0", "+0", (0, 0)), ("+0", "+inf", SKIP), ("+0", "nan", SKIP), ("positive", "+inf", (NAN, NAN)),
        ("positive", "nan", (NAN, NAN)), ("+inf", "+0", (INF, 0)), ("+inf", "positive", cis_times(INF)),
        ("+inf", "+inf", SKIP), ("+inf", "nan", SKIP), ("nan", "+0", (NAN, 0)),
        ("nan", "nonzero", (NAN, NAN)), ("nan", "nan", (NAN, NAN)),
    ],
    "sqrt": [
        ("zero", "+0", (0, 0)), ("any", "+inf", (INF, INF)), ("finite", "nan", (NAN, NAN)),
        ("-inf", "positive", (0, INF)), ("+inf", "positive", (INF, 0)), ("-inf", "nan", SKIP),
        ("+inf", "nan", (INF, NAN)), ("nan", "any", (NAN, NAN)),
    ],
    "tanh": [
        ("+0", "+0", (0, 0)), ("nonzero", "+inf", (NAN, NAN)), ("+0", "+inf", (0, NAN)),
        ("nonzero", "nan", (NAN, NAN)),
        ("+0", "nan", (0, NAN)), ("+inf", "positive", tanh_at_infinity), ("+inf", "+inf", SKIP),
        ("+inf", "nan", SKIP),
        ("nan", "+0", (NAN, 0)), ("nan", "any", (NAN, NAN)),
    ],
}

ODD, EVEN = {"asinh", "atanh", "sinh", "tanh"}, {"cosh"}
ROTATED = {"asin": "asinh", "atan": "atanh", "sin": "sinh", "tan": "tanh"}  # f(z) = -j g(jz)
LOG_BASE = {"log2": 2, "log10": 10}


def first_rule(name, a, b):
    for a_class, b_class, result in RULES[name]:
        if CLASSES[a_class](a) and CLASSES[b_class](b):
            return result(b) if callable(result) else result
    return None


def special(name, a, b):
    """The standard's value at a + bj."""
    a, b = L(a), L(b)
    if name in ROTATED:
        return rotated(special(ROTATED[name], -b, a))
    if name == "cos":
        return special("cosh", -b, a)
    if name in LOG_BASE:
        return divided(special("log", a, b), np.log(L(LOG_BASE[name])))
    mirror_a = name in ODD | EVEN and bool(np.signbit(a)) and not np.isnan(a)
    mirror_b = bool(np.signbit(b)) and not np.isnan(b)
    result = first_rule(name, -a if mirror_a else a, -b if mirror_b else b)
    if result is None or result is SKIP:
        return result
    re, im = L(result[0]), L(result[1])
    if mirror_b:  # f(conj z) = conj f(z)
        im = -im
    if mirror_a:  # f(-conj z) = -conj f(z) for odd, conj f(z) for even functions
        re, im = (-re, im) if name in ODD else (re, -im)
    return re, im


def rotated(result):
    return result if result is None or result is SKIP else (result[1], -result[0])


def divided(result, by):
    return result if result is None or result is SKIP else (result[0] / by, result[1] / by)


NAMES = sorted(set(RULES) | set(ROTATED) | set(LOG_BASE) | {"cos"})
