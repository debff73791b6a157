// The built-in rules in a pipeline of their own, in which constants are folded by the reference interpreter: sums and
// products of matrices round in an order that depends on chunks and kernels, and tests compare with the reference.

import { calculatingOn } from "../../src/kernel/calculate.ts";
import { referenceBackend } from "../../src/kernel/interpret/backend.ts";
import { necessaryColumnsPass } from "../../src/ragged/lazy/project.ts";
import type { RuleSequence } from "../../src/rewrite/database.ts";
import { pipelineOf } from "../../src/rewrite/pipeline.ts";
import { evaluateReference } from "../reference.ts";

export const database: RuleSequence = pipelineOf({
  constants: {
    evaluate: (expr) => evaluateReference([expr]).get(expr)!,
    calculating: calculatingOn(referenceBackend),
  },
  necessaryColumns: necessaryColumnsPass,
});
