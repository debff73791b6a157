// The functions of the namespace: those that are ops of the table, and those that are made of such. Whatever one of these
// modules exports is public: a name of the package, and a name in `expr`.

export * from "../../ops/elementwise/index.ts";
export * from "../../ops/exponentialSums.ts";
export * from "../../ops/nanReductions.ts";
export * from "../../ops/reductions.ts";
export * from "../../ops/scans.ts";
export * from "./averages.ts";
export { where } from "./choosing.ts";
export * from "./counting.ts";
export * from "./creation.ts";
export * from "./dtypes.ts";
export { einsum } from "./einsum.ts";
export * from "./groupby.ts";
export * from "./gufunc.ts";
export * from "./histograms.ts";
export * from "./indexing.ts";
export * from "./joining.ts";
export * from "./linear.ts";
export * from "./manipulation.ts";
export * from "./mapOverlap.ts";
export * from "./naming.ts";
export {
  type Blocks,
  block,
  type DiagOptions,
  diag,
  kron,
  outer,
  type TraceOptions,
  trace,
} from "./products.ts";
export * from "./quantiles.ts";
export * from "./ranges.ts";
export * from "./repeating.ts";
export * from "./searching.ts";
export * from "./sets.ts";
export { take, takeAlongAxis } from "./taking.ts";
