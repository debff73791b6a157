// A thread that runs tasks. In: plans, and tasks of them by number, with the addresses of what is in memory. Out: how
// each task went. It reads and writes stores itself; what only the main thread can reach, it asks that for.

import { type Block, subBlock } from "../../core/block.ts";
import { type Box, intersect, isEmptyBox } from "../../core/box.ts";
import { infoOf, type TypedArray } from "../../core/dtype.ts";
import { InvariantError } from "../../core/errors.ts";
import { sameShape } from "../../core/shape.ts";
import type { Borrowed } from "../../kernel/blocks.ts";
import { execute } from "../../kernel/execute.ts";
import { planFromJson } from "../../plan/load.ts";
import type { PlanArray, PlanData } from "../../plan/plan.ts";
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
  StoredArray,
} from "../arrays.ts";
import { runTask, type TaskArrays } from "../task.ts";
import { findFunction, functionsOf } from "../userFunctions.ts";
import type {
  FromThread,
  Report,
  SentTask,
  SharedBlock,
  SharedPart,
  StoredPlace,
  StoreHandle,
  ThreadSetting,
  ToThread,
} from "./messages.ts";
import { receiveError, sendError } from "./sentError.ts";
import { port } from "./threadPort.ts";

interface Run {
  readonly plan: PlanData;
  readonly arrays: ReadonlyMap<string, PlanArray>;
  readonly stored: Map<string, StoredArray>;
}

const runs = new Map<number, Promise<Run>>();
const stores = new Map<string, Store>();
const asked = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
let requests = 0;
let memory: WebAssembly.Memory;
let running = 0;
/** Tasks that were sent here and not told of yet. */
let waiting = 0;

const { setting, send, listen } = await port<ThreadSetting, FromThread, ToThread>();
memory = setting.memory;
joinRun(setting.runName, setting.thread);
listen(receive);
send({ type: "ready" });

function receive(message: ToThread): void {
  switch (message.type) {
    case "open":
      runs.set(message.run, open(message.plan, message.stored));
      // Who runs a task of it sees why it could not be opened.
      runs.get(message.run)!.catch(() => {});
      return;
    case "close":
      runs.delete(message.run);
      return;
    case "tasks":
      for (const task of message.tasks) enqueue(message.run, task);
      return;
    case "answer":
      return answered(message);
    default:
      message satisfies never;
  }
}

async function open(json: unknown, places: readonly StoredPlace[]): Promise<Run> {
  const plan = planFromJson(json, findFunction);
  for (const called of functionsOf(plan)) await called.load();
  const stored = new Map<string, StoredArray>();
  for (const place of places) stored.set(place.array, await storedArray(place));
  return { plan, arrays: new Map(plan.arrays.map((array) => [array.name, array])), stored };
}

async function storedArray({ store, path, offset, writeEmptyChunks }: StoredPlace): Promise<StoredArray> {
  return new StoredArray(await openArray(storeFor(store), path, { writeEmptyChunks }), offset);
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

/** The end of each lane. */
const lanes = new Map<number, Promise<void>>();

function enqueue(run: number, task: SentTask): void {
  waiting++;
  const before = lanes.get(task.lane) ?? Promise.resolve();
  lanes.set(
    task.lane,
    before.then(() => perform(run, task)),
  );
}

async function perform(number: number, task: SentTask): Promise<void> {
  const { id } = task;
  running++;
  const isAlone = running === 1;
  try {
    const run = await runs.get(number);
    if (run === undefined) throw new InvariantError({ what: `run ${number} is not open` });
    for (const place of task.held)
      if (!run.stored.has(place.array)) run.stored.set(place.array, await storedArray(place));
    const stats = await runTask(run.plan.operations[task.op]!, task.task, arraysOf(run, task));
    report({ id, stats: isAlone ? stats : { ...stats, measuredMem: null } });
  } catch (error) {
    report({ id, error: sendError(error) });
  } finally {
    running--;
  }
}

/** How long a report may wait for others: telling wakes the other thread, which costs as much as a small task. */
const REPORT_MS = 3;
let reports: Report[] = [];
let reported = 0;

function report(one: Report): void {
  reports.push(one);
  waiting--;
  const time = performance.now();
  if (waiting > 0 && time - reported < REPORT_MS) return;
  reported = time;
  send({ type: "reports", reports });
  reports = [];
}

function arraysOf({ arrays, stored }: Run, { reads, writes, storesAll }: SentTask): TaskArrays {
  return {
    arrays,
    run: (program, bound) => execute(program, bound, 1),
    source: (name) => new SharedSource(arrays.get(name)!, partsOf(reads, name), stored.get(name) ?? null),
    target: (name) => {
      const parts = partsOf(writes, name);
      const store = stored.get(name) ?? null;
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

  window(box: Box, borrowed: Borrowed): Block | Promise<Block> {
    const covering = this.#parts.filter((part) => !isEmptyBox(intersect(box, part.box)));
    const whole = covering.find((part) => contains(part.box, box));
    if (whole !== undefined) return assemble(this.#array, box, [whole], borrowed);
    const covered = covering.reduce((sum, part) => sum + volume(intersect(box, part.box)), 0);
    if (covered === volume(box)) return assemble(this.#array, box, covering, borrowed);
    return this.#mixed(box, covering, borrowed);
  }

  /** The store has other chunks of the array; those in memory are newer than nothing, and the same. */
  async #mixed(box: Box, parts: readonly Part[], borrowed: Borrowed): Promise<Block> {
    if (this.#store === null) throw new InvariantError({ what: `${this.#array.name} is not all there` });
    const whole = await this.#store.window(box, borrowed);
    copyParts(parts, box, whole);
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
