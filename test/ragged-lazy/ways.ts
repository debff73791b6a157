// Lazy ragged arrays every way that users may compute them (../ways.ts). In: lazy arrays. Out: what they give inline; and
// an error where the reference, two threads, or a budget of the largest task give other rows or another type.

import * as cw from "chunkwise";
import * as rg from "chunkwise/ragged";
import { expect } from "vitest";
import { engine } from "../../src/array/defaultEngine.ts";
import { postOrder } from "../../src/expr/expr.ts";
import type { Partition } from "../../src/expr/op.ts";
import { referenceBackend } from "../../src/kernel/interpret/backend.ts";
import { PartitionResource } from "../../src/ops/partitions.ts";
import { type Layout, mergeRows, plain, toList } from "../../src/ragged/index.ts";
import { PARTITIONS } from "../../src/ragged/lazy/placewise.ts";
import type { TakePartition } from "../../src/runtime/partitionTasks.ts";
import { runPlan } from "../../src/runtime/run.ts";
import { settingOf } from "../../src/runtime/spec.ts";
import { FunctionResource } from "../../src/runtime/userFunctions.ts";
import { Agreement, type Kind, type PlanChoices } from "../ways.ts";

type Value = rg.RaggedArray | rg.RaggedValue;

const rowsOf = (value: Value): unknown => (value instanceof rg.RaggedArray ? value.toList() : value);
const typeOf = (value: Value): string => (value instanceof rg.RaggedArray ? value.type : typeof value);

/** One task after another with room for everything, dense steps by the interpreter. */
async function reference(arrays: readonly rg.LazyRagged[], { data, sources }: cw.Plan): Promise<Value[]> {
  const parts = new Map(data.results.map((name): [string, Partition[]] => [name, []]));
  const takerOf = (name: string): TakePartition => {
    return (at, partition) => {
      parts.get(name)![at] = partition;
    };
  };
  const takers = new Map([...parts.keys()].map((name) => [name, takerOf(name)]));
  const setting = {
    ...settingOf({ executor: "inline", spec: new cw.Spec() }, engine),
    budget: Number.POSITIVE_INFINITY,
    store: null,
  };
  await runPlan({ plan: data, sources, takers, backend: referenceBackend, partitions: PARTITIONS }, setting);
  const distinct = [...new Set(arrays.map(({ expr }) => expr))];
  return arrays.map(({ expr, isItem }) => {
    const rows = mergeRows((parts.get(data.results[distinct.indexOf(expr)]!) as Layout[]).map(plain), {
      mergeBool: true,
    });
    return isItem ? (toList(rows)[0] as rg.RaggedValue) : new rg.RaggedArray(rows);
  });
}

const RAGGED: Kind<rg.LazyRagged, Value> = {
  // That a function reads all columns is nobody's failure here.
  plan: (arrays, choices) => rg.plan(arrays, { ...choices, onFail: "pass" }),
  compute: (arrays, options) => rg.compute(arrays, { ...options, onFail: "pass" }),
  reference,
  expectSame(value, other) {
    expect(typeOf(value)).toBe(typeOf(other));
    // −0 is not 0, and NaN is NaN.
    expect(rowsOf(value)).toEqual(rowsOf(other));
  },
  isInOrder: () => true,
};

/** Threads read files and import modules themselves, and see what is in memory; closures they do not. */
const isForThreads = ({ expr }: rg.LazyRagged): boolean =>
  [...postOrder([expr])].every(({ attrs }) => Object.values(attrs).every(canLeave));

function canLeave(value: unknown): boolean {
  if (value instanceof PartitionResource) return value.isInMemory || value.location() !== null;
  return !(value instanceof FunctionResource) || value.isPortable;
}

export class RaggedWays {
  readonly #choices: PlanChoices;
  readonly #onThreads: Agreement<rg.LazyRagged, Value>;
  readonly #here: Agreement<rg.LazyRagged, Value>;

  constructor(choices: PlanChoices = {}) {
    this.#choices = choices;
    this.#onThreads = new Agreement(RAGGED, choices);
    this.#here = new Agreement(RAGGED, choices, false);
  }

  /** What they give inline, and every other way when `agree` is called. */
  async compute(arrays: readonly rg.LazyRagged[]): Promise<readonly Value[]> {
    const found = await RAGGED.compute(arrays, { ...this.#choices, executor: "inline" });
    arrays.forEach((array, i) => {
      (isForThreads(array) ? this.#onThreads : this.#here).add([array], [found[i]!]);
    });
    return found;
  }

  async rowsOf(array: rg.LazyRagged): Promise<unknown[]> {
    const [found] = await this.compute([array]);
    return (found as rg.RaggedArray).toList();
  }

  async agree(): Promise<void> {
    await this.#onThreads.agree();
    await this.#here.agree();
  }

  get spills(): number {
    return this.#onThreads.spills + this.#here.spills;
  }
}
