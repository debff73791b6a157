"""python3 test/oracle/generate [name ...]: writes the fixtures (or only the named ones).

In:  NumPy 1.24.2 on x86-64. Out: test/oracle/fixtures/*.json; files of functions that are gone are removed.
Must hold: running twice gives the same bytes. Vector instructions are switched off before NumPy loads, so that
results do not depend on the processor (fused multiply-add, approximate AVX512 functions).
"""

import os
import sys
import warnings

sys.dont_write_bytecode = True
os.environ["NPY_DISABLE_CPU_FEATURES"] = (
    "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX2 FMA3 F16C AVX"
)

import numpy as np  # noqa: E402

import binary_cases  # noqa: E402
import casting  # noqa: E402
import creation  # noqa: E402
import groups  # noqa: E402
import indexing  # noqa: E402
import joining  # noqa: E402
import linalg  # noqa: E402
import manipulation  # noqa: E402
import nans  # noqa: E402
import quantiles  # noqa: E402
import ranges  # noqa: E402
import reduction_cases  # noqa: E402
import scans  # noqa: E402
import sets  # noqa: E402
import sorting  # noqa: E402
import stable  # noqa: E402
import statistics_ as statistics  # noqa: E402
import transcendental  # noqa: E402
import unary  # noqa: E402
from dtypes import check_promotion  # noqa: E402
from precise import check_long_double  # noqa: E402

NUMPY = "1.24.2"
MODULES = [
    unary, transcendental, binary_cases, casting, creation, ranges, reduction_cases, scans, sorting, joining,
    manipulation, linalg, indexing, nans, stable, sets, statistics, groups, quantiles,
]
FOLDER = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures"))


def main(names):
    if np.__version__ != NUMPY:
        raise SystemExit(f"the fixtures are NumPy {NUMPY}'s, this is {np.__version__}")
    check_promotion()
    check_long_double()
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    os.makedirs(FOLDER, exist_ok=True)
    written = set()
    for module in MODULES:
        for fixture in module.fixtures():
            if names and fixture.function not in names:
                continue
            fixture.write(FOLDER)
            written.add(fixture.function + ".json")
    if not names:
        for stale in sorted(set(os.listdir(FOLDER)) - written):
            os.remove(os.path.join(FOLDER, stale))
    size = sum(os.path.getsize(os.path.join(FOLDER, name)) for name in os.listdir(FOLDER))
    print(f"{len(written)} fixtures written, {size / 1e6:.2f} MB in {FOLDER}")


main(sys.argv[1:])
