// The reference interpreter as a backend. In: programs and blocks in ordinary memory. Out: filled blocks, at once. Slow, and
// obviously right: other backends give the same bits.

import { InvariantError } from "../../core/errors.ts";
import type { Backend } from "../backend.ts";
import { interpret } from "./index.ts";

/**
 * The interpreter that everything is tested against: `await x.compute({backend: cw.referenceBackend})`. It has no memory of
 * its own, and nothing to share with threads.
 */
export const referenceBackend: Backend = {
  name: "reference",
  compile: (program) => ({ run: (blocks) => interpret(program, blocks, { backend: referenceBackend }) }),
  allocate: () => null,
  free() {},
  keep: () => null,
  settle: (block) => block,
  find: (block) => block,
  release() {},
  relieve: () => null,
  share: () => null,
  show: () => null,
  join: () => {
    throw new InvariantError({ what: "the interpreter sees no blocks of other threads" });
  },
  statistics: () => ({ places: 0, bytes: 0, kernels: 0, helpers: 0 }),
};
