"""Calls of functions on nested lists, with results by plain Python on lists: what Awkward's documentation says of each.

Run: /usr/bin/python3 test/ragged-calls/generate.py. Each line: [function, arrays, other arguments, result]. NaN and infinities are the
texts "nan", "inf", "-inf" in {"#": …}.
"""

import itertools
import json
import math
import pathlib
import random
import statistics

random.seed(20)
PER = 52
lines = []


def number(floats):
    return random.choice([-3, -2, -1, 0, 1, 2, 3, 5]) + (random.choice([0, 0.25, 0.5]) if floats else 0)


def nested(depth, floats=True, nulls=0.0, null_lists=0.0, rows=None, longest=4):
    """Rows; the first one has values, so that the type is known."""
    n = random.randint(1, 6) if rows is None else rows

    def one(d, first=False):
        if d == 0:
            return None if not first and random.random() < nulls else number(floats)
        if not first and random.random() < null_lists:
            return None
        return [one(d - 1, first and i == 0) for i in range(random.randint(1 if first else 0, longest))]

    return [one(depth - 1, i == 0) for i in range(n)]


def like(x, floats=True):
    return [like(v, floats) if isinstance(v, list) else None if v is None else number(floats) for v in x]


def inner(x, f):
    """f of the innermost lists; None stays."""
    if x is None:
        return None
    if any(isinstance(v, list) for v in x):
        return [inner(v, f) for v in x]
    return f(x)


def rows_inner(x, depth, f):
    """The same where it is known how deep lists are: empty ones of other levels are no innermost ones."""
    if x is None:
        return None
    return f(x) if depth == 1 else [rows_inner(v, depth - 1, f) for v in x]


def leaves(x):
    if isinstance(x, list):
        return [v for y in x for v in leaves(y)]
    return [x]


def there(v):
    return [u for u in v if u is not None]


def call(name, arrays, args, result):
    lines.append([name, arrays, args, result])


def div(a, b):
    if b == 0:
        return math.nan if a == 0 else math.copysign(math.inf, a)
    return a / b


def mean(v):
    v = there(v)
    return sum(v) / len(v) if v else math.nan


def var(v, ddof=0):
    v = there(v)
    if len(v) == 0:
        return math.nan
    m = sum(v) / len(v)
    return div(sum((u - m) ** 2 for u in v), max(0, len(v) - ddof))


def first_place(v, better):
    best = None
    for i, u in enumerate(v):
        if u is not None and (best is None or better(u, v[best])):
            best = i
    return best


REDUCERS = {
    "sum": lambda v: sum(there(v)),
    "prod": lambda v: math.prod(there(v)),
    "min": lambda v: min(there(v), default=None),
    "max": lambda v: max(there(v), default=None),
    "any": lambda v: any(there(v)),
    "all": lambda v: all(there(v)),
    "count": lambda v: len(there(v)),
    "countNonzero": lambda v: sum(u != 0 for u in there(v)),
    "mean": mean,
    "var": var,
    "std": lambda v: math.sqrt(var(v)) if there(v) else math.nan,
    "ptp": lambda v: max(there(v)) - min(there(v)) if there(v) else None,
    "argmin": lambda v: first_place(v, lambda a, b: a < b),
    "argmax": lambda v: first_place(v, lambda a, b: a > b),
    "nansum": lambda v: sum(there(v)),
    "nanmax": lambda v: max(there(v), default=None),
}
for name, reduce in REDUCERS.items():
    for _ in range(PER):
        depth = random.choice([2, 2, 3])
        x = nested(depth, nulls=0.15, null_lists=0.1, floats=random.random() < 0.5)
        if random.random() < 0.7:
            call(name, [x], [{"axis": -1}], [rows_inner(v, depth - 1, reduce) for v in x])
        elif not name.startswith("arg"):
            call(name, [x], [], reduce([v for v in leaves(x)]))

for _ in range(PER):
    x = nested(2, null_lists=0.1)
    call("num", [x], [], [None if v is None else len(v) for v in x])
    call("localIndex", [x], [], [None if v is None else list(range(len(v))) for v in x])
    call("flatten", [x], [], [u for v in x if v is not None for u in v])
    call("flatten", [x], [{"axis": None}], [u for u in leaves(x) if u is not None])
    call("singletons", [[v[0] if v else None for v in x]], [{"axis": 0}], [[v[0]] if v else [] for v in x])
    call("firsts", [x], [], [v[0] if v else None for v in x])
    n = random.randint(0, 5)
    call("padNone", [x], [n], [None if v is None else v + [None] * (n - len(v)) for v in x])
    call("padNone", [x], [n, {"clip": True}], [None if v is None else (v + [None] * n)[:n] for v in x])

for _ in range(PER):
    x = nested(2, nulls=0.3, floats=False)
    call("ravel", [x], [], leaves(x))
    call("fillNone", [x], [7], [[7 if u is None else u for u in v] for v in x])
    call("dropNone", [x], [{"axis": -1}], [there(v) for v in x])
    call("isNone", [x], [{"axis": -1}], [[u is None for u in v] for v in x])
    y = nested(2, floats=False)
    for up in (True, False):
        call("sort", [y], [{"ascending": up}], [sorted(v, reverse=not up) for v in y])
        order = [sorted(range(len(v)), key=lambda i: v[i] if up else -v[i]) for v in y]
        call("argsort", [y], [{"ascending": up}], order)
    call("runLengths", [y], [], [[len(list(g)) for _, g in itertools.groupby(v)] for v in y])
    flat = [u for v in y for u in v]
    call("unflatten", [flat], [[len(v) for v in y]], y) if False else None
    call("toRegular", [[v[:1] * 2 for v in y if v]], [{"size": 2}], [v[:1] * 2 for v in y if v])

for _ in range(PER):
    x = nested(2, floats=False, null_lists=0.08)
    for n in (2, 3):
        call("combinations", [x], [n], [None if v is None else [list(c) for c in itertools.combinations(v, n)] for v in x])
        call("argcombinations", [x], [n], [None if v is None else [list(c) for c in itertools.combinations(range(len(v)), n)] for v in x])
    call("combinations", [x], [2, {"replacement": True}], [None if v is None else [list(c) for c in itertools.combinations_with_replacement(v, 2)] for v in x])

for _ in range(PER):
    x, y = nested(2, floats=False, rows=4), nested(2, floats=False, rows=4)
    call("cartesian", [x, y], ["list"], [[list(p) for p in itertools.product(a, b)] for a, b in zip(x, y)])
    call("cartesian", [x, y], ["list", {"nested": True}], [[[[u, w] for w in b] for u in a] for a, b in zip(x, y)])
    call("argcartesian", [x, y], ["list"], [[list(p) for p in itertools.product(range(len(a)), range(len(b)))] for a, b in zip(x, y)])
    call("concatenate", [x, y], ["list", {"axis": 1}], [a + b for a, b in zip(x, y)])
    call("zip", [x, like(x)], ["record"], None)
    a, b = x, like(x, False)
    lines[-1] = ["zip", [a, b], ["record"], [[{"x": u, "y": w} for u, w in zip(p, q)] for p, q in zip(a, b)]]

BINARY = {
    "add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b, "divide": div,
    "maximum": max, "minimum": min, "greater": lambda a, b: a > b, "lessEqual": lambda a, b: a <= b,
    "equal": lambda a, b: a == b, "notEqual": lambda a, b: a != b, "hypot": math.hypot,
    "logicalAnd": lambda a, b: bool(a) and bool(b),
}


def both(f, a, b):
    if a is None or b is None:
        return None
    if isinstance(a, list) and isinstance(b, list):
        return [both(f, u, w) for u, w in zip(a, b)]
    if isinstance(a, list):
        return [both(f, u, b) for u in a]
    if isinstance(b, list):
        return [both(f, a, w) for w in b]
    return f(a, b)


for name, f in BINARY.items():
    for _ in range(PER):
        x = nested(random.choice([2, 3]), nulls=0.1, null_lists=0.05)
        kind = random.randrange(3)
        y = like(x) if kind == 0 else [number(True) for _ in x] if kind == 1 else number(True)
        result = [both(f, a, b) for a, b in zip(x, y)] if kind < 2 else [both(f, a, y) for a in x]
        call(name, [x, y] if kind < 2 else [x], [] if kind < 2 else [y], result)

for _ in range(PER):
    x = nested(2, nulls=0.1)
    i = random.randrange(-len(x), len(x))
    call("get", [x], [i], x[i])
    a, b = sorted(random.choices(range(-3, 5), k=2))
    call("get", [x], [f"{a}:{b}"], x[a:b])
    call("get", [x], [":", f"{a}:{b}"], [v[a:b] for v in x])
    call("get", [x], ["::-1"], x[::-1])
    call("get", [x], [":", "::-1"], [v[::-1] for v in x])
    places = [random.randrange(-len(x), len(x)) for _ in range(4)]
    call("get", [x], [places], [x[p] for p in places])
    m = [[random.random() < 0.5 for _ in v] for v in x]
    call("getBy", [x, m], [], [[u for u, k in zip(v, w) if k] for v, w in zip(x, m)])
    call("mask", [x, m], [], [[u if k else None for u, k in zip(v, w)] for v, w in zip(x, m)])
    y = like(x)
    call("where", [m, x, y], [], [[u if k else w for k, u, w in zip(p, q, r)] for p, q, r in zip(m, x, y)])
    rowmask = [random.random() < 0.6 for _ in x]
    call("getBy", [x, rowmask], [], [v for v, k in zip(x, rowmask) if k])


def covar(x, y, w):
    s = sum(w)
    mx, my = div(sum(a * b for a, b in zip(x, w)), s), div(sum(a * b for a, b in zip(y, w)), s)
    return div(sum(c * (a - mx) * (b - my) for a, b, c in zip(x, y, w)), s)


for _ in range(PER):
    x = [[float(u) for u in v] for v in nested(2, longest=6, rows=4)]
    y, w = like(x), [[random.choice([0.5, 1, 2]) for _ in v] for v in x]
    ones = [[1] * len(v) for v in x]
    call("moment", [x], [2, {"axis": -1}], [div(sum(u * u for u in v), len(v)) for v in x])
    call("covar", [x, y], [{"axis": -1}], [covar(a, b, c) if a else math.nan for a, b, c in zip(x, y, ones)])
    flat = [[u for v in z for u in v] for z in (x, y, w)]
    call("covar", [x, y, w], ["weight"], covar(*flat))
    call("mean", [x, w], ["weight"], div(sum(a * b for a, b in zip(flat[0], flat[2])), sum(flat[2])))
    call("softmax", [x], [], [[math.exp(u) / sum(map(math.exp, v)) for u in v] for v in x])
    spread = [covar(flat[0], flat[0], flat[2]), covar(flat[1], flat[1], flat[2])]
    if min(spread) > 0.05:
        call("corr", [x, y, w], ["weight"], covar(*flat) / math.sqrt(spread[0] * spread[1]))
    call("max", [x], [{"axis": -1, "initial": 1, "maskIdentity": False}], [max([1, *v]) for v in x])

TEXTS = ["", "a", "Ab c", "é1", "abcabc", " x "]
for _ in range(PER):
    x = [[random.choice(TEXTS) for _ in range(random.randint(0, 3))] for _ in range(4)]
    x[0] = ["ab"]
    call("str.upper", [x], [], [[u.upper() for u in v] for v in x])
    call("str.length", [x], [], [[len(u) for u in v] for v in x])
    call("str.countSubstring", [x], ["a"], [[u.count("a") for u in v] for v in x])
    call("str.splitPattern", [x], ["a"], [[u.split("a") for u in v] for v in x])
    call("str.join", [x], ["-"], ["-".join(v) for v in x])


def plain(v):
    if isinstance(v, float) and not math.isfinite(v):
        return {"#": "nan" if math.isnan(v) else "inf" if v > 0 else "-inf"}
    if isinstance(v, (list, tuple)):
        return [plain(u) for u in v]
    return {k: plain(u) for k, u in v.items()} if isinstance(v, dict) else v


path = pathlib.Path(__file__).parent / "fixture.jsonl"
path.write_text("".join(json.dumps(plain(line), ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines))
print(len(lines), len({line[0] for line in lines}))
