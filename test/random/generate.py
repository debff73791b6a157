"""python3 test/random/generate.py: writes test/random/fixtures/random.json.

In:  nothing. Out: random bits of some places by a Philox of its own, what SciPy makes of them, and distribution functions by SciPy.
Must hold: running twice gives the same bytes.
"""

import json
import os

import numpy as np
from scipy import special, stats

MASK = 0xFFFFFFFF


def philox(counter, key):
    """Philox 4x32-10, as in its paper (Salmon et al., 2011)."""
    x0, x1, x2, x3 = counter
    k0, k1 = key
    for _ in range(10):
        p0, p1 = 0xD2511F53 * x0, 0xCD9E8D57 * x2
        x0, x1, x2, x3 = (p1 >> 32) ^ x1 ^ k0, p1 & MASK, (p0 >> 32) ^ x3 ^ k1, p0 & MASK
        k0, k1 = (k0 + 0x9E3779B9) & MASK, (k1 + 0xBB67AE85) & MASK
    return x0, x1, x2, x3


def bits(place, call, seed):
    half = place >> 1
    words = philox((half & MASK, half >> 32, call, 0), (seed & MASK, seed >> 32))
    low, high = words[2:] if place & 1 else words[:2]
    return low | high << 32


SEED = 0x0123456789ABCDEF
drawn = [bits(place, 0, SEED) for place in range(400)]
unit = np.array([((b >> 12) + 0.5) * 2.0**-52 for b in drawn])

GRID = {
    "poisson 3.5": ([k for k in range(12)], stats.poisson(3.5).cdf),
    "poisson 200": ([150 + 5 * k for k in range(20)], stats.poisson(200).cdf),
    "binomial 40 0.1": ([k for k in range(12)], stats.binom(40, 0.1).cdf),
    "binomial 1000 0.7": ([650 + 5 * k for k in range(20)], stats.binom(1000, 0.7).cdf),
    "gamma 0.4": ([0.01, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2], stats.gamma(0.4).cdf),
    "gamma 7": ([2.0 + k for k in range(14)], stats.gamma(7).cdf),
    "normal": ([-3 + 0.25 * k for k in range(25)], stats.norm.cdf),
    "exponential": ([0.125 * k for k in range(1, 40)], stats.expon.cdf),
}

fixture = {
    "seed": str(SEED),
    "call 3": [str(bits(place, 3, SEED)) for place in range(8)],
    "bits": [str(b) for b in drawn],
    "normal": special.ndtri(unit).tolist(),
    "exponential": (-np.log(unit)).tolist(),
    "cdf": {name: {"at": at, "is": cdf(np.array(at)).tolist()} for name, (at, cdf) in GRID.items()},
}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures", "random.json"), "w") as file:
    json.dump(fixture, file, indent=1)
    file.write("\n")
