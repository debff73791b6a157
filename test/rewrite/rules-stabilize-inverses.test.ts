// The rules for functions of their inverses, and for logarithms of products (ruleHarness.ts).

import { FAST_LOGARITHMS, INVERSES } from "../../src/rewrite/rules/inverses.ts";
import { n } from "./nodes.ts";
import { testRules } from "./ruleHarness.ts";
import { chain, constant, exp, log, negative, on, oneMinus, reduced, sigmoid } from "./stabilizeForms.ts";

testRules("inverses", INVERSES, [
  chain("logExp", "log", "exp"),
  chain("log1pExpm1", "log1p", "expm1"),
  chain("expLog", "exp", "log"),
  chain("expNegativeLog", "exp", "negative", "log"),
  chain("expLog1p", "exp", "log1p"),
  chain("expm1Log", "expm1", "log"),
  chain("expm1Log1p", "expm1", "log1p"),
  on("log2Pow", (x) => n("log2", n("pow", constant(2, x), x))),
  on("log10Pow", (x) => n("log10", n("pow", constant(10, x), x))),
  on("powLog2", (x) => n("pow", constant(2, x), n("log2", x))),
  on("powLog10", (x) => n("pow", constant(10, x), n("log10", x))),
  chain("sinhAsinh", "sinh", "asinh"),
  chain("asinhSinh", "asinh", "sinh"),
  chain("coshAcosh", "cosh", "acosh"),
  chain("acoshCosh", "acosh", "cosh"),
  chain("tanhAtanh", "tanh", "atanh"),
  chain("atanhTanh", "atanh", "tanh"),
  chain("sinAsin", "sin", "asin"),
  chain("cosAcos", "cos", "acos"),
  on("sigmoidLogit", (x) => sigmoid(log(n("divide", x, oneMinus(x))))),
  on("sigmoidLogOdds", (x) => sigmoid(n("subtract", log(x), n("log1p", negative(x))))),
  on("logitSigmoid", (x) => log(n("divide", sigmoid(x), sigmoid(negative(x))))),
  on("logitSigmoidNegative", (x) => log(n("divide", sigmoid(negative(x)), sigmoid(x)))),
  chain("logSqrt", "log", "sqrt"),
  chain("logSquare", "log", "square"),
  on("logTimesItself", (x) => log(n("multiply", x, x))),
  on("logPow", (x) => log(n("pow", x, 4))),
  on("logPow", (x) => log(n("pow", x, -2))),
]);

testRules("fastLogarithms", FAST_LOGARITHMS, [
  on("logTimesExp", (x, operand) => log(n("multiply", operand("y"), exp(x)))),
  on("logOverExp", (x, operand) => log(n("divide", operand("y"), exp(x)))),
  on("logExpOver", (x, operand) => log(n("divide", exp(x), operand("y")))),
  on("logProd", (x) => log(reduced("prod", x, [0], false))),
]);
