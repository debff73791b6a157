// The door of `chunkwise/rewrite`: rules, patterns, databases, graphs, explain and profile.

export type { Attr, Attrs } from "../core/block.ts";
export { RuleCycleError, RuleError, RuleGrowthError, RuleTypeError } from "../core/errors.ts";
export { type Derivation, type Expr, makeExpr } from "../expr/expr.ts";
export type { ElementwiseOp, Op } from "../expr/op.ts";
export { type ArrayType, type DenseType, denseType, type RaggedType } from "../expr/op.ts";
/** The language in which the bodies of ops are written: `s.add(x, y)`. */
export * as s from "../kernel/scalar.ts";
export { binary, type ElementwiseFunction, type ElementwiseLine, unary } from "../ops/define.ts";
export { OPS, opNamed } from "../ops/index.ts";
export {
  type Position,
  Query,
  type QueryParts,
  query,
  type RegisterOptions,
  RuleGroup,
  RuleSequence,
  type Stage,
} from "./database.ts";
export { type DriverOptions, type DriverResult, rewrite } from "./driver.ts";
export type { Explanation, WhyNotReport } from "./explain.ts";
export type { Replacements } from "./functionGraph.ts";
export {
  type Checkpoint,
  FunctionGraph,
  type GraphChange,
  type GraphCosts,
  type Validator,
} from "./functionGraph.ts";
export type { GraphFeature, WatchedGraph } from "./graphFeatures.ts";
export type { GraphInputs } from "./graphInputs.ts";
export { broadcastTo, castTo, constantOf, filledLike, scalar } from "./make.ts";
export { derivationOf } from "./matchText.ts";
export { byOp, fixpoint, group, inToOut, outToIn } from "./navigators.ts";
export {
  a,
  attrs,
  b,
  bind,
  type Condition,
  condition,
  constant,
  nary,
  on,
  Pattern,
  p,
  rest,
  seeThrough,
  single,
  variable,
  w,
  wholeAttrs,
  x,
  y,
  z,
} from "./pattern.ts";
export {
  bool,
  constantNode,
  decline,
  floating,
  integer,
  type RightSide,
  type RuleOptions,
  real,
  rule,
  when,
} from "./patternRule.ts";
export type { RewriteReport, Rewritten, StageReport } from "./pipeline.ts";
export { MODES, modeQuery } from "./pipeline.ts";
export type {
  PassProfile,
  Profile,
  RuleProfile,
  StageCosts,
  StageFigures,
  StageProfile,
} from "./profileFigures.ts";
export {
  applyGlobal,
  type Change,
  Dispatcher,
  functionRule,
  type GlobalRewrite,
  type LocalRewrite,
  type Rule,
  type RuleContext,
} from "./rule.ts";
export { opRemove, opSub, patternSub } from "./substitutions.ts";
