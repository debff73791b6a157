"""The selections that get and set are tried with.

In:  nothing. Out: SELECTIONS, pairs of a shape and a list of index items.
Must hold: indices are in range, and no selection chooses an element twice.
"""

import numpy as np

S = slice
X3, X2, X1 = (2, 3, 4), (4, 5), (6,)


def ints(*values):
    return np.array(values, "int64")


def mask(shape, step):
    return (np.arange(int(np.prod(shape))) % step == 0).reshape(shape)


SLICES = [
    S(None), S(2, None), S(None, 3), S(1, 5), S(-3, None), S(None, -2), S(-4, -1), S(None, None, 2), S(1, None, 3),
    S(None, None, -1), S(None, None, -2), S(4, 1, -1), S(-1, -5, -2), S(3, 3), S(4, 2), S(1, 4, -1), S(0, 100),
    S(-100, 100), S(100, -100, -3), S(-100, 3), S(100, None), S(None, -100), S(5, None, -10), S(0, 6, 10),
    S(None, -100, -1),
]

SELECTIONS = (  # (shape, selection), no element chosen twice
    [(X1, [item]) for item in SLICES]
    + [(X1, [item]) for item in (0, 3, -1, -6, Ellipsis, None)]
    + [
        ((), []), ((), [Ellipsis]), ((), [None]), ((1,), [0]), ((0,), [S(None)]), ((0,), [S(None, None, -1)]),
        ((0, 3), [S(None), 1]), ((0, 3), [Ellipsis, S(1, None)]), ((3, 0), [1]), ((3, 0), [S(1, None), None]),
        (X3, [0]), (X3, [-1, 2]), (X3, [1, 2, 3]), (X3, [Ellipsis, 0]), (X3, [0, Ellipsis]),
        (X3, [0, Ellipsis, -1]), (X3, [1, Ellipsis, S(None, None, -2)]), (X3, [S(None), 1]),
        (X3, [S(None), S(None, None, -1), S(1, 3)]), (X3, [S(1, None), 0, S(None, 2)]), (X3, [None]),
        (X3, [None, 1]), (X3, [S(None), None, 2]), (X3, [Ellipsis, None]), (X3, [None, Ellipsis, None, 0]),
        (X3, [0, None, S(None, None, 2), None]), (X3, [S(None), S(2, 1)]), (X3, [S(0, 0)]), (X1, [ints(3, 0, -1)]),
        (X1, [ints()]), (X1, [ints(4)]), (X1, [np.array([[0, 5], [2, -3]])]), (X1, [np.array([2, 0], "uint8")]),
        (X1, [ints(1, 2), None]), (X1, [None, ints(1, 2)]), (X2, [ints(2, 0)]), (X2, [S(None), ints(4, -5, 2)]),
        (X2, [S(1, 3), ints(0, 3)]), (X2, [ints(0, 2), S(None, None, -2)]), (X2, [ints(1, 3), ints(2, -1)]),
        (X2, [np.array([[1], [3]]), ints(0, 2, 4)]), (X2, [ints(1, 3), 2]), (X2, [Ellipsis, ints(0, 4)]),
        (X2, [np.array([[0, 1], [2, 3]]), S(0, 2)]), (X3, [ints(1, 0), ints(2, 0)]),
        (X3, [S(None), ints(0, 2), ints(1, 3)]), (X3, [ints(0, 1), S(None), ints(1, 3)]),
        (X3, [ints(0, 1), S(1, None), np.array([[1, 3], [0, 2]])]), (X3, [0, S(None), ints(3, 0)]),
        (X3, [ints(1, 0), S(None), 2]), (X3, [S(None), 1, ints(0, 3)]), (X3, [ints(0, 1), None, ints(2, 1)]),
        (X3, [ints(1), Ellipsis, ints(0)]), (X3, [S(None), ints(2, 0)]),
        (X3, [np.array([[[0]], [[1]]]), np.array([[0], [2]]), ints(1, 3)]),
        (X3, [S(None), np.array([[0, 1], [2, 0]])[:, :1], S(None, 2)]), (X1, [mask(X1, 2)]), (X2, [mask(X2, 3)]),
        (X2, [mask((4,), 3)]), (X2, [S(None), mask((5,), 2)]), (X3, [mask((2, 3), 2)]), (X3, [mask(X3, 5)]),
        (X3, [Ellipsis, mask((4,), 3)]), (X1, [np.zeros(6, bool)]), (X1, [np.ones(6, bool)]),
        (X3, [mask((2,), 2), S(None), S(1, 3)]),
    ]
)
