"""python3 test/fourier/generate.py: writes test/fourier/fixtures/fourier.json.

In:  nothing. Out: transforms by SciPy's pocketfft of a formula, and their RMS errors against sums in long double.
Must hold: running twice gives the same bytes.
"""

import json
import os

import numpy as np
from scipy import fft

LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 15, 16, 17, 20, 31, 32, 49, 53, 60, 97, 101, 121, 128, 210, 243, 251, 256]


def noise(n, k=0.0):
    """As test/fourier/fourier.test.ts has it."""
    return (np.arange(n) + 1 + k) * 0.7548776662466927 % 1 - 0.5


def exact(x):
    """In long double: far more digits than are compared."""
    n = len(x)
    angles = (np.outer(np.arange(n), np.arange(n)) % n).astype(np.longdouble) * (-2 * np.longdouble(np.pi_l) / n)
    wide = x.astype(np.clongdouble)
    return (np.cos(angles) + 1j * np.sin(angles)) @ wide


np.pi_l = np.longdouble("3.14159265358979323846264338327950288")


def parts(x):
    x = np.asarray(x)
    return {"shape": list(x.shape), "re": x.real.astype(float).ravel().tolist(), "im": x.imag.astype(float).ravel().tolist()}


lines = {}
for n in LENGTHS:
    x = noise(n) + 1j * noise(n, 0.3)
    truth = exact(x)
    error = lambda y: float(np.sqrt(np.mean(np.abs(y.astype(np.clongdouble) - truth) ** 2) / np.mean(np.abs(truth) ** 2)))
    lines[n] = {"truth": parts(truth), "pocketfft": error(fft.fft(x))}

x = noise(60).reshape(3, 4, 5)
z = x + 1j * noise(60, 0.3).reshape(3, 4, 5)
CASES = [(name, options) for name in ("fft", "ifft", "hfft", "ihfft", "rfft", "irfft") for options in (
    {}, {"axis": 0}, {"n": 3}, {"n": 8, "axis": 1}, {"norm": "ortho"}, {"norm": "forward", "n": 7})]
CASES += [(name, options) for name in ("fftn", "ifftn", "rfftn", "irfftn") for options in (
    {}, {"axes": [1]}, {"axes": [2, 0]}, {"s": [4, 6]}, {"s": [2, 5], "axes": [0, 1], "norm": "forward"}, {"norm": "ortho"})]
cases = []
for name, options in CASES:
    is_real = name in ("rfft", "ihfft", "rfftn")
    cases.append({"name": name, "options": options, "isReal": is_real, "expect": parts(getattr(fft, name)(x if is_real else z, **options))})

fixture = {
    "lines": lines,
    "cases": cases,
    "fftfreq": {n: fft.fftfreq(n, 0.5).tolist() for n in (1, 2, 5, 8)},
    "rfftfreq": {n: fft.rfftfreq(n, 0.5).tolist() for n in (1, 2, 5, 8)},
    "fftshift": fft.fftshift(np.arange(12).reshape(3, 4)).tolist(),
    "ifftshift": fft.ifftshift(np.arange(12).reshape(3, 4), axes=0).tolist(),
}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures", "fourier.json"), "w") as file:
    json.dump(fixture, file)
    file.write("\n")
