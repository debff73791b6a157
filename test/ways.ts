// Computing every way that users may: by the reference interpreter task by task, on threads from the first task, and with
// a budget of the largest task, so that what is between tasks goes to files. In: lazy arrays, and what they gave inline.
// Out: an error where the bits differ. Many arrays are one computation, which costs little more than one of them alone.
// All of it in checked mode (vitest.config.ts): who reads what was freed is found out.

import * as cw from "chunkwise";
import { beforeAll } from "vitest";
import type { Block } from "../src/core/block.ts";
import { isInteger } from "../src/core/dtype.ts";
import { postOrder } from "../src/expr/walk.ts";
import { ensureBuilt } from "./built.ts";
import { runPlain } from "./plan/run.ts";
import { expectSame } from "./property/compare.ts";

type PlanChoices = { readonly exclude?: readonly string[]; readonly optimize?: boolean };

/** So many arrays are computed at once. */
export const AT_ONCE = 64;

export class Ways {
  readonly #choices: PlanChoices;
  readonly #arrays: cw.LazyArray[] = [];
  readonly #found: Block[] = [];

  /** For a suite: threads load the built package. */
  static needThreads(): void {
    beforeAll(ensureBuilt, 120_000);
  }

  constructor(choices: PlanChoices = {}) {
    this.#choices = choices;
  }

  /** What they give inline, and every other way when `agree` is called. */
  compute(arrays: readonly cw.LazyArray[]): cw.NDArray[] {
    const found = [...cw.computeSync([...arrays], this.#choices)];
    this.#arrays.push(...arrays);
    this.#found.push(...found);
    return found;
  }

  /** Unless there are fewer than so many: then they wait for more. */
  async agree(least = 1): Promise<void> {
    if (this.#arrays.length < least) return;
    const [arrays, found] = [this.#arrays.splice(0), this.#found.splice(0)];
    for (let from = 0; from < arrays.length; from += AT_ONCE)
      await this.#agree(arrays.slice(from, from + AT_ONCE), found.slice(from, from + AT_ONCE));
  }

  async #agree(arrays: cw.LazyArray[], found: readonly Block[]): Promise<void> {
    const choices = this.#choices;
    const threads = await cw.compute(arrays, { ...choices, executor: "threads", threads: 2 });
    const spec = leanSpec(arrays, choices);
    const spilled = await cw.compute(arrays, { ...choices, spec });
    const reference = referenceOf(arrays, choices);
    // How many chunks are added up at once depends on the budget (plan/trees.ts), and so do the last bits of sums.
    const leanReference = referenceOf(arrays, { ...choices, spec });
    arrays.forEach((array, i) => {
      expectAgreement(array, "inline and threads", found[i]!, threads[i]!);
      if (hasFloatProducts(array)) return;
      expectAgreement(array, "inline and the reference", found[i]!, reference[i]!);
      expectAgreement(array, "spilling and its reference", spilled[i]!, leanReference[i]!);
    });
  }
}

function referenceOf(
  arrays: readonly cw.LazyArray[],
  choices: PlanChoices & { readonly spec?: cw.Spec },
): Block[] {
  const distinct = [...new Set(arrays.map(({ expr }) => expr))];
  const values = runPlain(cw.plan(arrays, choices));
  return arrays.map(({ expr }) => values[distinct.indexOf(expr)]!);
}

/** The order in which products of matrices are added up is the kernels' own (docs/native.md). */
const hasFloatProducts = ({ expr }: cw.LazyArray): boolean =>
  [...postOrder([expr])].some(({ op, dtype }) => op.class === "contract" && !isInteger(dtype));

/** Room for the largest task and little else: with less room there is less fusion, and then a task may need more. */
function leanSpec(arrays: readonly cw.LazyArray[], choices: PlanChoices): cw.Spec {
  let needed = cw.plan(arrays, { ...choices, spec: new cw.Spec() }).maxProjectedMem;
  for (;;) {
    const spec = new cw.Spec({ reservedMem: 1, allowedMem: needed + 2, executor: "inline", twins: false });
    try {
      cw.plan(arrays, { ...choices, spec });
      return spec;
    } catch (error) {
      if (!(error instanceof cw.MemoryError)) throw error;
      needed = Math.max(needed + 1, error.needed);
    }
  }
}

function expectAgreement(array: cw.LazyArray, ways: string, value: Block, other: Block): void {
  try {
    expectSame(other, value);
  } catch (cause) {
    throw new Error(`${ways} differ in\n${String(array)}`, { cause });
  }
}
