"""Functions of texts by Python's own, for strings.test.ts. Run: /usr/bin/python3 test/ragged-strings/generate.py

Each case: the function, its arguments, texts and what it gives. Letters whose cases are several characters are left out (ß has
a case of its own here), and so is the sigma at the end of words.
"""

import json
import pathlib
import random
import re

random.seed(12)
ASCII = "abcXYZ 019_-.,\t"
OTHER = ASCII + "éÉñÄ日本²½Ⅳ😀жЖ\u00a0٣"


def texts(alphabet, count=12):
    return ["".join(random.choice(alphabet) for _ in range(random.randint(0, 9))) for _ in range(count)]


def capitalized(t):
    return t[:1].upper() + t[1:].lower()


def titled(t):
    """A letter behind a letter is small, any other a capital."""
    out, inside = [], False
    for c in t:
        out.append(c.lower() if inside else c.upper())
        inside = c.lower() != c.upper() or c.islower() or c.isupper()
    return "".join(out)


def split(t, pattern, most, reverse):
    if most is None:
        return t.split(pattern)
    return t.rsplit(pattern, most) if reverse else t.split(pattern, most)


FUNCTIONS = {
    "isAlnum": (str.isalnum, [()]),
    "isAlpha": (str.isalpha, [()]),
    "isAscii": (str.isascii, [()]),
    "isDecimal": (str.isdecimal, [()]),
    "isLower": (str.islower, [()]),
    "isNumeric": (lambda t: bool(t) and all(c.isnumeric() and not "一" <= c <= "鿿" for c in t), [()]),
    "isPrintable": (str.isprintable, [()]),
    "isSpace": (str.isspace, [()]),
    "isTitle": (str.istitle, [()]),
    "isUpper": (str.isupper, [()]),
    "lower": (str.lower, [()]),
    "upper": (str.upper, [()]),
    "swapcase": (str.swapcase, [()]),
    "capitalize": (capitalized, [()]),
    "title": (titled, [()]),
    "reverse": (lambda t: t[::-1], [()]),
    "length": (len, [()]),
    "repeat": (lambda t, n: t * n, [(0,), (3,)]),
    "slice": (lambda t, *a: t[slice(*a)], [(1, None), (0, 2), (-3, None), (1, -1), (2, 1), (0, None, 2), (-1, None, -1), (5, 1, -2)]),
    "replaceSlice": (lambda t, a, b, r: t[:max(0, a if a >= 0 else len(t) + a)] + r + t[max(max(0, min(len(t), a if a >= 0 else len(t) + a)), b if b >= 0 else len(t) + b):], [(1, 3, "ü"), (0, 0, "<>"), (-2, -1, "")]),
    "replaceSubstring": (lambda t, p, r, o={}: t.replace(p, r, o.get("maxReplacements", -1)), [("a", "éé"), ("ab", ""), ("1", "2", {"maxReplacements": 1})]),
    "replaceSubstringRegex": (lambda t, p, r, o={}: re.sub(p, re.sub(r"\$(\d)", r"\\\1", r), t, o.get("maxReplacements", 0)), [("[a-c]+", "<$1>".replace("$1", "x")), ("([0-9])([a-z])", "$2$1"), ("[XYZ]", "_", {"maxReplacements": 1})]),
    "lpad": (lambda t, w, p=" ": t.rjust(w, p), [(4,), (6, "é")]),
    "rpad": (lambda t, w, p=" ": t.ljust(w, p), [(4,), (6, "*")]),
    "center": (lambda t, w, p=" ": p * ((max(0, w - len(t))) // 2) + t + p * (max(0, w - len(t)) - max(0, w - len(t)) // 2), [(5,), (8, "é")]),
    "ltrim": (str.lstrip, [("aX",), ("é 1",)]),
    "rtrim": (str.rstrip, [("aX",), ("é 1",)]),
    "trim": (str.strip, [("aX",), ("é 1",)]),
    "ltrimWhitespace": (str.lstrip, [()]),
    "rtrimWhitespace": (str.rstrip, [()]),
    "trimWhitespace": (str.strip, [()]),
    "splitPattern": (lambda t, p, o={}: split(t, p, o.get("maxSplits"), o.get("reverse", False)), [("a",), (" ",), ("a", {"maxSplits": 1}), ("b", {"maxSplits": 1, "reverse": True})]),
    "splitPatternRegex": (lambda t, p, o={}: re.split(p, t, o.get("maxSplits", 0)), [("[ab]+",), ("[0-9]", {"maxSplits": 1})]),
    "splitWhitespace": (lambda t: re.split(r"\s+", t), [()]),
    "countSubstring": (lambda t, p: t.count(p), [("a",), ("ab",), ("é",)]),
    "countSubstringRegex": (lambda t, p: len(re.findall(p, t)), [("[a-c]",), ("[0-9]+",)]),
    "startsWith": (lambda t, p, o={}: (t.lower() if o else t).startswith(p.lower() if o else p), [("a",), ("X", {"ignoreCase": True}), ("é",), ("",)]),
    "endsWith": (lambda t, p, o={}: (t.lower() if o else t).endswith(p.lower() if o else p), [("a",), ("É", {"ignoreCase": True}), ("",)]),
    "findSubstring": (lambda t, p, o={}: (t.lower() if o else t).find(p.lower() if o else p), [("a",), ("Z1",), ("é", {"ignoreCase": True}), ("",)]),
    "findSubstringRegex": (lambda t, p: (lambda m: m.start() if m else -1)(re.search(p, t)), [("[a-c]",), ("[0-9][a-z]",)]),
    "matchSubstring": (lambda t, p, o={}: (p.lower() if o else p) in (t.lower() if o else t), [("a",), ("XY", {"ignoreCase": True}), ("日",), ("",)]),
    "matchSubstringRegex": (lambda t, p: re.search(p, t) is not None, [("^[a-c]",), ("[0-9]$",)]),
    "matchLike": (lambda t, p: re.fullmatch("".join(".*" if c == "%" else "." if c == "_" else re.escape(c) for c in p), t, re.S) is not None, [("a%",), ("%1",), ("%b%",), ("_",), ("a_%c",), ("ab",)]),
    "isIn": (lambda t, s: t in s, [(["", "a", "é", "1"],)]),
    "indexIn": (lambda t, s: s.index(t) if t in s else None, [(["", "a", "é", "1"],)]),
}

cases = []
for name, (function, arguments) in FUNCTIONS.items():
    for args in arguments:
        for alphabet in (ASCII, OTHER):
            own = texts(alphabet) + ["", "a", "ab", "Ab Cd", "1"]
            cases.append([name, list(args), own, [function(t, *args) for t in own]])

path = pathlib.Path(__file__).parent / "fixture.json"
path.write_text("[\n" + ",\n".join(json.dumps(c, ensure_ascii=False, separators=(",", ":")) for c in cases) + "\n]\n")
print(len(cases))
