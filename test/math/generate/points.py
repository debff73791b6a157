"""Where the elementary functions are tested: random points over their useful ranges, and the places that hurt.

Out: for a function, lists of arguments as Python floats (the caller rounds them to float32 where it wants those).
"""

import math
import random

from mpmath import mp, pi

TINY = 5e-324
LEAST_NORMAL = 2.0**-1022
LARGEST = 1.7976931348623157e308


def uniform(a, b, n):
    return [random.uniform(a, b) for _ in range(n)]


def signed(values):
    return [random.choice((-1.0, 1.0)) * x for x in values]


def spread(low, high, n):
    """Log-uniform from 2^low to 2^high, with random mantissas."""
    return [scaled(random.uniform(1, 2), random.uniform(low, high - 1)) for _ in range(n)]


def scaled(mantissa, exponent):
    return math.ldexp(mantissa, math.floor(exponent))


def around(center, low, high, n):
    """center ± 2^low … 2^high."""
    return [center + x for x in signed(spread(low, high, n))]


def steps(x, count=2):
    """x and its neighbours."""
    values = [x]
    for towards in (-math.inf, math.inf):
        y = x
        for _ in range(count):
            y = math.nextafter(y, towards)
            values.append(y)
    return values


def quarter_turns(high, n):
    """Doubles next to multiples of π/2 up to 2^high."""
    with mp.workprec(1200):
        multiples = [math.floor(2 ** random.uniform(0, high)) for _ in range(n)]
        return [random.choice(steps(float(k * pi / 2), 1)) for k in multiples]


# Doubles and floats extremely near a multiple of π/2, and the double nearest to π/2 times powers of 2.
WORST_ANGLES = [
    6381956970095103.0 * 2.0**797,
    5319372648326541.0 * 2.0**-11,
    6411027962775774.0 * 2.0**-43,
    *[145897 * math.pi / 2, 204551 * math.pi / 2, 1081409 * math.pi / 2],
    *[float.fromhex("0x1.921fb54442d18p0") * 2.0**k for k in (*range(-3, 40), 100, 500, 1000, 1022)],
    *[16367173.0 * 2.0**72, 1.1442e21, 2.0**18, 2.0**18 + 1, 2.0**52, 2.0**53, 2.0**1023, LARGEST],
]

# exp and cos of these lie next to the middle between two doubles or floats; the others of them next to x itself.
SMALL = [m * 2.0**-k for m in (1.0, 1.5, 1.25, 1.9999) for k in (12, 13, 23, 24, 25, 26, 27, 28, 52, 53, 54, 55)]
SUBNORMAL = [TINY, 3 * TINY, LEAST_NORMAL - TINY, LEAST_NORMAL, LEAST_NORMAL + TINY, 2.0**-1050 * 1.1]
SUBNORMAL_SINGLE = [2.0**-149, 3 * 2.0**-149, 2.0**-126 - 2.0**-149, 2.0**-126, 2.0**-140 * 1.1]


def odd():
    """Small arguments of either sign, for functions with f(x) ≈ x or 1 at 0."""
    return signed(SMALL) + signed(SUBNORMAL) + signed(SUBNORMAL_SINGLE) + signed(spread(-80, -1, 80))


def exponential():
    limits = [x for c in (709.782712893384, 88.722839, -745.1332191019412, -103.97208, -87.33654) for x in steps(c, 3)]
    near = [(k + 0.5) * math.log(2) + random.uniform(-1e-6, 1e-6) for k in range(-60, 60)]
    return odd() + limits + near + uniform(-1, 1, 300) + uniform(-87, 89, 300) + uniform(-746, 710, 300)


def exponential_less_one():
    near = uniform(0.3465, 0.4, 200) + uniform(36, 39, 60) + uniform(-39, -36, 40)
    return exponential() + near


def logarithm():
    powers = [2.0**k for k in range(-1074, 1024, 97)] + [2.0**k for k in range(-149, 128, 13)]
    tens = [10.0**k for k in range(0, 23)]
    roots = uniform(0.70, 0.71, 100) + uniform(1.41, 1.42, 100)
    edge = SUBNORMAL + SUBNORMAL_SINGLE + [LARGEST, 3.4028234663852886e38]
    near_one = around(1.0, -53, -1, 250) + steps(1.0, 3)
    return powers + tens + roots + edge + near_one + uniform(0.2, 3, 300) + spread(-1074, 1024, 300) + spread(-126, 128, 100)


def logarithm_one_plus():
    pole = [-1 + x for x in spread(-53, -1, 80)]
    return odd() + pole + uniform(-0.5, 1.5, 400) + uniform(-0.3, -0.28, 60) + uniform(0.4, 0.43, 60) + spread(0, 1024, 150) + spread(0, 128, 60)


def angle():
    near = quarter_turns(18, 200) + quarter_turns(40, 60)
    return odd() + near + WORST_ANGLES + uniform(-4, 4, 400) + uniform(-3e5, 3e5, 200) + signed(spread(18, 1024, 150)) + signed(spread(0, 128, 100))


def unit():
    """Arguments from -1 to 1."""
    ends = signed([1 - x for x in spread(-53, -2, 150)]) + [1.0, -1.0, 0.5, -0.5, *steps(0.5), *steps(-0.5)]
    return odd() + ends + uniform(-1, 1, 500) + signed(uniform(0.45, 0.6, 200))


def inside_unit():
    return [x for x in unit() if abs(x) != 1]


def line():
    limits = [y for c in (7 / 16, 7 / 9, 9 / 7, 16 / 7) for y in steps(c)]
    return odd() + limits + uniform(-4, 4, 600) + uniform(0.4375, 0.46, 150) + signed(spread(0, 60, 120)) + [LARGEST, -LARGEST]


def hyperbolic():
    limits = [x for c in (22, 710.4758600739439, 89.4159862922329) for x in steps(float(c), 3)]
    return odd() + limits + uniform(-1, 1, 400) + uniform(-6, 6, 400) + uniform(-88, 88, 80) + uniform(-710, 710, 80)


def above_one():
    return [1.0] + [1 + x for x in spread(-52, 0, 300)] + uniform(1, 1.3, 250) + uniform(1, 20, 250) + spread(0, 1024, 150) + spread(20, 34, 60)


def long_line():
    return odd() + uniform(-1, 1, 400) + uniform(-8, 8, 400) + signed(spread(0, 1024, 150)) + signed(spread(20, 34, 60))


def pairs(first, second):
    return list(zip(first, second))


def angles_of_two():
    near = pairs(uniform(-1, 1, 400), uniform(-1, 1, 400))
    wide = pairs(signed(spread(-40, 40, 200)), signed(spread(-40, 40, 200)))
    far = pairs(signed(spread(-1000, 1000, 150)), signed(spread(-1000, 1000, 150)))
    small = pairs(signed(spread(-1074, -1000, 80)), signed(spread(-20, 20, 80)))
    return near + wide + far + small


def sides():
    near = pairs(uniform(-1, 1, 400), uniform(-1, 1, 400)) + pairs(spread(-2, 2, 250), spread(-2, 2, 250))
    far = pairs(signed(spread(-1074, 1023, 150)), signed(spread(-1074, 1023, 150)))
    ends = pairs(spread(-1074, -1000, 80), spread(-1074, -1000, 80)) + pairs(spread(1000, 1023, 80), spread(1000, 1023, 80))
    exact = [(3.0 * 2.0**k, 4.0 * 2.0**k) for k in (-1074, -600, -149, 0, 100, 600, 1020)] + [(5.0, 12.0)]
    return near + far + ends + exact


def powers():
    """Exponents that keep the result in range, whole ones, and bases near 1 with large exponents."""
    bases = uniform(0, 10, 300) + spread(-1074, 1024, 150) + spread(-149, 128, 150)
    common = [(x, random.uniform(-740, 740) / math.log(x)) for x in bases if x != 1 and abs(math.log(x)) > 1e-9]
    common += [(x, random.uniform(-100, 88) / math.log(x)) for x in bases if x != 1 and abs(math.log(x)) > 1e-9]
    near = [(1 + s, random.uniform(-700, 700) / s) for s in signed(spread(-40, -4, 150))]
    whole = [(random.choice((-1, 1)) * random.uniform(0.1, 9), float(random.randint(-40, 40))) for _ in range(150)]
    exact = [(float(a), float(k)) for a in (2, 3, 5, 10, -2, -3, 0.5) for k in range(-3, 23, 3)]
    twos = [(2.0, float(k)) for k in (-1075, -1074, -1023, -1022, -150, -149, -126, 127, 128, 1023, 1024)]
    return common + near + whole + exact + twos


# Where the largest errors were found (20 million random points a range; every third float32), as hexadecimal.
FOUND = {
    "exp": """
        -0x1.40d91a0ae2a24p+7
        0x1.98efb9abd5248p-2
        0x1.1a48cf22b050ap+9
        -0x1.77ceeap-3
    """,
    "expm1": """
        0x1.64a1e1e5b469dp-2
        0x1.6869cfdae4db4p-2
        0x1.643a3f6ed6fp-2
        0x1.861ea4p-2
    """,
    "log": """
        0x1.69de1fe9d3739p-1
        0x1.6892e52ea3a9fp+0
        0x1.691eac36fcd15p-1
        0x1.68a3a660548b5p-1
        0x1.22106p+0
    """,
    "log1p": """
        -0x1.345902ffac126p-2
        -0x1.2c6c99bede236p-2
        0x1.b30654cf1afd5p-2
        -0x1.e04968p-4
    """,
    "log2": """
        0x1.675e754bd6443p+0
        0x1.6a1424p-1
    """,
    "log10": """
        0x1.529d4c52e03ccp+0
        0x1.514056465f0efp+0
        0x1.23caf2p+0
    """,
    "sin": """
        -0x1.f3000f82684c2p+1
        0x1.5da0589677e7p+17
        0x1.a4bc52p+0
    """,
    "cos": """
        0x1.973119d14e2fp-1
        0x1.6874065a7fc9cp+17
        -0x1.e7a0b8p+17
    """,
    "tan": """
        0x1.1973f02f2989cp+0
        0x1.1b5967f9b2a2bp+0
        0x1.1b62eea2b1f45p+0
        0x1.da7154p-2
    """,
    "asin": """
        0x1.02bd0541a3e84p-1
        0x1.0dfe30557d144p-1
        0x1.0bd8dcp-1
    """,
    "acos": """
        -0x1.0f13dcf04c388p-1
        -0x1.0daba916ee1c7p-1
        0x1.2e3104p-1
    """,
    "atan": """
        0x1.c1d285c7c2b68p-2
        0x1.b3984bf0e17ffp-2
        -0x1.c504df0e1e2ep-2
        -0x1.b94d0cp-3
    """,
    "sinh": """
        0x1.aaf027fade7ecp-2
        0x1.afdb5dc4841p-2
        0x1.ac0e13bc9b3d5p-2
        -0x1.63189cp-2
    """,
    "cosh": """
        0x1.eabf0e3274e8cp+1
        0x1.e95a27607033ap+1
        -0x1.30fc24p+4
    """,
    "tanh": """
        -0x1.a4ef964644838p-3
        0x1.a353db8b6c58p-3
        0x1.9fa6cd538bbdp-3
        0x1.632a02p-3
    """,
    "asinh": """
        -0x1.08fa65b5d173ap-1
        -0x1.09fe6e8811edp-1
        0x1.01aabb1d033b8p-2
        0x1.0277a788a09dap-2
        0x1.feb08p-4
    """,
    "acosh": """
        0x1.07f5ceb5ace56p+0
        0x1.07f0d9d878daep+0
        0x1.080600c6c1712p+0
        0x1.0804e45a3244cp+0
        0x1.075218p+0
    """,
    "atanh": """
        -0x1.e99997bb2282p-4
        0x1.e58928b98195ep-3
        0x1.f945d16890c04p-4
        -0x1.fcc9a8p-5
    """,
    "atan2": """
        0x1.d0437b63b7d64p-2 0x1.cc36e226ea644p-1
        0x1.44e02ec0dcdacp-2 0x1.44675c3bff5f3p-1
        -0x1.bc473ap+19 0x1.07b964p+22
    """,
    "hypot": """
        -0x1.698cb3cd74c64p-1 0x1.c1587119149cp-5
        0x1.3aa970a0e690fp+0 0x1.481603aac7f26p+1
        0x0.000000e36c6c1p-1022 0x0.b548dba635fd2p-1022
    """,
    "pow": """
        0x1.2070d05e846bcp+2 -0x1.5fb8bbb77c651p+5
        0x1.6bfa8d30d1be4p+0 -0x1.5b1fc1f74b385p+9
        0x1.b2416cp-4 -0x1.d179f4p-3
    """,
}


def found(name):
    """The worst points of a function, as tuples."""
    return [tuple(map(float.fromhex, line.split())) for line in FOUND[name].strip().splitlines()]
