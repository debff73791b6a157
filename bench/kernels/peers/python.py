"""NumPy and numexpr as a contestant: one JSON line in, one JSON line out, as peers/host.mjs does for the libraries
in JavaScript. numexpr takes its number of threads from each request; OpenBLAS from the environment."""

import json
import sys
import time

import numpy as np

try:
    import numexpr as ne
except ImportError:
    ne = None

x = None
y = None


def masked_mean():
    # The fastest of x[m].mean(), where=, np.where and this, by a factor of two.
    m = x > 0.5
    return (x * m).sum() / np.count_nonzero(m)


NUMPY = {
    "E1": lambda: (x * 2 + y * 3) / (1 + x * x),
    "E2": lambda: np.sqrt(x * x + y * y).sum(),
    "E3": lambda: np.exp(-x * x / 2) * np.sin(y) + np.log1p(np.abs(x)),
    "E4": lambda: np.square(x * np.pi / 180).sum(),
    "E5": lambda: np.where(x > 3, x * 2, y - 1),
    "E6": masked_mean,
    "E7": lambda: x @ y,
    "E8.sum0": lambda: x.sum(0),
    "E8.sum1": lambda: x.sum(1),
    "E8.transpose": lambda: x.T.copy(),
    "E9.cumsum": lambda: np.cumsum(x),
    "E9.sort": lambda: np.sort(x),
}


def evaluate(text):
    # Constants in the operands' dtype, so that float32 is not computed in float64.
    kind = x.dtype.type
    return ne.evaluate(text, {"x": x, "y": y, "pi": kind(np.pi), "half": kind(0.5)})


# The sums are NumPy's: numexpr's own sum runs in one thread and is slower.
NUMEXPR = {
    "E1": lambda: evaluate("(x*2+y*3)/(1+x*x)"),
    "E2": lambda: evaluate("sqrt(x*x+y*y)").sum(),
    "E3": lambda: evaluate("exp(-x*x/2)*sin(y)+log1p(abs(x))"),
    "E4": lambda: evaluate("(x*pi/180)**2").sum(),
    "E5": lambda: evaluate("where(x>3, x*2, y-1)"),
    "E6": lambda: evaluate("where(x>half, x, 0)").sum() / np.count_nonzero(evaluate("x>half")),
}

VARIANTS = {"numpy": NUMPY, "numexpr": NUMEXPR if ne is not None else {}}


def form_of(request):
    if request["variant"] == "numexpr" and ne is not None:
        ne.set_num_threads(request["threads"])
    return VARIANTS[request["variant"]].get(request["kase"])


def sample_of(result):
    flat = np.atleast_1d(result).reshape(-1)
    length = flat.size
    places = [0] if length == 1 else [i * (length - 1) // 16 for i in range(17)]
    return {"length": length, "values": [float(flat[place]) for place in places]}


def load(request):
    global x, y
    dtype, count = np.dtype(request["dtype"]), request["count"]
    x = np.fromfile(request["files"]["x"], dtype, count).reshape(request["shape"])
    y = np.fromfile(request["files"]["y"], dtype, count).reshape(request["shape"])
    return {}


def unload(_request):
    global x, y
    x = y = None
    return {}


def attempt(request):
    form = form_of(request)
    if form is None:
        return {"ok": False, "why": "not offered"}
    start = time.perf_counter()
    result = form()
    return {"ms": (time.perf_counter() - start) * 1e3, "sample": sample_of(result)}


def round_of_runs(request):
    form = form_of(request)
    ms = []
    stop = time.perf_counter() + request["budget"] / 1e3
    while True:
        start = time.perf_counter()
        result = form()
        end = time.perf_counter()
        del result
        ms.append((end - start) * 1e3)
        if end >= stop or len(ms) >= request["most"]:
            return {"ms": ms}


def blas():
    try:
        with open("/proc/self/maps") as maps:
            return "OpenBLAS" if "openblas" in maps.read() else "no OpenBLAS"
    except OSError:
        return "BLAS unknown"


def reply(answer):
    print(json.dumps(answer), flush=True)


ACTIONS = {"load": load, "unload": unload, "attempt": attempt, "round": round_of_runs}
version = f"{np.__version__} ({blas()})" + (f", numexpr {ne.__version__}" if ne is not None else "")
reply({"ok": True, "version": version, "numexpr": ne is not None, "blas": blas()})
for line in sys.stdin:
    request = json.loads(line)
    try:
        reply({"ok": True, **ACTIONS[request["action"]](request)})
    except Exception as error:  # whatever it is, the other contestants go on
        reply({"ok": False, "why": f"{type(error).__name__}: {error}"[:200]})
