"""Values as JSON, and cases as fixture files.

In:  NumPy arrays and Python values: a tuple is a list of arrays, a list is a JSON array, a slice,
     Ellipsis and None are index items, int/float/complex/bool are weak scalars.
Out: one file <name>.json per fixture, one case per line.
Must hold: the same values give the same bytes; a float that JavaScript would take for an integer is refused.
"""

import base64
import json
import math
import os

import numpy as np

SAFE_INTEGER = 2**53 - 1


def little_endian_bytes(array):
    """C-order raw bytes, little-endian; bool is one byte, complex is interleaved."""
    array = np.ascontiguousarray(array)
    return array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()


def encode_array(array):
    data = base64.b64encode(little_endian_bytes(array)).decode("ascii")
    return {"dtype": array.dtype.name, "shape": list(array.shape), "data": data}


def encode_float(value):
    if math.isnan(value):
        return {"float": "nan"}
    if math.isinf(value):
        return {"float": "inf" if value > 0 else "-inf"}
    if value == int(value):
        raise ValueError(f"{value!r} is an integer in JavaScript, so it cannot be a weak float")
    return value


def encode_complex(value):
    if not (math.isfinite(value.real) and math.isfinite(value.imag)):
        raise ValueError(f"the weak complex scalar {value!r} has to be finite")
    return {"complex": [value.real, value.imag]}


def encode(value):
    """One argument, option or result as JSON."""
    if isinstance(value, (np.ndarray, np.generic)):
        return encode_array(np.asarray(value))
    if value is Ellipsis:
        return "..."
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if abs(value) <= SAFE_INTEGER else {"bigint": str(value)}
    if isinstance(value, float):
        return encode_float(value)
    if isinstance(value, complex):
        return encode_complex(value)
    if isinstance(value, slice):
        return {"slice": [value.start, value.stop, value.step]}
    if isinstance(value, tuple):
        return {"list": [encode(item) for item in value]}
    if isinstance(value, list):
        return [encode(item) for item in value]
    if isinstance(value, dict):
        return {key: encode(item) for key, item in value.items()}
    raise TypeError(f"no encoding for {type(value)}")


def canonical_nan(value):
    """Results are compared with NaN = NaN, so their NaNs get one bit pattern on every machine."""
    if isinstance(value, tuple):
        return tuple(canonical_nan(item) for item in value)
    if not isinstance(value, (np.ndarray, np.generic)) or value.dtype.kind not in "fc":
        return value
    value = np.array(value)
    part = {2: np.float16, 4: np.float32, 8: np.float64}[value.real.dtype.itemsize]
    if value.dtype.kind == "f":
        return np.where(np.isnan(value), part(np.nan), value)
    clean = np.empty(value.shape, value.dtype)
    clean.real = canonical_nan(value.real)
    clean.imag = canonical_nan(value.imag)
    return clean


class Fixture:
    """The cases of one function."""

    def __init__(self, function, note=None):
        self.function = function
        self.notes = [note] if note else []
        self.cases = []
        self.rng = np.random.default_rng(0)

    def note(self, text):
        if text and text not in self.notes:
            self.notes.append(text)

    def add(self, args, expect, note=None, **options):
        """Options are named as in JavaScript (camelCase)."""
        case = {"args": [encode(arg) for arg in args], "options": encode(options)}
        case["expect"] = encode(canonical_nan(expect))
        if note:
            case["note"] = note
        self.cases.append(case)

    def write(self, folder):
        head = {"function": self.function, "numpy": np.__version__}
        if self.notes:
            head["note"] = "; ".join(self.notes)
        lines = [compact(case) for case in self.cases]
        text = compact(head)[:-1] + ',"cases":[\n' + ",\n".join(lines) + "\n]}\n"
        with open(os.path.join(folder, self.function + ".json"), "w", encoding="utf-8") as file:
            file.write(text)


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
