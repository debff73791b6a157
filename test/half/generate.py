# Writes halves.json: what NumPy makes of half-precision floats, as bits in base64. `python3 test/half/generate.py`, NumPy 1.24.2.
import base64, json, os
import numpy as np

rng = np.random.default_rng(20240612)
special = np.array([0, 0x8000, 1, 0x8001, 0x3FF, 0x400, 0x3C00, 0xBC00, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0x3555], np.uint16)
bits = np.concatenate([special, rng.integers(0, 65536, 1500).astype(np.uint16), rng.integers(0x3000, 0x4800, 500).astype(np.uint16)])
x = bits.view(np.float16)
y = rng.permutation(bits).view(np.float16)
pack = lambda a: base64.b64encode(np.ascontiguousarray(a).tobytes()).decode()
np.seterr(all="ignore")
unary = ["negative", "absolute", "sqrt", "floor", "ceil", "trunc", "rint", "square", "reciprocal", "sign",
         "exp", "log", "sin", "cos", "tanh", "expm1", "log1p"]
binary = ["add", "subtract", "multiply", "divide", "maximum", "minimum", "copysign", "remainder", "nextafter", "hypot"]
compare = ["less", "less_equal", "equal", "not_equal"]
wide = np.concatenate([rng.normal(0, 10 ** rng.uniform(-9, 6, 1500)), x.astype(np.float64)[:500] * (1 + 2.0 ** -11),
                       [65519.99, 65520, 65504, 2.0 ** -25, 2.0 ** -25 * (1 + 2.0 ** -30), 1 + 2.0 ** -11 + 2.0 ** -40, np.nan, np.inf, -np.inf]])
whole = np.concatenate([rng.integers(-70000, 70000, 300), [2 ** 62, -2 ** 62, 2049, 2051, 65519, 65520]]).astype(np.int64)
finite = np.where(np.isfinite(x), x, np.float16(1))
small = finite[(np.abs(finite) < 100)]
out = {
    "x": pack(x), "y": pack(y),
    "unary": {f: pack(getattr(np, f)(x)) for f in unary},
    "binary": {f: pack(getattr(np, f)(x, y)) for f in binary},
    "compare": {f: pack(getattr(np, f)(x, y)) for f in compare},
    "casts": {t: pack(finite.astype(t)) for t in ["float32", "float64", "bool"]},
    "float64": {"values": pack(wide), "halves": pack(wide.astype(np.float16))},
    "float32": {"values": pack(wide.astype(np.float32)), "halves": pack(wide.astype(np.float32).astype(np.float16))},
    "int64": {"values": pack(whole), "halves": pack(whole.astype(np.float16))},
    "finite": pack(finite), "small": pack(small),
    "sorted": pack(np.sort(finite)), "max": float(finite.max()), "argmin": int(finite.argmin()),
    "sum32": float(np.float16(small.astype(np.float64).sum())), "mean32": float(np.float16(small.astype(np.float64).mean())),
}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "halves.json"), "w") as file:
    json.dump(out, file, indent=1)
    file.write("\n")
