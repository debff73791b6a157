// The rules that make results more accurate, each with a formula that it rewrites, its true value and where to look. In: nodes
// of operands. Out: the formula as one writes it. The text of the true value is evaluated by truth.py, with x and y.

import * as cw from "chunkwise";

const { exp, expm1, log, log1p, negative: neg, add, subtract: sub, multiply: mul, divide: div } = cw;
const sigmoid = cw.sigmoid;
const total = (x, options = { axis: -1, keepdims: true }) => cw.sum(exp(x), options);
const ONE_PLUS = (x) => add(1, exp(x));
const mean = (x) => cw.mean(x, { axis: -1, keepdims: true });

/** Where x is taken from: names of samplers (points.mjs). */
export const CASES = {
  log1p: [(x) => log(add(1, x)), "log(1 + x)", "aboveMinusOne"],
  log1pNegative: [(x) => log(sub(1, x)), "log(1 - x)", "belowOne"],
  expm1: [(x) => sub(exp(x), 1), "exp(x) - 1", "exponents"],
  expm1Add: [(x) => add(exp(x), -1), "exp(x) - 1", "exponents"],
  negativeExpm1: [(x) => sub(1, exp(x)), "1 - exp(x)", "exponents"],
  logaddexp: [(x, y) => log(add(exp(x), exp(y))), "log(exp(x) + exp(y))", "pairs"],
  expSoftplus: [(x) => exp(cw.softplus(x)), "1 + exp(x)", "exponents"],
  softplusLog: [(x) => cw.softplus(log(x)), "log(1 + x)", "positive"],
  log1pOfExps: [(x, y) => log1p(add(exp(x), exp(y))), "log(1 + exp(x) + exp(y))", "pairs"],
  logOfOneAndExps: [(x, y) => log(add(add(1, exp(x)), exp(y))), "log(1 + exp(x) + exp(y))", "pairs"],
  logOfWeightedExps: [
    (x) => log(cw.sum(mul(cw.asarray([0.75]), exp(x)), { axis: -1, keepdims: true })),
    "log(total(x) * mpf(0.75))",
    "rows",
  ],
  softplus: [(x) => log1p(exp(x)), "log(1 + exp(x))", "exponents"],
  log1mexp: [(x) => log1p(neg(exp(x))), "log(1 - exp(x))", "negativeExponents"],
  log1mexpExpm1: [(x) => log(neg(expm1(x))), "log(1 - exp(x))", "negativeExponents"],
  logExpm1: [(x) => log(expm1(x)), "log(exp(x) - 1)", "exponents"],
  logSubtractExp: [(x, y) => log(sub(exp(x), exp(y))), "log(exp(x) - exp(y))", "pairs"],
  sigmoid: [(x) => div(exp(x), ONE_PLUS(x)), "sigmoid(x)", "exponents"],
  sigmoidOver: [(x) => div(1, ONE_PLUS(x)), "sigmoid(-x)", "exponents"],
  sigmoidReciprocal: [(x) => cw.reciprocal(ONE_PLUS(x)), "sigmoid(-x)", "exponents"],
  oneMinusSigmoid: [(x) => sub(1, sigmoid(x)), "sigmoid(-x)", "exponents"],
  expTimesSigmoid: [(x) => mul(exp(x), sigmoid(neg(x))), "sigmoid(x)", "exponents"],
  expNegativeTimesSigmoid: [(x) => mul(exp(neg(x)), sigmoid(x)), "sigmoid(-x)", "exponents"],
  logSigmoid: [(x) => log(sigmoid(x)), "log(sigmoid(x))", "exponents"],
  log1pNegativeSigmoid: [(x) => log1p(neg(sigmoid(x))), "log(sigmoid(-x))", "exponents"],
  expNegativeSoftplus: [(x) => exp(neg(cw.softplus(x))), "sigmoid(-x)", "exponents"],
  logsumexp: [(x) => log(total(x)), "log(total(x))", "rows"],
  logMeanExp: [(x) => log(mean(exp(x))), "log(total(x) / len(x))", "rows"],
  softmax: [(x) => div(exp(x), total(x)), "softmax(x)", "rows"],
  logSoftmax: [(x) => log(cw.softmax(x)), "[log(p) for p in softmax(x)]", "rows"],
  logSoftmaxShifted: [
    (x) => {
      const shifted = sub(x, cw.max(x, { axis: -1, keepdims: true }));
      return log(div(exp(shifted), total(shifted)));
    },
    "[log(p) for p in softmax([mpf(float(a - max(x))) for a in x])]",
    "rows",
  ],
  logSoftmaxOfLogsumexp: [
    (x) => sub(x, cw.logsumexp(x, { axis: -1, keepdims: true })),
    "[log(p) for p in softmax(x)]",
    "rows",
  ],
  logOfTakenSoftmax: [
    (x) => log(cw.takeAlongAxis(cw.softmax(x), cw.asarray([0]), { axis: -1 })),
    "log(softmax(x)[0])",
    "rows",
  ],
  expLogSoftmax: [(x) => exp(cw.logSoftmax(x)), "softmax(x)", "rows"],
  logExp: [(x) => log(exp(x)), "x", "any"],
  log1pExpm1: [(x) => log1p(expm1(x)), "x", "any"],
  expLog: [(x) => exp(log(x)), "x", "positive"],
  expNegativeLog: [(x) => exp(neg(log(x))), "1 / x", "positive"],
  expLog1p: [(x) => exp(log1p(x)), "1 + x", "aboveMinusOne"],
  expm1Log: [(x) => expm1(log(x)), "x - 1", "positive"],
  expm1Log1p: [(x) => expm1(log1p(x)), "x", "aboveMinusOne"],
  log2Pow: [(x) => cw.log2(cw.pow(2, x)), "x", "any"],
  log10Pow: [(x) => cw.log10(cw.pow(10, x)), "x", "any"],
  powLog2: [(x) => cw.pow(2, cw.log2(x)), "x", "positive"],
  powLog10: [(x) => cw.pow(10, cw.log10(x)), "x", "positive"],
  sinhAsinh: [(x) => cw.sinh(cw.asinh(x)), "x", "any"],
  asinhSinh: [(x) => cw.asinh(cw.sinh(x)), "x", "any"],
  coshAcosh: [(x) => cw.cosh(cw.acosh(x)), "x", "aboveOne"],
  acoshCosh: [(x) => cw.acosh(cw.cosh(x)), "abs(x)", "any"],
  tanhAtanh: [(x) => cw.tanh(cw.atanh(x)), "x", "upToOne"],
  atanhTanh: [(x) => cw.atanh(cw.tanh(x)), "x", "any"],
  sinAsin: [(x) => cw.sin(cw.asin(x)), "x", "upToOne"],
  cosAcos: [(x) => cw.cos(cw.acos(x)), "x", "upToOne"],
  sigmoidLogit: [(x) => sigmoid(log(div(x, sub(1, x)))), "x", "probabilities"],
  sigmoidLogOdds: [(x) => sigmoid(sub(log(x), log1p(neg(x)))), "x", "probabilities"],
  logitSigmoid: [(x) => log(div(sigmoid(x), sigmoid(neg(x)))), "x", "any"],
  logitSigmoidNegative: [(x) => log(div(sigmoid(neg(x)), sigmoid(x))), "-x", "any"],
  logSqrt: [(x) => log(cw.sqrt(x)), "log(x) / 2", "positive"],
  logSquare: [(x) => log(cw.square(x)), "2 * log(abs(x))", "any"],
  logTimesItself: [(x) => log(mul(x, x)), "2 * log(abs(x))", "any"],
  logPow: [(x) => log(cw.pow(x, 4)), "4 * log(abs(x))", "any"],
  powTwoFloat: [(x) => cw.pow(x, 2), "x ** 2", "any"],
  powMinusOne: [(x) => cw.pow(x, -1), "1 / x", "any"],
  sqrtSquare: [(x) => cw.sqrt(cw.square(x)), "abs(x)", "any"],
  powHalf: [(x) => cw.pow(x, 0.5), "sqrt(x)", "positive"],
  reciprocalTwice: [(x) => cw.reciprocal(cw.reciprocal(x)), "x", "any"],
  divideByReciprocal: [(x, y) => div(x, cw.reciprocal(y)), "x * y", "pairs"],
  multiplyReciprocal: [(x, y) => mul(x, cw.reciprocal(y)), "x / y", "pairs"],
  reciprocalQuotient: [(x, y) => cw.reciprocal(div(x, y)), "y / x", "pairs"],
  squareSqrt: [(x) => cw.square(cw.sqrt(x)), "x", "positive"],
};
