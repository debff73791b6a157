"""Weighted minimax approximation with coefficients that are doubles.

In: a function g, a basis, a weight w, an interval. Out: doubles c with max |w(x) (g(x) - sum c[j] basis[j](x))|
nearly least, and that maximum.
The method is Lawson's: weighted least squares on a grid, where each point's share grows with its error. It
needs no alternation, so it also works when some coefficients are already fixed, as rounding them asks.
"""

from mpmath import mp, mpf, matrix, lu_solve, cos, pi

mp.prec = 300

STEPS = 60


def chebyshev_points(a, b, count):
    """Chebyshev points of [a, b], denser at the ends as errors are."""
    a, b = mpf(a), mpf(b)
    return [(a + b) / 2 - (b - a) / 2 * cos(pi * (2 * i + 1) / (2 * count)) for i in range(count)]


def powers(n):
    return [lambda x, j=j: x**j for j in range(n)]


def least_squares(rows, targets, shares):
    """c with least sum shares[i] (targets[i] - rows[i].c)^2, by the normal equations (precision is ample)."""
    n = len(rows[0])
    system, right = matrix(n, n), matrix(n, 1)
    for row, target, share in zip(rows, targets, shares):
        scaled = [share * value for value in row]
        for j in range(n):
            right[j] += scaled[j] * target
            for k in range(j, n):
                system[j, k] += scaled[j] * row[k]
    for j in range(n):
        for k in range(j):
            system[j, k] = system[k, j]
    return list(lu_solve(system, right))


def errors_of(rows, targets, c):
    return [abs(t - sum(v * k for v, k in zip(row, c))) for row, t in zip(rows, targets)]


def lawson(rows, targets, shares):
    """Coefficients with nearly the least maximal error; `shares` is carried over between fits."""
    best, least = None, None
    for _ in range(STEPS):
        c = least_squares(rows, targets, shares)
        errors = errors_of(rows, targets, c)
        worst = max(errors)
        if least is None or worst < least:
            best, least = c, worst
        shares[:] = [share * (error / worst) + mpf(10) ** -30 for share, error in zip(shares, errors)]
    return best


def samples(g, basis, w, points):
    weights = [w(x) for x in points]
    rows = [[weight * f(x) for f in basis] for x, weight in zip(points, weights)]
    return rows, [weight * g(x) for x, weight in zip(points, weights)]


def rounded(g, basis, w, a, b):
    """Coefficients as doubles: rounded one by one from the first, the rest fitted anew around them."""
    fixed, shares = [], [mpf(1)] * (12 * len(basis))
    rows, targets = samples(g, basis, w, chebyshev_points(a, b, len(shares)))
    while len(fixed) < len(basis):
        j = len(fixed)
        rest = [t - sum(v * k for v, k in zip(row, fixed)) for row, t in zip(rows, targets)]
        fixed.append(round_to(lawson([row[j:] for row in rows], rest, shares)[0], 53))
    return fixed, max(errors_of(*samples(g, basis, w, chebyshev_points(a, b, 1000)), fixed))


def round_to(x, bits):
    """The nearest number with so many bits."""
    with mp.workprec(bits):
        return +mpf(x)
