# NumPy: the same expressions, and the same training step, on one thread.
import json
import time

import numpy as np

SIZES = [100, 10_000, 1_000_000]
ROUNDS = 15


def numbers(count, seed, dtype=np.float64):
    out = np.empty(count, dtype)
    state = seed
    for i in range(count):
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        out[i] = state / 2**32 - 0.5
    return out


def timed(call):
    def once(count):
        start = time.perf_counter()
        for _ in range(count):
            call()
        return (time.perf_counter() - start) * 1e6 / count

    end = time.perf_counter() + 0.3
    first = once(1)
    while time.perf_counter() < end:
        first = min(first, once(10))
    count = max(1, round(20_000 / first))
    rounds = sorted(once(count) for _ in range(ROUNDS))
    return {"best": rounds[0], "median": rounds[ROUNDS // 2]}


figures = {}
for count in SIZES:
    x, y = numbers(count, 1), numbers(count, 2)
    f = lambda: (x * 2 + y * 3) / (1 + x * x)
    figures[count] = {"NumPy": timed(f), "sum, NumPy": timed(lambda: x.sum()), "check": f()[7]}

SMALL = 10_000
x, y = numbers(SMALL, 1), numbers(SMALL, 2)
k, n = (x * 20).astype(np.int32), (y * 20).astype(np.int32)
expressions = {
    "E1": lambda: (x * 2 + y * 3) / (1 + x * x),
    "E2": lambda: np.sqrt(x * x + y * y).sum(),
    "E3": lambda: np.exp(-x * x / 2) * np.sin(y) + np.log1p(np.abs(x)),
    "E4": lambda: ((x * (np.pi / 180)) ** 2).sum(),
    "E5": lambda: np.where(k > 3, k * 2, n - 1),
    "E6": lambda: np.where(x > 0, x, 0).sum() / (x > 0).sum(),
    "sum": lambda: x.sum(),
    "x + 1": lambda: x + 1,
}
figures["small"] = {name: {"NumPy": timed(f)} for name, f in expressions.items()}

batch, inputs, hidden, outputs, rate = 64, 32, 64, 10, 0.05
f4 = np.float32
x, y = numbers(batch * inputs, 1, f4).reshape(batch, inputs), numbers(batch * outputs, 2, f4).reshape(batch, outputs)
w1, b1 = numbers(inputs * hidden, 3, f4).reshape(inputs, hidden), np.zeros(hidden, f4)
w2, b2 = numbers(hidden * outputs, 4, f4).reshape(hidden, outputs), np.zeros(outputs, f4)


def train():
    global w1, b1, w2, b2
    h = np.tanh(x @ w1 + b1)
    d = h @ w2 + b2 - y
    loss = (d * d).mean()
    dp = d * f4(2 / (batch * outputs))
    dh = dp @ w2.T * (1 - h * h)
    w1, b1 = w1 - f4(rate) * (x.T @ dh), b1 - f4(rate) * dh.sum(0)
    w2, b2 = w2 - f4(rate) * (h.T @ dp), b2 - f4(rate) * dp.sum(0)
    return float(loss)


losses = [train() for _ in range(20)]
figures["training"] = {"step": timed(train), "losses": losses}
print(json.dumps(figures))
