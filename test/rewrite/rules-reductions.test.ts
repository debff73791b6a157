// The rules for reductions, each on expressions on which it must fire.

import { REDUCTIONS } from "../../src/rewrite/rules/reductions.ts";
import { type RuleCase, testRules } from "./ruleHarness.ts";
import {
  broadcast,
  cast,
  concat,
  expand,
  full,
  like,
  op,
  permute,
  reduce,
  reshape,
  slice,
  squeeze,
} from "./ruleNodes.ts";

const INTEGERS = ["int32", "int64", "uint8"] as const;
const FLOATS = ["float64", "float32"] as const;
/** Means of integers are means of floats: the API casts. */
const of = (name: string): Pick<RuleCase, "dtypes"> =>
  name === "mean" ? { dtypes: [...FLOATS, "complex128"] } : {};
/** More rows than a sum has lanes, so that their order shows. */
const LONG = [2, 20, 3] as const;

const CASES: readonly RuleCase[] = [
  ...["sum", "prod", "max", "mean", "any", "all", "countNonzero", "argmax", "var"].flatMap(
    (name): RuleCase[] => {
      const extra = name === "var" ? { correction: 1 } : {};
      const over = (axes: readonly number[], keepdims: boolean): RuleCase => ({
        rule: "reduceUnitAxes",
        build: (x) => op(name, [x("x", { shape: [1, 40, 1] })], { axes, keepdims, ...extra }),
        ...of(name),
      });
      const some = [over([0, 1], false), over([1, 2], true)];
      return name === "var" ? some : [...some, over([0, 2], false), over([2], true), over([], false)];
    },
  ),
  { rule: "reduceKeepdims", build: (x) => expand(reduce("sum", x("x", { shape: [2, 3, 4] }), [0, 2]), 0, 2) },
  { rule: "reduceKeepdims", build: (x) => expand(reduce("argmax", x("x", { shape: [2, 3] }), [1]), 1) },
  {
    rule: "reduceDropdims",
    build: (x) => squeeze(reduce("sum", x("x", { shape: [2, 3, 4] }), [0, 2], true), 0, 2),
  },
  { rule: "reduceDropdims", build: (x) => squeeze(reduce("max", x("x", { shape: [2, 3] }), [0], true), 0) },

  ...["max", "min", "any", "all"].flatMap((name): RuleCase[] => [
    {
      rule: "extremeTwice",
      build: (x) => reduce(name, reduce(name, x("x", { shape: [2, 3, 4] }), [1]), [1]),
    },
    {
      rule: "extremeTwice",
      build: (x) => reduce(name, reduce(name, x("x", { shape: [2, 3, 4] }), [0], true), [2]),
    },
    {
      rule: "extremeTwice",
      build: (x) => reduce(name, reduce(name, x("x", { shape: [2, 3, 4] }), [2]), [0, 1], true),
    },
  ]),
  {
    rule: "sumTwiceInteger",
    build: (x) => reduce("sum", reduce("sum", x("x", { shape: LONG }), [1]), [1]),
    dtypes: INTEGERS,
  },
  {
    rule: "sumTwiceInteger",
    build: (x) => reduce("prod", reduce("prod", x("x", { shape: LONG }), [2], true), [0, 2]),
    dtypes: INTEGERS,
  },
  { rule: "sumTwice", build: (x) => reduce("sum", reduce("sum", x("x", { shape: LONG }), [1]), [0]) },
  {
    rule: "sumTwice",
    build: (x) => reduce("mean", reduce("mean", x("x", { shape: LONG }), [0], true), [1]),
    ...of("mean"),
  },
  { rule: "sumTwice", build: (x) => reduce("prod", reduce("prod", x("x", { shape: [2, 3] }), [0]), [0]) },
  {
    rule: "sumOfCounts",
    build: (x) => reduce("sum", reduce("countNonzero", x("x", { shape: LONG }), [1]), [1], true),
  },

  ...["max", "any", "countNonzero"].map(
    (name): RuleCase => ({
      rule: "reducePermute",
      build: (x) => reduce(name, permute(x("x", { shape: [2, 3, 4] }), 2, 1, 0), [0, 1]),
    }),
  ),
  ...["sum", "prod", "argmin", "mean"].flatMap((name): RuleCase[] => [
    {
      rule: "reducePermute",
      build: (x) => reduce(name, permute(x("x", { shape: LONG }), 2, 0, 1), [1, 2]),
      ...of(name),
    },
    {
      rule: "reducePermute",
      build: (x) => reduce(name, permute(x("x", { shape: LONG }), 1, 2, 0), [0], true),
      ...of(name),
    },
    {
      rule: "reducePermute",
      build: (x) => reduce(name, permute(x("x", { shape: LONG }), 2, 1, 0), [1]),
      ...of(name),
    },
  ]),
  {
    rule: "reducePermute",
    build: (x) =>
      op("var", [permute(x("x", { shape: LONG }), 2, 0, 1)], {
        axes: [1, 2],
        keepdims: false,
        correction: 1,
      }),
  },
  {
    rule: "reducePermute",
    build: (x) => reduce("sum", permute(x("x", { shape: LONG }), 2, 1, 0), [0, 1]),
    dtypes: INTEGERS,
  },
  { rule: "sumPermute", build: (x) => reduce("sum", permute(x("x", { shape: LONG }), 2, 1, 0), [0, 1]) },
  {
    rule: "sumPermute",
    build: (x) => reduce("mean", permute(x("x", { shape: LONG }), 2, 1, 0), [0, 1, 2], true),
    ...of("mean"),
  },
  {
    rule: "sumPermute",
    build: (x) =>
      op("var", [permute(x("x", { shape: [4, 5] }), 1, 0)], { axes: [0, 1], keepdims: false, correction: 0 }),
  },

  ...["sum", "max", "argmax", "all"].flatMap((name): RuleCase[] => [
    { rule: "reduceExpandDims", build: (x) => reduce(name, expand(x("x", { shape: [2, 40] }), 1), [2]) },
    {
      rule: "reduceExpandDims",
      build: (x) => reduce(name, expand(x("x", { shape: [2, 40] }), 0, 3), [1, 2], true),
    },
    {
      rule: "reduceSqueeze",
      build: (x) => reduce(name, squeeze(x("x", { shape: [1, 2, 1, 40] }), 0, 2), [1]),
    },
    {
      rule: "reduceSqueeze",
      build: (x) => reduce(name, squeeze(x("x", { shape: [1, 2, 1, 40] }), 0, 2), [0, 1], true),
    },
    { rule: "reduceReshape", build: (x) => reduce(name, reshape(x("x", { shape: LONG }), 2, 60), [0, 1]) },
    { rule: "reduceReshape", build: (x) => reduce(name, reshape(x("x", { shape: LONG }), 120), [0], true) },
  ]),
  {
    rule: "reduceReshape",
    build: (x) =>
      op("var", [reshape(x("x", { shape: [40] }), 4, 10)], {
        axes: [0, 1],
        keepdims: false,
        correction: 0,
      }),
  },
  {
    rule: "reduceFlip",
    build: (x) => reduce("max", slice(x("x", { shape: [3, 4] }), [2, 3, -1], [3, 2, -1]), [0]),
  },
  {
    rule: "reduceFlip",
    build: (x) => reduce("sum", slice(x("x", { shape: [3, 4] }), [2, 3, -1], [3, 4, -1]), [0, 1]),
    dtypes: INTEGERS,
  },
  {
    rule: "reduceSort",
    build: (x) => reduce("min", op("sort", [x("x", { shape: [3, 4] })], { axis: 1, descending: true }), [1]),
    dtypes: [...FLOATS, ...INTEGERS],
  },
  {
    rule: "reduceSort",
    build: (x) =>
      reduce("sum", op("sort", [x("x", { shape: [3, 4] })], { axis: 0, descending: false }), [0, 1]),
    dtypes: INTEGERS,
  },

  ...["max", "min", "any", "all", "countNonzero", "sum", "prod"].map(
    (name): RuleCase => ({
      rule: "reduceConcat",
      build: (x) => reduce(name, concat(1, x("x", { shape: [2, 3] }), x("y", { shape: [2, 200] })), [1]),
      ...(name === "sum" || name === "prod" ? { dtypes: INTEGERS } : {}),
    }),
  ),
  {
    rule: "reduceConcat",
    build: (x) =>
      reduce("max", concat(0, x("x", { shape: [2, 3] }), x("y", { shape: [1, 3] }), x("x")), [0, 1], true),
  },
  {
    rule: "sumConcat",
    build: (x) => reduce("sum", concat(0, x("x", { shape: [2, 3] }), x("y", { shape: [1, 3] })), [0, 1]),
  },

  ...["max", "min", "any", "all"].flatMap((name): RuleCase[] => [
    {
      rule: "extremeBroadcast",
      build: (x) => reduce(name, broadcast(x("x", { shape: [3, 1] }), 2, 3, 4), [1, 2]),
    },
    {
      rule: "extremeBroadcast",
      build: (x) => reduce(name, broadcast(x("x", { shape: [3, 1] }), 2, 3, 4), [0], true),
    },
    { rule: "extremeBroadcast", build: (x) => reduce(name, broadcast(x("x", { shape: [] }), 4), [0]) },
  ]),
  {
    rule: "sumBroadcastInteger",
    build: (x) => reduce("sum", broadcast(x("x", { shape: [3, 1] }), 200, 3, 4), [0, 1]),
    dtypes: INTEGERS,
  },
  {
    rule: "sumBroadcastInteger",
    build: (x) => reduce("countNonzero", broadcast(x("x", { shape: [3, 1] }), 2, 3, 4), [2], true),
  },
  {
    rule: "sumBroadcastInteger",
    build: (x) => reduce("countNonzero", broadcast(x("x", { shape: [3, 1] }), 2, 3, 4), [0, 1]),
  },
  {
    rule: "sumBroadcast",
    build: (x) => reduce("sum", broadcast(x("x", { shape: [3, 1] }), 5, 3, 4), [0, 1]),
  },
  {
    rule: "meanBroadcast",
    build: (x) => reduce("mean", broadcast(x("x", { shape: [3, 1] }), 5, 3, 4), [1, 2], true),
    ...of("mean"),
  },

  { rule: "maxOfBool", build: (x) => reduce("max", x("x", { shape: [2, 3] }), [1]), dtypes: ["bool"] },
  { rule: "minOfBool", build: (x) => reduce("min", x("x", { shape: [2, 3] }), [0], true), dtypes: ["bool"] },
  ...["max", "min"].flatMap((name): RuleCase[] => [
    {
      rule: "extremeOfNegative",
      build: (x) => reduce(name, op("negative", [x("x", { shape: [2, 3] })]), [1]),
      dtypes: FLOATS,
    },
    ...["floor", "ceil", "trunc", "round"].map(
      (f): RuleCase => ({
        rule: "extremeOfMonotone",
        build: (x) => reduce(name, op(f, [x("x", { shape: [20, 3] })]), [1]),
      }),
    ),
    {
      rule: "extremeOfMonotone",
      build: (x) => reduce(name, cast(x("x", { shape: [20, 3] }), "float32"), [1]),
      dtypes: ["float64", ...INTEGERS],
    },
    {
      rule: "extremeOfMonotone",
      build: (x) => reduce(name, cast(x("x", { shape: [20, 3] }), "int64"), [1]),
      dtypes: ["int32", "uint8"],
    },
    ...[0, -0, 0.1, 1e308].flatMap((c): RuleCase[] => [
      {
        rule: "extremeOfSum",
        build: (x) => reduce(name, op("add", [x("x", { shape: [30, 3] }), like(c, x("x"))]), [1]),
        dtypes: ["float64"],
      },
      {
        rule: "extremeOfDifference",
        build: (x) => reduce(name, op("subtract", [x("x", { shape: [30, 3] }), like(c, x("x"))]), [1]),
        dtypes: ["float64"],
      },
    ]),
    ...[0.1, -3, 1e308, 1e-308].flatMap((c): RuleCase[] => [
      {
        rule: "extremeOfProduct",
        build: (x) => reduce(name, op("multiply", [x("x", { shape: [30, 3] }), like(c, x("x"))]), [1]),
        dtypes: ["float64"],
      },
      {
        rule: "extremeOfQuotient",
        build: (x) => reduce(name, op("divide", [x("x", { shape: [30, 3] }), like(c, x("x"))]), [1]),
        dtypes: ["float64"],
      },
    ]),
    {
      rule: "extremeOfProduct",
      build: (x) => reduce(name, op("multiply", [x("x", { shape: [30, 3] }), like(0.1, x("x"))]), [1]),
      dtypes: FLOATS,
    },
    ...["exp", "expm1", "sinh", "tanh", "atan", "asinh"].map(
      (f): RuleCase => ({
        rule: "extremeOfRising",
        build: (x) => reduce(name, op(f, [x("x", { shape: [20, 3] })]), [1]),
        dtypes: FLOATS,
      }),
    ),
  ]),

  {
    rule: "sumNegativeInteger",
    build: (x) => reduce("sum", op("negative", [x("x", { shape: [2, 3] })]), [1]),
    dtypes: INTEGERS,
  },
  {
    rule: "sumNegative",
    build: (x) => reduce("sum", op("negative", [x("x", { shape: [20, 3] })]), [1]),
    dtypes: FLOATS,
  },
  {
    rule: "sumNegative",
    build: (x) => reduce("mean", op("negative", [x("x", { shape: [20, 40] })]), [1]),
    dtypes: FLOATS,
  },
  {
    rule: "sumScaledInteger",
    build: (x) => reduce("sum", op("multiply", [x("x", { shape: [2, 3] }), x("y", { shape: [] })]), [0, 1]),
    dtypes: INTEGERS,
  },
  {
    rule: "sumScaledInteger",
    build: (x) =>
      reduce("sum", op("multiply", [x("y", { shape: [2, 1] }), x("x", { shape: [4, 2, 3] })]), [0, 2]),
    dtypes: INTEGERS,
  },
  {
    rule: "sumScaled",
    build: (x) =>
      reduce("sum", op("multiply", [x("y", { shape: [2, 1] }), x("x", { shape: [4, 2, 3] })]), [0, 2], true),
    dtypes: FLOATS,
  },
  {
    rule: "sumDivided",
    build: (x) => reduce("mean", op("divide", [x("x", { shape: [2, 3] }), x("y", { shape: [3] })]), [0]),
    dtypes: FLOATS,
  },
  {
    rule: "sumOverCount",
    build: (x) => op("divide", [reduce("sum", x("x", { shape: [2, 40] }), [1]), like(40, x("x"))]),
    dtypes: FLOATS,
  },
  {
    rule: "sumOverCount",
    build: (x) => op("divide", [reduce("sum", x("x", { shape: [2, 7] }), [0, 1], true), like(14, x("x"))]),
    dtypes: FLOATS,
  },
  {
    rule: "meanOfDeviations",
    build: (x) =>
      reduce(
        "mean",
        op("square", [op("subtract", [x("x", { shape: [3, 20] }), reduce("mean", x("x"), [1], true)])]),
        [1],
      ),
    dtypes: FLOATS,
  },

  {
    rule: "countOfTruth",
    build: (x) => reduce("sum", cast(x("x", { shape: [2, 40] }), "int64"), [1]),
    dtypes: ["bool"],
  },
  {
    rule: "countOfChoice",
    build: (x) =>
      reduce(
        "sum",
        op("where", [x("x", { shape: [2, 3] }), full(1n, "int64", []), full(0n, "int64", [])]),
        [1],
      ),
    dtypes: ["bool"],
  },
  ...["any", "all", "countNonzero"].flatMap((name): RuleCase[] => [
    {
      rule: "truthOfTest",
      build: (x) => reduce(name, op("notEqual", [x("x", { shape: [20, 3] }), like(0, x("x"))]), [1]),
      dtypes: [...FLOATS, ...INTEGERS],
    },
    { rule: "truthOfCast", build: (x) => reduce(name, cast(x("x", { shape: [20, 3] }), "bool"), [1]) },
  ]),
  { rule: "anyOfNot", build: (x) => reduce("any", op("logicalNot", [x("x", { shape: [20, 3] })]), [1]) },
  {
    rule: "allOfNot",
    build: (x) => reduce("all", op("logicalNot", [x("x", { shape: [20, 3] })]), [1], true),
  },
  {
    rule: "countAboveZero",
    build: (x) =>
      op("greater", [reduce("countNonzero", x("x", { shape: [20, 3] }), [1]), full(0n, "int64", [])]),
  },
  {
    rule: "countNotZero",
    build: (x) =>
      op("notEqual", [reduce("countNonzero", x("x", { shape: [20, 3] }), [1]), full(0n, "int64", [])]),
  },
  {
    rule: "countIsZero",
    build: (x) =>
      op("equal", [reduce("countNonzero", x("x", { shape: [20, 3] }), [1]), full(0n, "int64", [])]),
  },
];

testRules("reductions", REDUCTIONS, CASES);
