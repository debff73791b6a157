"""Writes src/kernel/math/coefficients.ts: polynomials and split constants of the elementary functions.

Run: /usr/bin/python3 test/math/generate/coefficients.py && npx biome check --write src/kernel/math
(needs mpmath; takes a minute).
Every number is a double, printed with the fewest digits that read back as it.
"""

import pathlib

from mpmath import asin, atan, atanh, cos, expm1, log, mp, mpf, nstr, pi, sin, sqrt, tan

from minimax import powers, round_to, rounded

TARGET = pathlib.Path(__file__).parents[3] / "src/kernel/math/coefficients.ts"

SLACK = mpf("1.0001")  # range reduction may end a little outside its interval
LN2 = log(mpf(2))
HALF_LN2 = LN2 / 2 * SLACK
EXP_STEPS = 64
QUARTER = (pi / 4 * SLACK) ** 2
LOG_END = ((sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1)) ** 2 * SLACK

lines = []


def digits(x):
    """As JavaScript prints it."""
    mantissa, _, exponent = repr(float(x)).partition("e")
    return mantissa.removesuffix(".0") + (f"e{int(exponent)}" if exponent else "")


def write(comment, name, values):
    lines.append(f"/** {comment} */")
    if isinstance(values, list):
        body = "".join(f"  {digits(v)},\n" for v in values)
        lines.append(f"export const {name}: readonly number[] = [\n{body}];")
    else:
        lines.append(f"export const {name} = {digits(values)};")


def polynomial(name, text, g, w, a, b, n):
    """g is approximated; w g's error is the relative (or, for exp and cos, absolute) error of the function."""
    c, e = rounded(g, powers(n), w, a, b)
    write(f"{text}; error 2^{nstr(mp.log(e, 2), 4)}.", name, c)


def split(names, x, bits, text):
    """x as a sum: every part but the last has so many bits, so that products with small integers are exact."""
    for i, name in enumerate(names):
        part = round_to(x, bits if i + 1 < len(names) else 53)
        write(f"{text}, part {i + 1} of {len(names)}", name, part)
        x -= part


def exp_tail(r):
    return (expm1(r) - r) / r**2


def expm1_tail(r):
    return (expm1(r) - r - r**2 / 2) / r**3


def log_tail(z):
    s = sqrt(z)
    return (2 * atanh(s) / s - 2) / z


def power_tail(z):
    s = sqrt(z)
    return (3 * atanh(s) / s - 3 - z) / z**2


def odd_tail(f):
    """(f(r) − r)/r³ as a function of z = r²."""

    def tail(z):
        r = sqrt(z)
        return (f(r) - r) / (r * z)

    return tail


def cos_tail(z):
    return (cos(sqrt(z)) - 1 + z / 2) / z**2


def powers_of_two():
    """eˣ = 2^(k/64) eʳ: k = 64 n + j, 2^(j/64) from a table with what each lacks."""
    step = LN2 / EXP_STEPS
    split(["EXP_STEP_HI", "EXP_STEP_LO"], step, 36, "ln(2)/64: k·EXP_STEP_HI is exact for |k| < 2¹⁷")
    write("ln(2)/64", "EXP_STEP", step)
    write("64/ln 2", "INV_EXP_STEP", 1 / step)
    roots = [mpf(2) ** (mpf(j) / EXP_STEPS) for j in range(EXP_STEPS)]
    write("2^(j/64)", "EXP_ROOTS", roots)
    write("What they lack, relative to them.", "EXP_LACKS", [root / round_to(root, 53) - 1 for root in roots])
    half = step / 2 * SLACK
    polynomial("EXP", "(eʳ − 1 − r)/r², |r| ≤ ln(2)/128", exp_tail, lambda r: r * r, -half, half, 4)
    polynomial("EXP_SHORT", "the same for float32", exp_tail, lambda r: r * r, -half, half, 2)


def exponential():
    split(["LN2_HI", "LN2_LO"], LN2, 42, "ln 2: k·LN2_HI is exact for |k| < 2¹¹")
    write("ln 2", "LN2", LN2)
    write("1/ln 2", "INV_LN2", 1 / LN2)
    powers_of_two()
    interval = (-HALF_LN2, HALF_LN2)
    polynomial("EXPM1", "(eʳ − 1 − r − r²/2)/r³, |r| ≤ ln(2)/2", expm1_tail, lambda r: r * r, *interval, 10)
    polynomial("EXPM1_SHORT", "EXP_SHORT with a small relative error of eʳ − 1", exp_tail, abs, *interval, 6)


def logarithm():
    text = "(ln((1 + s)/(1 − s))/s − 2)/z in z = s², (1 + s)/(1 − s) from √½ to √2"
    polynomial("LOG", text, log_tail, lambda z: z / 2, 0, LOG_END, 7)
    polynomial("LOG_SHORT", "the same for float32", log_tail, lambda z: z / 2, 0, LOG_END, 3)
    polynomial("LOG_POWER", "the same for pow of float32", log_tail, lambda z: z / 2, 0, LOG_END, 4)
    text = "(3 atanh(s)/s − 3 − z)/z² in z = s², for pow"
    polynomial("POWER", text, power_tail, lambda z: z * z / 3, 0, LOG_END, 7)
    split(["TWO_THIRDS_UPPER", "TWO_THIRDS_LOWER"], mpf(2) / 3, 26, "2/3")


def bases():
    """log_b x = k log_b 2 + ln(m)/ln b; products with the first parts are exact."""
    for name, base in (("TWO", mpf(2)), ("TEN", mpf(10))):
        split([f"INV_LN_{name}_HI", f"INV_LN_{name}_LO"], 1 / log(base), 26, f"1/ln {nstr(base, 2)}")
    split(["LOG10_2_HI", "LOG10_2_LO"], LN2 / log(mpf(10)), 42, "log10 2")


def tangent(n):
    """N and D with tan r = r + r³N(z)/(1 + z D(z)): linear in both once multiplied by the denominator."""
    rest = lambda r: tan(r) - r
    top = lambda j: lambda r: r ** (2 * j + 3)
    bottom = lambda j: lambda r: -rest(r) * r ** (2 * j + 2)
    basis = [f(j) for j in range(n) for f in (bottom, top)]
    weight = lambda r: 1 / (tan(r) * cos(r))  # the denominator is nearly cos r
    c, e = rounded(rest, basis, weight, 0, pi / 4 * SLACK)
    return c[1::2], c[0::2], f"z = r², |r| ≤ π/4; error 2^{nstr(mp.log(e, 2), 4)}."


def tangents():
    above, below, note = tangent(3)
    write(f"tan r = r + r³N(z)/(1 + z D(z)), {note}", "TAN_N", above)
    write("D of the same.", "TAN_D", below)
    above, below, note = tangent(2)
    write(f"tan r = r(1 + z N(z))/(1 + z D(z)) for float32, {note}", "TAN_SHORT_N", [n + d for n, d in zip(above, below)])
    write("D of the same.", "TAN_SHORT_D", below)


def two_over_pi():
    """Hexadecimal digits for the largest exponent (1023) and the 145 bits after it that src/kernel/tables.ts reads."""
    count = 292
    with mp.workprec(4 * count + 64):
        text = f"{int(2 / pi * mpf(16) ** count):0{count}x}"
    body = " +\n".join(f'  "{text[i : i + 96]}"' for i in range(0, count, 96))
    lines.append("/** 2/π after the point, in hexadecimal: for the largest float64 and 145 bits more. */")
    lines.append(f"export const TWO_OVER_PI_DIGITS: string =\n{body};")


def circular():
    write("2/π", "TWO_OVER_PI", 2 / pi)
    write("1/π", "ONE_OVER_PI", 1 / pi)
    write("π/2", "PIO2", pi / 2)
    split(["PIO2_1", "PIO2_2", "PIO2_3"], pi / 2, 35, "π/2: n·PIO2_1 and n·PIO2_2 are exact for |n| < 2¹⁸")
    split(["PIO2_UPPER", "PIO2_LOWER"], pi / 2, 26, "π/2")
    two_over_pi()
    polynomial("SIN", "(sin r − r)/r³ in z = r², |r| ≤ π/4", odd_tail(sin), lambda z: z, 0, QUARTER, 6)
    polynomial("COS", "(cos r − 1 + z/2)/z² in z = r², |r| ≤ π/4", cos_tail, lambda z: z * z, 0, QUARTER, 6)
    relative = lambda z: z * sqrt(z) / sin(sqrt(z))
    polynomial("SIN_SHORT", "(sin r − r)/r³ for float32, |r| ≤ π/2", odd_tail(sin), relative, 0, 4 * QUARTER, 4)
    tangents()


def nearly_exact(start):
    """A double c next to `start` whose arc tangent is nearly a double (Gal's trick), so that one part holds it."""
    candidates = (round_to(start - mpf(j) / 10**8, 53) for j in range(4000))
    return min(candidates, key=lambda c: abs(atan(c) - round_to(atan(c), 53)))


def arcs():
    end = mpf(7) / 16
    limits = [end, mpf(7) / 9, mpf(9) / 7, mpf(16) / 7]
    write("Where atan changes from one center to the next.", "ATAN_LIMITS", limits)
    centers = [nearly_exact(tan((atan(a) + atan(b)) / 2)) for a, b in zip(limits, limits[1:])]
    gap = max(abs(atan(c) - round_to(atan(c), 53)) for c in centers)
    write("The center up to each of these limits, in the middle by angle.", "ATAN_CENTERS", [mpf(0)] + centers)
    angles = [atan(c) for c in [mpf(0)] + centers]
    write(f"Their arc tangents, to 2^{nstr(mp.log(gap, 2), 4)}.", "ATAN_OF_CENTERS", angles)
    write("π/2 less PIO2", "PIO2_REST", pi / 2 - round_to(pi / 2, 53))
    limit = (end * SLACK) ** 2
    polynomial("ATAN", "(atan t − t)/t³ in z = t², |t| ≤ 7/16", odd_tail(atan), lambda z: z, 0, limit, 11)
    polynomial("ATAN_SHORT", "the same for float32", odd_tail(atan), lambda z: z, 0, limit, 5)
    limit = mpf(1) / 4
    polynomial("ASIN", "(asin s − s)/s³ in z = s², |s| ≤ 1/2", odd_tail(asin), lambda z: z, 0, limit, 12)
    polynomial("ASIN_SHORT", "the same for float32", odd_tail(asin), lambda z: z, 0, limit, 6)


def main():
    for section in (exponential, logarithm, bases, circular, arcs):
        section()
    header = (
        "// Polynomials (lowest power first) and constants of the elementary functions, as doubles.\n"
        "// Written by test/math/generate/coefficients.py; change that, not this. An error is the function's,\n"
        "// from approximation alone.\n"
        "// biome-ignore-all lint/suspicious/noApproximativeNumericConstant: these are exact doubles, whatever Math has\n\n"
    )
    TARGET.write_text(header + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
