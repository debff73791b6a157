// The rules that keep digits: one case or more for each, compared with what was written (ruleHarness.ts).

import { STABILIZE } from "../../src/rewrite/rules/stabilize.ts";
import { n } from "./nodes.ts";
import { testRules } from "./ruleHarness.ts";
import { chain, constant, exp, log, negative, on, oneMinus, sigmoid } from "./stabilizeForms.ts";

testRules("stabilize", STABILIZE, [
  on("log1p", (x) => log(n("add", x, 1))),
  on("log1p", (x) => log(n("add", constant(1, x), x))),
  on("log1pNegative", (x) => log(oneMinus(x))),
  on("log1pNegative", (x) => log(oneMinus(negative(x)))),
  on("expm1", (x) => n("subtract", exp(x), 1)),
  on("expm1Add", (x) => n("add", exp(x), -1)),
  on("negativeExpm1", (x) => oneMinus(exp(x))),
  on("logaddexp", (x, operand) => log(n("add", exp(x), exp(operand("y"))))),
  on("logaddexp", (x, operand) => log(n("add", n("add", exp(x), exp(operand("y"))), exp(operand("z"))))),
  chain("softplus", "log1p", "exp"),
  chain("log1mexp", "log1p", "negative", "exp"),
  chain("log1mexpExpm1", "log", "negative", "expm1"),
  chain("logExpm1", "log", "expm1"),
  on("logSubtractExp", (x, operand) => log(n("subtract", exp(x), exp(operand("y"))))),
  on("sigmoid", (x) => n("divide", exp(x), n("add", exp(x), 1))),
  on("sigmoidOver", (x) => n("divide", constant(1, x), n("add", exp(x), 1))),
  on("sigmoidOver", (x) => n("divide", constant(1, x), n("add", exp(negative(x)), 1))),
  on("sigmoidReciprocal", (x) => n("reciprocal", n("add", exp(x), 1))),
  on("oneMinusSigmoid", (x) => oneMinus(sigmoid(x))),
  on("oneMinusSigmoid", (x) => oneMinus(sigmoid(negative(x)))),
  on("expTimesSigmoid", (x) => n("multiply", exp(x), sigmoid(negative(x)))),
  on("expNegativeTimesSigmoid", (x) => n("multiply", sigmoid(x), exp(negative(x)))),
  chain("logSigmoid", "log", "sigmoid"),
  chain("logSigmoid", "log", "sigmoid", "negative"),
  chain("log1pNegativeSigmoid", "log1p", "negative", "sigmoid"),
  chain("expNegativeSoftplus", "exp", "negative", "softplus"),
]);
