// Running stages: what an expression waits for is computed, until it waits for nothing. In: lazy arrays, and the options of a
// run, which are those of each stage. Out: equal arrays that can be lowered, for as long as somebody computes them.

import { type Block, blockBytes, newBlock } from "../core/block.ts";
import { wholeBox } from "../core/chunks.ts";
import { chunksOf, type Expr } from "../expr/expr.ts";
import { exprOfBlock, LazyArray } from "../lazy/lazyArray.ts";
import { MemoryError } from "../plan/budget.ts";
import { afterStage, type Found, nextStage, type Stage } from "../plan/stages.ts";
import { runPlan, runPlanSync } from "../runtime/run.ts";
import { digest, type RunKey, runKey } from "../runtime/runKey.ts";
import { type CheckedRun, type ComputeOptions, namedHome, settingFor } from "../runtime/spec.ts";
import { INTERMEDIATE_CODECS } from "../runtime/storedArrays.ts";
import { type IntermediateStore, temporaryStore } from "../runtime/workDir.ts";
import { zarrFormat } from "../runtime/zarr/zarrFormat.ts";
import type { StoredSource } from "../storage/formats/table.ts";
import type { Store } from "../storage/store.ts";
import { engine } from "./defaultEngine.ts";
import { lazyStored, sourceOf } from "./opening.ts";
import { backendOf, type PlanningOptions, type Prepared, prepare, requestOf } from "./prepare.ts";

/** Runs a plan; its results are in memory. */
export async function run(prepared: Prepared, options: CheckedRun): Promise<Block[]> {
  const relief = backendOf(options).relieve();
  if (relief !== null) await relief;
  const { data, sources } = prepared.plan;
  const setting = await settingFor(data, () => runKey(data, sources), options, engine);
  return runPlan(requestOf(prepared, options), setting);
}

export const runSync = (prepared: Prepared, options: ComputeOptions): Block[] =>
  runPlanSync(requestOf(prepared, options));

/** How arrays are computed into stores (storing.ts). */
export type StoreSettled = (
  arrays: readonly LazyArray[],
  targets: readonly { readonly store: Store; readonly path: string }[],
  options: CheckedRun,
) => Promise<readonly LazyArray[]>;

/** Does something with arrays that wait for no stage. What was kept for them is given back afterwards. */
export async function withStages<T>(
  arrays: readonly LazyArray[],
  options: CheckedRun,
  store: StoreSettled,
  last: (settled: readonly LazyArray[], options: CheckedRun) => Promise<T>,
): Promise<T> {
  const inMemory = new StageRun(options, store, KEPT_PART);
  try {
    return await inMemory.through(arrays, last);
  } catch (error) {
    // What was kept in memory takes the place of a task.
    if (!(error instanceof MemoryError) || inMemory.options === options) throw error;
    return new StageRun(options, store, 0).through(arrays, last);
  }
}

/** Of the budget, what is kept may have so much in memory. */
const KEPT_PART = 1 / 4;

/** The stages of one computation, and where their results are: in memory, or in folders that go when it is done. */
class StageRun {
  /** With less memory, where something is kept in it. */
  options: CheckedRun;
  readonly #store: StoreSettled;
  readonly #part: number;
  readonly #homes: IntermediateStore[] = [];
  readonly #inHand: Block[] = [];

  /** `part`: of the budget, for what is kept in memory. */
  constructor(options: CheckedRun, store: StoreSettled, part: number) {
    this.options = options;
    this.#store = store;
    this.#part = part;
  }

  async through<T>(
    arrays: readonly LazyArray[],
    last: (settled: readonly LazyArray[], options: CheckedRun) => Promise<T>,
  ): Promise<T> {
    let isDone = false;
    try {
      const settled = await throughStages(arrays, (stage) => this.#find(stage));
      const result = await last(settled, this.options);
      isDone = true;
      return result;
    } finally {
      for (const home of this.#homes) await home.close(isDone);
      // Nobody else has seen them: they need not wait for the collector of garbage.
      for (const { data } of this.#inHand) backendOf(this.options).release(data);
    }
  }

  async #find(stage: Stage): Promise<Found> {
    const { spec } = this.options;
    const exprs = [...stage.asks, ...stage.keeps];
    const executor = engine.executors.find(this.options.executor ?? spec.executor);
    // Workers elsewhere read only stores that they were allowed to: answers are read by this process alone.
    if (executor.isElsewhere === true && stage.keeps.length === 0) return this.#inMemory(stage, []);
    const named = await namedHome(() => this.#keyOf(exprs), this.options, engine);
    const room = spec.budget * this.#part;
    if (named === null && bytesOf(stage.keeps) <= room) return this.#inMemory(stage, withHelps(stage, room));
    const home = named ?? temporaryStore({ codecs: spec.codecs, known: engine.codecs });
    if (home === null) return this.#inMemory(stage, stage.keeps);
    this.#homes.push(home);
    return this.#inStore(stage, exprs, home);
  }

  async #inMemory({ asks }: Stage, keeps: readonly Expr[]): Promise<Found> {
    const blocks = await run(prepareStage([...asks, ...keeps], this.options), this.options);
    this.#inHand.push(...blocks.slice(asks.length));
    const [{ spec }, bytes] = [this.options, bytesOf(keeps)];
    if (bytes > 0)
      this.options = { ...this.options, spec: spec.with({ allowedMem: spec.allowedMem - bytes }) };
    return foundBy(asks, keeps, blocks);
  }

  /** A later run of the same computation finds them there: then there is little to compute. */
  async #inStore(
    { asks, keeps, inParts }: Stage,
    exprs: readonly Expr[],
    home: IntermediateStore,
  ): Promise<Found> {
    const codecs = this.options.spec.codecs ?? INTERMEDIATE_CODECS;
    const all = { format: "zarr", codecs, writeEmptyChunks: true };
    const targets = exprs.map((expr, i) => ({
      ...{ ...all, codecs: inParts.has(expr) ? [] : codecs },
      ...{ store: home.store, path: `${home.path}/found${i}` },
    }));
    await this.#store(arraysOf(exprs), targets, this.options);
    const sources: StoredSource[] = [];
    for (const place of targets)
      sources.push(sourceOf(zarrFormat, place, MISSING, await zarrFormat.open(place, MISSING, engine)));
    const answers = await Promise.all(sources.slice(0, asks.length).map(readWhole));
    const kept = sources.slice(asks.length).map((source, i) => lazyStored(source, chunksOf(keeps[i]!)).expr);
    return { answers: answersOf(asks, answers), kept: new Map(keeps.map((keep, i) => [keep, kept[i]!])) };
  }

  /** Another for other data: what is found by it is true of these. */
  async #keyOf(exprs: readonly Expr[]): Promise<RunKey> {
    const { data, sources } = prepareStage(exprs, this.options).plan;
    const { text, isKnown } = await runKey(data, sources);
    return { text: digest(`stage ${text}`), isKnown };
  }
}

/** What has to be kept, and of what may be what there is room for. */
function withHelps({ keeps, helps }: Stage, room: number): readonly Expr[] {
  const all = [...keeps];
  for (const help of helps) if (bytesOf([...all, help]) <= room) all.push(help);
  return all;
}

const bytesOf = (kept: readonly Expr[]): number =>
  kept.reduce((sum, { dtype, shape }) => sum + blockBytes(dtype, shape), 0);

/** What is not there any more is no fill value. */
const MISSING = { missing: "error" } as const;

async function readWhole({ array }: StoredSource): Promise<Block> {
  const block = newBlock(array.dtype, array.shape);
  await array.readInto!(wholeBox(array.shape), block, {});
  return block;
}

/** Arrays for later: what could be kept is made again when they are computed. */
export const settleArrays = (arrays: readonly LazyArray[], options: CheckedRun): Promise<LazyArray[]> =>
  throughStages(arrays, async ({ asks, keeps }) => ({
    answers: answersOf(asks, await run(prepareStage(asks, options), options)),
    kept: new Map(keeps.map((keep) => [keep, keep])),
  }));

async function throughStages(
  arrays: readonly LazyArray[],
  find: (stage: Stage) => Promise<Found>,
): Promise<LazyArray[]> {
  let roots = arrays.map(({ expr }) => expr);
  for (let stage = nextStage(roots); stage !== null; stage = nextStage(roots))
    roots = afterStage(
      roots,
      stage,
      stage.asks.length + stage.keeps.length === 0 ? NOTHING : await find(stage),
    );
  return arrays.map((array, i) => settledAs(array, roots[i]!));
}

const NOTHING: Found = { answers: new Map(), kept: new Map() };

/** The same at once. */
export function withStagesSync<T>(
  arrays: readonly LazyArray[],
  options: ComputeOptions,
  last: (settled: readonly LazyArray[]) => T,
): T {
  let roots = arrays.map(({ expr }) => expr);
  for (let stage = nextStage(roots); stage !== null; stage = nextStage(roots)) {
    const { asks, keeps: must, helps } = stage;
    const keeps = [...must, ...helps];
    const wanted = [...asks, ...keeps];
    const blocks = wanted.length === 0 ? [] : runSync(prepareStage(wanted, options), options);
    roots = afterStage(roots, stage, foundBy(asks, keeps, blocks));
  }
  return last(arrays.map((array, i) => settledAs(array, roots[i]!)));
}

const settledAs = (array: LazyArray, expr: Expr): LazyArray =>
  expr === array.expr ? array : new LazyArray(expr, array.parents);

/** What a stage computes. */
export const stageArrays = ({ asks, keeps }: Stage): LazyArray[] => arraysOf([...asks, ...keeps]);

const arraysOf = (exprs: readonly Expr[]): LazyArray[] => exprs.map((expr) => new LazyArray(expr));

const prepareStage = (exprs: readonly Expr[], options: PlanningOptions): Prepared =>
  prepare(arraysOf(exprs), options);

const answersOf = (asks: readonly Expr[], blocks: readonly Block[]): Map<Expr, Block> =>
  new Map(asks.map((ask, i) => [ask, blocks[i]!]));

function foundBy(asks: readonly Expr[], keeps: readonly Expr[], blocks: readonly Block[]): Found {
  const made = blocks.slice(asks.length);
  return {
    answers: answersOf(asks, blocks),
    kept: new Map(keeps.map((keep, i) => [keep, exprOfBlock(made[i]!, chunksOf(keep))])),
  };
}
