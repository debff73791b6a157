// The built-in rules in a pipeline of their own, in which constants are folded by the reference interpreter: sums and
// products of matrices round in an order that depends on chunks and kernels, and tests compare with the reference.

import { RuleGroup, RuleSequence } from "../../src/rewrite/database.ts";
import { pipeline } from "../../src/rewrite/pipeline.ts";
import { registerBuiltIn } from "../../src/rewrite/rules/index.ts";
import { evaluateReference } from "../../src/runtime/reference.ts";

/** The same stages as the pipeline's, with nothing in them. */
const emptyStages = pipeline.stages.map((stage) =>
  stage instanceof RuleGroup ? new RuleGroup(stage.name) : stage,
);

export const database: RuleSequence = new RuleSequence("reference", emptyStages);
registerBuiltIn(database, (expr) => evaluateReference([expr]).get(expr)!);
