"""The peer of bench/functions: evaluates expressions and says how long they took.

In:  lines of JSON on stdin: {"arrays": {name: {"path", "shape", "dtype"}}} or {"code": expression}. Out: a line of JSON for each.
"""

import importlib
import json
import sys
import time

import numpy as np


def module(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


NAMES = {"np": np, "sp": module("scipy"), "da": module("dask.array"), "xr": module("xarray"), "pd": module("pandas"), "bn": module("bottleneck")}

for line in sys.stdin:
    asked = json.loads(line)
    if "arrays" in asked:
        scope = dict(NAMES)
        for name, where in asked["arrays"].items():
            scope[name] = np.fromfile(where["path"], where["dtype"]).reshape(where["shape"])
        answer = {"numpy": np.__version__}
    else:
        start = time.perf_counter()
        result = eval(asked["code"], scope)
        answer = {"ms": 1000 * (time.perf_counter() - start)}
        del result
    print(json.dumps(answer), flush=True)
