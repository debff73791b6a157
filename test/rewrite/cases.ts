// What PyTensor's tests of rewrites ask, as formulas: what becomes what by default, what becomes what with fastMath, and what
// has to stay, by default. Names are arrays: see NAMES in cases.test.ts. A line with fastMath stays what it is by default, or
// at least becomes something else.

/** By default: the same bits, or nearer to the true value. */
export const BECOMES = `
x * 1 → x
1 * x → x
x / 1 → x
x ** 1 → x
x - 0 → x
i + 0 → i
0 + i → i
i * 0 → full([2, 3], 0, dtype="int32")
x ** 0 → onesLike(x)
1.0 ** x → onesLike(x)
+x → x
--x → x
---x → -x
not not b → b
~~i → i
conj(x) → x
conj(conj(w)) → w
abs(abs(x)) → abs(x)
abs(-x) → abs(x)
abs(u) → u
abs(x * x) → square(x)
abs(exp(x)) → exp(x)
abs(x) * abs(y) → abs(x * y)
abs(x) / abs(y) → abs(x / y)
abs(conj(w)) → abs(w)
x - (-y) → x + y
x + (-y) → x - y
-1 * x → -x
x * -1 → -x
x / -1 → -x
(-x) * (-y) → y * x
(-x) / (-y) → x / y
(-x) * y → -(x * y)
x / (-y) → -(x / y)
-(i - j) → j - i
-(2 / x) → -2 / x
-(x * 3) → x * -3
i - i → full([2, 3], 0, dtype="int32")
(i + j) - j → i
(i - j) + j → i
i - (i - j) → j
i - (i + j) → -j
(i + 2) + 3 → i + 5
(i + 2) - 3 → i + -1
(2 - i) + 3 → 5 - i
(i * 2) * 3 → i * 6
(x * 2) * 4 → x * 8
i * j + i * z32 → i * (j + z32)
i * j - i * z32 → i * (j - z32)
i * 2 + i → i * 3
2 + x → x + 2
(i + 2) + j → i + j + 2
x * x → square(x)
x ** 2 → square(x)
x ** -1 → reciprocal(x)
1 / x → reciprocal(x)
1 / (1 / x) → x
x * (1 / y) → x / y
x / (1 / y) → x * y
1 / (x / y) → y / x
x / 2 → x * 0.5
x / 4 → x * 0.25
(-x) ** 2 → square(x)
square(abs(x)) → square(x)
sqrt(x ** 2) → abs(x)
sqrt(x * x) → abs(x)
i ** 2 → square(i)
log(exp(x)) → x
log1p(expm1(x)) → x
log2(2.0 ** x) → x
log10(10.0 ** x) → x
exp(log(x)) → where(x >= 0, abs(x), nan)
exp(-log(x)) → where(x >= 0, reciprocal(abs(x)), nan)
exp(log1p(x)) → where(x >= -1, x + 1, nan)
expm1(log(x)) → where(x >= 0, x - 1, nan)
expm1(log1p(x)) → where(x >= -1, x, nan)
2.0 ** log2(x) → where(x >= 0, abs(x), nan)
sinh(asinh(x)) → x
asinh(sinh(x)) → x
atanh(tanh(x)) → x
acosh(cosh(x)) → abs(x)
tanh(atanh(x)) → where(abs(x) <= 1, x, nan)
sin(asin(x)) → where(abs(x) <= 1, x, nan)
cos(acos(x)) → where(abs(x) <= 1, x, nan)
cosh(acosh(x)) → where(x >= 1, x, nan)
log(1 + x) → log1p(x)
log(x + 1) → log1p(x)
log(1 - x) → log1p(-x)
log(1 + exp(x)) → softplus(x)
log1p(exp(x)) → softplus(x)
log(1 - exp(x)) → log1mexp(x)
log1p(-exp(x)) → log1mexp(x)
log(-expm1(x)) → log1mexp(x)
exp(x) - 1 → expm1(x)
exp(x) + -1 → expm1(x)
1 - exp(x) → -expm1(x)
log(exp(x) + exp(y)) → logaddexp(x, y)
exp(softplus(x)) → exp(x) + 1
exp(-softplus(x)) → sigmoid(-x)
log(sqrt(x)) → log(x) * 0.5
log(x ** 2) → log(abs(x)) * 2
log(x * x) → log(abs(x)) * 2
exp(x) / (1 + exp(x)) → sigmoid(x)
1 / (1 + exp(-x)) → sigmoid(x)
1 / (1 + exp(x)) → sigmoid(-x)
reciprocal(1 + exp(-x)) → sigmoid(x)
1 - sigmoid(x) → sigmoid(-x)
exp(x) * sigmoid(-x) → sigmoid(x)
exp(-x) * sigmoid(x) → sigmoid(-x)
log(sigmoid(x)) → -softplus(-x)
log(1 - sigmoid(x)) → -softplus(x)
log(1 / (1 + exp(-x))) → -softplus(-x)
log(sum(exp(x), axis=1)) → logsumexp(x, axis=1)
log(sum(exp(x), axis=0, keepdims=True)) → logsumexp(x, axis=0, keepdims=True)
log(sum(exp(x.T), axis=0)) → logsumexp(x, axis=1)
exp(x) / sum(exp(x), axis=1, keepdims=True) → softmax(x, axis=1)
exp(x) / sum(exp(x), axis=0, keepdims=True) → softmax(x, axis=0)
exp(x) / sum(exp(x)) → softmax(x, axis=None)
log(softmax(x, axis=1)) → logSoftmax(x, axis=1)
log(exp(x) / sum(exp(x), axis=1, keepdims=True)) → logSoftmax(x, axis=1)
log(softmax(x, axis=1).T) → logSoftmax(x, axis=1).T
sigmoid(log(x / (1 - x))) → where((x >= 0) and (x <= 1), abs(x), nan)
x < x → full([2, 3], false)
i == i → full([2, 3], true)
i != i → full([2, 3], false)
x != x → isnan(x)
x == x → not isnan(x)
not (x == y) → x != y
not (x != y) → x == y
not (i < j) → i >= j
-x < -y → x > y
2 < x → x > 2
abs(x) < 0 → full([2, 3], false)
u < 0 → full([2, 3], false)
u >= 0 → full([2, 3], true)
isnan(i) → full([2, 3], false)
isfinite(i) → full([2, 3], true)
isnan(-x) → isnan(x)
i + 2 == 5 → i == 3
i - j == 0 → i == j
(x < y) or (x == y) → x <= y
(x <= y) and (x != y) → x < y
(x <= y) and (x >= y) → x == y
(x < 2) and (x < 3) → x < 2
maximum(x, x) → x
minimum(x, x) → x
maximum(maximum(x, 1), 2) → maximum(x, 2)
maximum(maximum(x, y), y) → maximum(x, y)
maximum(i, minimum(i, j)) → i
maximum(-x, -y) → -minimum(x, y)
maximum(x, -x) → abs(x)
maximum(x, -inf) → x
where(true, x, y) → x
where(false, x, y) → y
where(b, x, x) → x
where(not b, x, y) → where(b, y, x)
where(b, true, false) → b
where(b, false, true) → not b
where(b, c, false) → b and c
where(b, true, c) → b or c
where(b, where(b, x, y), z) → where(b, x, z)
where(b, x, where(b, y, z)) → where(b, x, z)
where(b, where(c, x, y), y) → where(b and c, x, y)
where(b, x, y) + where(b, y, z) → where(b, x + y, y + z)
where(b, sin(x), sin(y)) → sin(where(b, x, y))
where(i < j, i, j) → minimum(i, j)
where(i > 0, i, -i) → abs(i)
b and b → b
b or b → b
b and true → b
b or false → b
b and not b → full([2, 3], false)
b or not b → full([2, 3], true)
b and (b or c) → b
not b and not c → not (b or c)
(not b) or (not c) → not (b and c)
i & i → i
i | 0 → i
i ^ i → full([2, 3], 0, dtype="int32")
(i ^ j) ^ j → i
(i << 1) << 2 → i << 3
i // 1 → i
u // 4 → u >> 2
u % 4 → u & 3
(i // 2) // 3 → i // 6
real(i + 0) → i
imag(i) → zerosLike(i)
floor(floor(x)) → floor(x)
ceil(i) → i
-floor(-x) → ceil(x)
sign(sign(x)) → sign(x)
real(x) → x
real(conj(w)) → real(w)
imag(-w) → -imag(w)
x.T.T → x
permuteDims(permuteDims(t, [1, 2, 0]), [2, 0, 1]) → t
expandDims(x, axis=0)[0] → x
squeeze(expandDims(x, axis=1), 1) → x
reshape(v, [1, 3]) → expandDims(v, axis=0)
broadcastTo(broadcastTo(v, [2, 3]), [4, 2, 3]) → broadcastTo(v, [4, 2, 3])
broadcastTo(v, [2, 3]) + x → v + x
exp(broadcastTo(v, [2, 3])) → broadcastTo(exp(v), [2, 3])
exp(x.T) + exp(y.T) → (exp(x) + exp(y)).T
concat([x]) → x
concat([concat([x, y]), z]) → concat([x, y, z])
concat([x[:1], x[1:]]) → x
concat([x, x]) → tile(x, [2, 1])
x[::-1][::-1] → x
t[0][1] → t[0, 1]
exp(x)[:1] → exp(x[:1])
(x + y)[:, 1:2] → x[:, 1:2] + y[:, 1:2]
sum(t, axis=2)[:1] → sum(t[:1], axis=2)
(M @ N)[:1] → M[:1] @ N
(M @ N)[:, 1:] → M @ N[:, 1:]
x.T[0] → x[:, 0]
broadcastTo(v, [2, 3])[1] → v
concat([x, y])[3] → y[1]
concat([x, y])[:2] → x
reshape(x, [6])[0:3] → x[0]
set(x, (0, 0), 2)[1] → x[1]
set(x, 1, v)[1] → v
set(set(x, 0, v), 0, v + 1) → set(x, 0, v + 1)
set(x, 0, x[0]) → x
sort(sort(v)) → sort(v)
max(max(t, axis=2), axis=1) → max(t, axis=[1, 2])
sum(sum(k, axis=2), axis=1) → sum(k, axis=[1, 2])
sum(x[:, :1], axis=1) → x[:, 0]
max(-x) → -min(x)
max(x.T, axis=0) → max(x, axis=1)
max(broadcastTo(v, [2, 3])) → max(v)
max(x + 2) → max(x) + 2
sum(-l) → -sum(l)
sum(l * 2) → sum(l) * 2
any(any(b, axis=0)) → any(b)
any(not b) → not all(b)
all(not b) → not any(b)
sum(x, axis=0) / 2 → mean(x, axis=0)
prod(-x) → prod(x)
sign(3 * x) → sign(x)
2 + 3 * x → x * 3 + 2
sin(full([], 0.0)) + x → x + 0
`;

/** With fastMath. */
export const BECOMES_FAST = `
x + 0 → x
0 - x → -x
x * 0 → zerosLike(x)
0 / x → zerosLike(x)
x - x → zerosLike(x)
x / x → onesLike(x)
-(x - y) → y - x
(x + y) - y → x
(x * y) / y → x
(x * y) / x → y
(y * x) / y → x
(x / y) * y → x
x / (x / y) → y
x / (x * y) → reciprocal(y)
(x * y) / (z * y) → x / z
x + y - x → y
x * y * z / y → x * z
(x + 2) + 3 → x + 5
(x * 3) * 5 → x * 15
(x * 3) / 5 → x * 0.6
x / 3 / 5 → x * (1 / 15)
(2 / x) * 3 → 6 / x
x * y + x * z → x * (y + z)
x * y - x * z → x * (y - z)
x * 3 + x → x * 4
x / 3 → x * (1 / 3)
x / y / z → x / (y * z)
x / (y / z) → x * z / y
exp(x) * exp(y) → exp(x + y)
x / exp(y) → x * exp(-y)
2.0 ** x * 2.0 ** y → 2.0 ** (x + y)
x ** 3 → square(x) * x
x ** 4 → square(square(x))
x ** -2 → reciprocal(square(x))
x ** -0.5 → reciprocal(sqrt(x))
log(x * exp(y)) → log(x) + y
log(exp(x) / y) → x - log(y)
log(2 * x) → log(x) + 0.6931471805599453
log(1 / x) → -log(x)
log(prod(v)) → where(prod(sign(v)) >= 0, sum(log(abs(v))), nan)
x / abs(x) → sign(x)
sign(x) * abs(x) → x
where(x > 0, x, -x) → abs(x)
where(x < y, x, y) → minimum(x, y)
where(x > y, x, y) → maximum(x, y)
x * where(b, 0, y) → where(b, 0, x * y)
where(b, 0, x) / y → where(b, 0, x / y)
not (x < y) → x >= y
maximum(x, minimum(x, y)) → x
maximum(x, inf) → full([2, 3], inf)
sum(sum(t, axis=2), axis=1) → sum(t, axis=[1, 2])
sum(x * 3) → sum(x) * 3
sum(x / 3) → sum(x) * 0.3333333333333333
sum(-x) → -sum(x)
sum(x.T, axis=0) → sum(x, axis=1)
sum(broadcastTo(v, [4, 3]), axis=0) → v * 4
mean(broadcastTo(v, [4, 3]), axis=0) → v
prod(2 * x) → prod(x) * 64
max(exp(x)) → exp(max(x))
mean((x - mean(x)) ** 2) → var(x)
mean(square(x)) - square(mean(x)) → var(x)
exp(x) / (exp(x) + exp(y)) → sigmoid(x - y)
exp(logSoftmax(x, axis=1)) → softmax(x, axis=1)
x - log(sum(exp(x), axis=1, keepdims=True)) → logSoftmax(x, axis=1)
x - logsumexp(x, axis=1, keepdims=True) → logSoftmax(x, axis=1)
eye(3) @ M → M
M @ eye(3) → M
M @ N + M @ P → M @ (N + P)
N @ M + P @ M → (N + P) @ M
(2 * M) @ N → M @ N * 2
`;

/** By default: these have to stay what they are. */
export const STAYS = `
x + 0
0 - x
x * 0
0 / x
x - x
x / x
(x + y) - y
(x * y) / y
(x / y) * y
x / (x * y)
(x + 2) + 3
(x * 3) * 5
x * y + x * z
-(x - y)
x / 3
x ** 3
x ** -2
x ** y
exp(x) * exp(y)
x / exp(y)
log(x * exp(y))
log(x * 2)
log(reciprocal(x))
log(prod(v))
x / abs(x)
sign(x) * abs(x)
sqrt(x) * sqrt(y)
sqrt(x * y)
where(x < y, x, y)
where(x > 0, x, -x)
x * where(b, 0, y)
x < y
x <= y
maximum(x, y)
maximum(x, inf)
exp(M) / sum(exp(M), axis=1)
exp(x) / sum(exp(y), axis=1, keepdims=True)
log(exp(x) + y)
exp(sum(x))
exp(logSoftmax(x, axis=1))
x - logsumexp(x, axis=1, keepdims=True)
sum(x * 3)
sum(t, axis=2) + 1
mean(square(x)) - square(mean(x))
M @ N
M @ N + M @ P
max(sin(x))
max(square(x))
floor(x)
asin(sin(x))
acos(cos(x))
sqrt(x) + x[0]
cumulativeSum(v, axis=0)[1:]
sort(v)[1:]
reshape(x.T, [6])
concat([x, y]) + 1
`;
