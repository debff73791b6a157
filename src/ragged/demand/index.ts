// What computations need of their sources: the part of this folder that others use.

export { type NarrowAttrs, narrow, narrowedLayout, relativeNeed } from "../ops/narrow.ts";
export type { Applied } from "./candidate.ts";
export { demandOfOp, needsOf, type OpDemand } from "./needs.ts";
export type { Demand, Lesser, Role, Roles } from "./outline.ts";
export {
  type DemandNode,
  demandOf,
  type GraphDemand,
  type Reason,
  reasonChain,
  reasonOf,
} from "./wholeDemand.ts";
