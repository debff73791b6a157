// Computing every way that users may: by the reference interpreter task by task, on threads from the first task, and with
// a budget of the largest task, so that what is between tasks goes to files. In: lazy arrays, and what they gave inline.
// Out: an error where the bits differ. Many arrays are one computation, which costs little more than one of them alone.
// All of it in checked mode (vitest.config.ts): who reads what was freed is found out.

import * as cw from "chunkwise";
import { beforeAll, expect } from "vitest";
import { withStagesSync } from "../src/array/settling.ts";
import type { Block } from "../src/core/block.ts";
import { isInteger } from "../src/core/dtype.ts";
import { postOrder } from "../src/expr/expr.ts";
import { ensureBuilt } from "./built.ts";
import { runPlain } from "./plan/run.ts";
import { expectSame } from "./property/compare.ts";

export interface PlanChoices {
  readonly exclude?: readonly string[];
  readonly optimize?: boolean;
}

/** So many arrays are computed at once. */
export const AT_ONCE = 64;

/** For a suite: threads load the built package. */
export const needThreads = (): void => beforeAll(ensureBuilt, 120_000);

/** Arrays of one kind, dense or ragged, and how they are computed. */
export interface Kind<Lazy, Value> {
  plan(arrays: readonly Lazy[], choices: PlanChoices & { readonly spec?: cw.Spec }): cw.Plan;
  compute(arrays: readonly Lazy[], options: PlanChoices & cw.AsyncComputeOptions): Promise<readonly Value[]>;
  /** The arrays by the interpreter, task after task, from their plan. */
  reference(arrays: readonly Lazy[], plan: cw.Plan): readonly Value[] | Promise<readonly Value[]>;
  expectSame(value: Value, other: Value): void;
  /** The order in which it adds is that of its plan, whoever carries it out. */
  isInOrder(array: Lazy): boolean;
}

/** Arrays that were computed inline and wait for the other ways. */
export class Agreement<Lazy, Value> {
  readonly #kind: Kind<Lazy, Value>;
  readonly #choices: PlanChoices;
  readonly #arrays: Lazy[] = [];
  readonly #found: Value[] = [];

  readonly #hasThreads: boolean;
  /** So many times an intermediate went to a file. */
  spills = 0;

  /** `hasThreads`: task threads can read what the arrays read. */
  constructor(kind: Kind<Lazy, Value>, choices: PlanChoices, hasThreads = true) {
    this.#kind = kind;
    this.#choices = choices;
    this.#hasThreads = hasThreads;
  }

  add(arrays: readonly Lazy[], found: readonly Value[]): void {
    this.#arrays.push(...arrays);
    this.#found.push(...found);
  }

  /** Unless there are fewer than so many: then they wait for more. */
  async agree(least = 1): Promise<void> {
    if (this.#arrays.length < least) return;
    const [arrays, found] = [this.#arrays.splice(0), this.#found.splice(0)];
    for (let from = 0; from < arrays.length; from += AT_ONCE)
      await this.#agree(arrays.slice(from, from + AT_ONCE), found.slice(from, from + AT_ONCE));
  }

  async #agree(arrays: readonly Lazy[], found: readonly Value[]): Promise<void> {
    const choices = this.#choices;
    const { plan, reference } = this.#kind;
    const threads = this.#hasThreads ? await this.#onThreads(arrays) : found;
    const usual = plan(arrays, choices);
    const whole = await reference(arrays, usual);
    const lean = await this.#lean(arrays, usual.maxProjectedMem);
    // How many chunks are added up at once depends on the budget (plan/lower.ts), and so do the last bits of sums.
    const leanWhole = await reference(arrays, lean.plan);
    arrays.forEach((array, i) => {
      this.#expectSame(array, "inline and threads", found[i]!, threads[i]!);
      if (!this.#kind.isInOrder(array)) return;
      this.#expectSame(array, "inline and the reference", found[i]!, whole[i]!);
      this.#expectSame(array, "spilling and its reference", lean.values[i]!, leanWhole[i]!);
    });
  }

  /** Who asks for threads gets them, however little there is to do. */
  async #onThreads(arrays: readonly Lazy[]): Promise<readonly Value[]> {
    const pools: string[] = [];
    const onEvent = (event: cw.RunEvent): void => {
      if (event.type === "computeStart") pools.push(event.pool);
    };
    const options = { ...this.#choices, executor: "threads", threads: 2, onEvent } as const;
    const values = await this.#kind.compute(arrays, options);
    // Each stage is a run.
    expect(new Set(pools)).toEqual(new Set(["threads"]));
    return values;
  }

  /**
   * Room for the largest task and little else: with less room there is less fusion, and then a task may need more; so may one
   * that reads what a stage kept in files.
   */
  async #lean(
    arrays: readonly Lazy[],
    most: number,
  ): Promise<{ readonly values: readonly Value[]; readonly plan: cw.Plan }> {
    const onEvent = ({ type }: cw.RunEvent): void => void (type === "spill" && this.spills++);
    const { plan, compute } = this.#kind;
    let needed = most;
    for (;;) {
      const spec = new cw.Spec({
        ...{ reservedMem: 1, allowedMem: needed + 2, executor: "inline", twins: false },
      });
      const choices = { ...this.#choices, spec };
      try {
        const planned = plan(arrays, choices);
        return { plan: planned, values: await compute(arrays, { ...choices, onEvent }) };
      } catch (error) {
        if (!(error instanceof cw.MemoryError)) throw error;
        needed = Math.max(needed + 1, error.needed);
      }
    }
  }

  #expectSame(array: Lazy, ways: string, value: Value, other: Value): void {
    try {
      this.#kind.expectSame(other, value);
    } catch (cause) {
      throw new Error(`${ways} differ in\n${String(array)}`, { cause });
    }
  }
}

/** The order in which products of matrices are added up is the kernels' own (docs/native.md). */
export const hasFloatProducts = ({ expr }: cw.LazyArray): boolean =>
  [...postOrder([expr])].some(({ op, dtype }) => op.class === "contract" && !isInteger(dtype));

/** Without what waits for stages: the reference computes what they leave. */
const settled = (arrays: readonly cw.LazyArray[], choices: PlanChoices): readonly cw.LazyArray[] =>
  withStagesSync(arrays, choices, (known) => known);

const DENSE: Kind<cw.LazyArray, Block> = {
  plan(arrays, choices) {
    const known = settled(arrays, choices);
    // The first stage has to fit, too.
    if (known !== arrays) cw.plan(arrays, choices);
    return cw.plan(known, choices);
  },
  compute: (arrays, options) => cw.compute([...arrays], options),
  reference(arrays, plan) {
    const known = settled(arrays, {}).map(({ expr }) => expr);
    const distinct = [...new Set(known)];
    const values = runPlain(plan);
    return known.map((expr) => values[distinct.indexOf(expr)]!);
  },
  expectSame,
  isInOrder: (array) => !hasFloatProducts(array),
};

/** Dense arrays. */
export class Ways extends Agreement<cw.LazyArray, Block> {
  readonly #choices: PlanChoices;

  constructor(choices: PlanChoices = {}) {
    super(DENSE, choices);
    this.#choices = choices;
  }

  /** What they give inline, and every other way when `agree` is called. */
  compute(arrays: readonly cw.LazyArray[]): cw.NDArray[] {
    const found = [...cw.computeSync([...arrays], this.#choices)];
    this.add(arrays, found);
    return found;
  }
}
