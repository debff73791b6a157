// A thread that runs tasks. In: plans, and tasks of them by number, with the addresses of what is in memory. Out: how
// each task went. It reads and writes stores itself; what only the main thread can reach, it asks that for.

import { type Block, subBlock } from "../../core/block.ts";
import { type Box, intersect, isEmptyBox } from "../../core/box.ts";
import { chunkBox, gridOf, placeOf } from "../../core/chunks.ts";
import { infoOf, type TypedArray } from "../../core/dtype.ts";
import { InvariantError } from "../../core/errors.ts";
import { sameShape } from "../../core/shape.ts";
import type { Borrowed } from "../../kernel/blocks.ts";
import { execute } from "../../kernel/execute.ts";
import { partitionFormat } from "../../ops/partitions.ts";
import { planFromJson } from "../../plan/load.ts";
import type { Operation, PlanArray, PlanData } from "../../plan/plan.ts";
import { LostChunkError, NotFoundError } from "../../storage/errors.ts";
import { storeAt } from "../../storage/location.ts";
import type { Store } from "../../storage/store.ts";
import { joinRun } from "../../storage/strays.ts";
import { openArray } from "../../storage/zarr/group.ts";
import {
  type ArraySource,
  type ArrayTarget,
  assemble,
  copyParts,
  type Part,
  placeIn,
  StoredArray,
} from "../arrays.ts";
import type { TaskStats } from "../events.ts";
import { ReadPartitions } from "../partitions.ts";
import { chunksIn } from "../planGraph.ts";
import { runTask, type TaskArrays } from "../task.ts";
import { findFunction, functionsOf } from "../userFunctions.ts";
import type {
  BareTask,
  DoneTask,
  FailedTask,
  FromThread,
  SentPart,
  SentTask,
  SharedBlock,
  SharedPart,
  StoredPlace,
  StoreHandle,
  ThreadSetting,
  ToThread,
} from "./messages.ts";
import { packDone, unpackTasks } from "./packing.ts";
import { receiveError, sendError } from "./sentError.ts";
import { SentPartitions, ThreadPartitions } from "./threadPartitions.ts";
import { port } from "./threadPort.ts";

interface Run {
  /** For tasks that touch nothing in memory. */
  readonly bare: TaskArrays;
  readonly plan: PlanData;
  readonly arrays: ReadonlyMap<string, PlanArray>;
  readonly stored: Map<string, StoredArray>;
  readonly partitioned: ReadonlyMap<string, ReadPartitions>;
  readonly limitOf: (operation: Operation) => number;
}

const runs = new Map<number, Promise<Run>>();
const opened = new Map<number, Run>();
const names = new Map<number, readonly string[]>();
const stores = new Map<string, Store>();
const asked = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
let requests = 0;
let memory: WebAssembly.Memory;
let running = 0;
/** Tasks that were sent here and not told of yet. */
let waiting = 0;

let send: (message: FromThread) => void;

export async function serveTasks(): Promise<void> {
  const line = await port<ThreadSetting, FromThread, ToThread>();
  memory = line.setting.memory;
  send = line.send;
  joinRun(line.setting.runName, line.setting.thread);
  line.listen(receive);
  send({ type: "ready" });
}

function receive(message: ToThread): void {
  switch (message.type) {
    case "open":
      names.set(message.run, message.names);
      runs.set(message.run, open(message));
      // Who runs a task of it sees why it could not be opened.
      runs.get(message.run)!.catch(() => {});
      return;
    case "close":
      runs.delete(message.run);
      opened.delete(message.run);
      names.delete(message.run);
      return;
    case "packedTasks":
      return unpackTasks(message.tasks, names.get(message.run)!, (task) => enqueue(message.run, task));
    case "tasks":
      for (const task of message.tasks) enqueue(message.run, task);
      return;
    case "answer":
      return answered(message);
    default:
      message satisfies never;
  }
}

async function open({
  run: number,
  plan: json,
  stored: places,
  partitioned: sources,
  limits,
}: ToThread & { type: "open" }): Promise<Run> {
  const plan = planFromJson(json, findFunction);
  for (const called of functionsOf(plan)) await called.load();
  const stored = new Map<string, StoredArray>();
  for (const place of places) stored.set(place.array, await storedArray(place));
  const partitioned = new Map<string, ReadPartitions>();
  for (const { array, location } of sources)
    partitioned.set(array, new ReadPartitions(await partitionFormat().open(location)));
  const arrays = new Map(plan.arrays.map((array) => [array.name, array]));
  const stated = new Map(plan.operations.map((operation, i) => [operation, limits[i]!]));
  const limitOf = (operation: Operation): number => stated.get(operation)!;
  const bare = bareArrays(arrays, stored, limitOf);
  const run = { plan, arrays, stored, partitioned, limitOf, bare };
  opened.set(number, run);
  return run;
}

async function storedArray(place: StoredPlace): Promise<StoredArray> {
  const { store, path, offset, writeEmptyChunks, expectsAll } = place;
  const options = { writeEmptyChunks, missing: expectsAll ? "error" : "fill" } as const;
  try {
    return new StoredArray(await openArray(storeFor(store), path, options), offset);
  } catch (cause) {
    if (!expectsAll || !(cause instanceof NotFoundError)) throw cause;
    throw new LostChunkError({ what: `${path.slice(1)} was stored and is gone`, path, place: null });
  }
}

function storeFor(handle: StoreHandle): Store {
  const key = JSON.stringify(handle);
  let store = stores.get(key);
  if (store === undefined) {
    store = handle.kind === "proxy" ? proxyStore(handle.id) : storeAt(handle, { blocking: true });
    stores.set(key, store);
  }
  return store;
}

/** A store that the main thread has. */
function proxyStore(store: number): Store {
  const ask = (method: string, ...args: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const request = ++requests;
      asked.set(request, { resolve, reject });
      send({ type: "request", request, store, method, args });
    });
  return {
    get: (key) => ask("get", key) as Promise<Uint8Array | undefined>,
    getRange: (key, range) => ask("getRange", key, range) as Promise<Uint8Array | undefined>,
    has: (key) => ask("has", key) as Promise<boolean>,
    set: (key, value) => ask("set", key, value),
    delete: (key) => ask("delete", key),
  };
}

function answered({ request, value, error }: ToThread & { type: "answer" }): void {
  const waiting = asked.get(request);
  asked.delete(request);
  if (error === undefined) waiting?.resolve(value);
  else waiting?.reject(receiveError(error));
}

interface Lane {
  readonly queue: { readonly run: number; readonly task: BareTask | SentTask }[];
  isBusy: boolean;
}
const lanes = new Map<number, Lane>();

function enqueue(run: number, task: BareTask | SentTask): void {
  waiting++;
  let lane = lanes.get(task.lane);
  if (lane === undefined) {
    lane = { queue: [], isBusy: false };
    lanes.set(task.lane, lane);
  }
  lane.queue.push({ run, task });
  if (lane.isBusy) return;
  lane.isBusy = true;
  // Those that came together are counted before the first is done.
  void Promise.resolve(lane).then(work);
}

async function work(lane: Lane): Promise<void> {
  for (let next = lane.queue.shift(); next !== undefined; next = lane.queue.shift()) {
    const waiting = perform(next.run, next.task);
    if (waiting !== undefined) await waiting;
  }
  lane.isBusy = false;
}

/** At once, where nothing is waited for. */
function perform(number: number, task: BareTask | SentTask): Promise<void> | undefined {
  const { id } = task;
  running++;
  const isAlone = running === 1;
  try {
    const stats = statsOf(number, task);
    if (stats instanceof Promise) return performed(id, stats, isAlone);
    succeed(id, stats, isAlone);
  } catch (error) {
    fail(id, error);
  }
  return undefined;
}

async function performed(id: number, stats: Promise<TaskStats>, isAlone: boolean): Promise<void> {
  try {
    succeed(id, await stats, isAlone);
  } catch (error) {
    fail(id, error);
  }
}

function statsOf(number: number, task: BareTask | SentTask): TaskStats | Promise<TaskStats> {
  const run = opened.get(number);
  if (run === undefined || "held" in task) return statsLater(number, task);
  return runTask(run.plan.operations[task.op]!, task.task, run.bare);
}

async function statsLater(number: number, task: BareTask | SentTask): Promise<TaskStats> {
  const run = opened.get(number) ?? (await runs.get(number));
  if (run === undefined) throw new InvariantError({ what: `run ${number} is not open` });
  if ("held" in task) await openHeld(run, task);
  return runTask(run.plan.operations[task.op]!, task.task, "held" in task ? arraysOf(run, task) : run.bare);
}

function succeed(id: number, stats: TaskStats, isAlone: boolean): void {
  done.push({ id, stats: isAlone ? stats : { ...stats, measuredMem: null } });
  running--;
  report();
}

function fail(id: number, error: unknown): void {
  failed.push({ id, error: sendError(error) });
  running--;
  report();
}

/** Intermediates go to a store when memory is short: threads hear of it with the tasks that read them. */
async function openHeld({ stored }: Run, { held }: SentTask): Promise<void> {
  for (const place of held) if (!stored.has(place.array)) stored.set(place.array, await storedArray(place));
}

/** How long a report may wait for others: telling wakes the other thread, which costs as much as a small task. */
const REPORT_MS = 8;
let done: DoneTask[] = [];
let failed: FailedTask[] = [];
let made: SentPart[] = [];
let reported = 0;

function report(): void {
  waiting--;
  const time = performance.now();
  if (waiting > 0 && time - reported < REPORT_MS) return;
  reported = time;
  send({ type: "reports", done: packDone(done), failed, parts: made });
  done = [];
  failed = [];
  made = [];
}

const executeAlone: TaskArrays["run"] = (program, bound) => execute(program, bound, 1);

const bareArrays = (
  arrays: Run["arrays"],
  stored: ReadonlyMap<string, StoredArray>,
  limitOf: Run["limitOf"],
): TaskArrays => ({
  arrays,
  limitOf,
  run: executeAlone,
  source: (name) => stored.get(name)!,
  target: (name) => stored.get(name)!,
});

function arraysOf(
  { arrays, stored, partitioned, limitOf }: Run,
  { id, reads, writes, storesAll }: SentTask,
): TaskArrays {
  const isRagged = (name: string): boolean => arrays.get(name)!.ragged !== undefined;
  const storeOf = (name: string): StoredArray | null => stored.get(name) ?? null;
  return {
    arrays,
    limitOf,
    run: executeAlone,
    source: (name) => {
      const [array, parts] = [arrays.get(name)!, partsOf(reads, name)];
      return isRagged(name)
        ? new ThreadPartitions(array, parts, storeOf(name), partitioned.get(name) ?? null)
        : new SharedSource(array, parts, storeOf(name));
    },
    target: (name) => {
      if (isRagged(name))
        return new SentPartitions(id, name, storesAll ? storeOf(name) : null, (part) => made.push(part));
      const parts = partsOf(writes, name);
      const store = storeOf(name);
      return parts.length === 0 ? store! : new SharedTarget(parts, storesAll ? store : null);
    },
  };
}

const partsOf = (parts: readonly SharedPart[], name: string): Part[] =>
  parts.flatMap(({ array, box, block }) => (array === name ? [{ box, block: blockOf(block) }] : []));

function blockOf({ at, slots, dtype, shape, strides, offset }: SharedBlock): Block {
  const ArrayOf = infoOf(dtype).array;
  const data = new ArrayOf(memory.buffer as ArrayBuffer, at, slots) as TypedArray;
  return { dtype, shape, strides, offset, data };
}

/** Parts in memory; what they do not cover is in the store. */
class SharedSource implements ArraySource {
  readonly #array: PlanArray;
  readonly #parts: readonly Part[];
  readonly #store: StoredArray | null;

  constructor(array: PlanArray, parts: readonly Part[], store: StoredArray | null) {
    this.#array = array;
    this.#parts = parts;
    this.#store = store;
  }

  window(box: Box, borrowed: Borrowed, into?: Block): Block | Promise<Block> {
    const covering = this.#parts.filter((part) => !isEmptyBox(intersect(box, part.box)));
    const whole = covering.find((part) => contains(part.box, box));
    if (whole !== undefined) return assemble(this.#array, box, [whole], borrowed);
    const covered = covering.reduce((sum, part) => sum + volume(intersect(box, part.box)), 0);
    if (covered === volume(box)) return assemble(this.#array, box, covering, borrowed, into);
    return this.#mixed(box, covering, borrowed, into);
  }

  /** Chunks that are not in memory are in the store: no others are asked for there. */
  async #mixed(box: Box, parts: readonly Part[], borrowed: Borrowed, into?: Block): Promise<Block> {
    if (this.#store === null) throw new InvariantError({ what: `${this.#array.name} is not all there` });
    const { shape, chunks, dtype } = this.#array;
    const whole = into ?? borrowed.block(dtype, box.shape);
    copyParts(parts, box, whole);
    for (const chunk of chunksIn(box, this.#array)) {
      const part = intersect(box, chunkBox(shape, chunks, placeOf(chunk, gridOf(shape, chunks))));
      if (!parts.some((known) => contains(known.box, part)))
        await this.#store.window(part, borrowed, placeIn(whole, box, part));
    }
    return whole;
  }
}

const volume = ({ shape }: Box): number => shape.reduce((product, n) => product * n, 1);

const contains = (outer: Box, inner: Box): boolean => sameShape(intersect(outer, inner).shape, inner.shape);

class SharedTarget implements ArrayTarget {
  readonly #parts: readonly Part[];
  readonly #store: StoredArray | null;

  constructor(parts: readonly Part[], store: StoredArray | null) {
    this.#parts = parts;
    this.#store = store;
  }

  block(box: Box): Block {
    const part = this.#parts.find((candidate) => contains(candidate.box, box))!;
    const start = box.start.map((x, axis) => x - part.box.start[axis]!);
    return subBlock(part.block, start, box.shape);
  }

  store(box: Box, block: Block): void | Promise<void> {
    return this.#store?.store(box, block);
  }
}
