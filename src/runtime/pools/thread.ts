// A thread that runs tasks. In: plans, and tasks of them by number, with the addresses of what is in memory. Out: how
// each task went. It reads and writes stores itself; what only the main thread can reach, it asks that for.

import { InvariantError } from "../../core/errors.ts";
import { execute } from "../../kernel/execute.ts";
import { planFromJson } from "../../plan/load.ts";
import type { Operation, PlanArray, PlanData } from "../../plan/plan.ts";
import { LostChunkError, NotFoundError } from "../../storage/errors.ts";
import { storeAt } from "../../storage/location.ts";
import type { Store } from "../../storage/store.ts";
import { joinRun } from "../../storage/strays.ts";
import { openArray } from "../../storage/zarr/group.ts";
import { StoredArray } from "../arrays.ts";
import type { TaskStats } from "../events.ts";
import { ReadPartitions } from "../partitions.ts";
import { runTask, type TaskArrays } from "../task.ts";
import type { TaskParts } from "../taskParts.ts";
import { findFunction, functionsOf } from "../userFunctions.ts";
import type {
  BareTask,
  DoneTask,
  FailedTask,
  FromThread,
  SentPart,
  SentTask,
  StoredPlace,
  StoreHandle,
  ThreadSetting,
  ToThread,
} from "./messages.ts";
import { packDone, unpackTasks } from "./packing.ts";
import { receiveError, sendError } from "./sentError.ts";
import { blockOf, SharedSource, SharedTarget } from "./sharedArrays.ts";
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
let taskParts: TaskParts;

/** `parts`: what its tasks need of other rooms. */
export async function serveTasks(parts: TaskParts): Promise<void> {
  taskParts = parts;
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
  const { ops, adapt, partitions } = taskParts;
  const plan = planFromJson(json, { ops, find: (reference) => findFunction(reference, adapt) });
  for (const called of functionsOf(plan)) await called.load();
  const stored = new Map<string, StoredArray>();
  for (const place of places) stored.set(place.array, await storedArray(place));
  const partitioned = new Map<string, ReadPartitions>();
  for (const { array, location } of sources)
    partitioned.set(array, new ReadPartitions(await partitions!.open(location)));
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
    getRange: (key, range, { mayKeep } = {}) =>
      ask("getRange", key, range, { mayKeep }) as Promise<Uint8Array | undefined>,
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
  partitions: taskParts.partitions,
  run: executeAlone,
  source: (name) => storedUnder(name, stored),
  target: (name) => storedUnder(name, stored),
});

function storedUnder(name: string, stored: ReadonlyMap<string, StoredArray>): StoredArray {
  const array = stored.get(name);
  if (array === undefined) throw new InvariantError({ what: `${name} is in no store of this thread's` });
  return array;
}

function arraysOf(
  { arrays, stored, partitioned, limitOf }: Run,
  { id, reads, writes, storesAll }: SentTask,
): TaskArrays {
  const isRagged = (name: string): boolean => arrays.get(name)!.ragged !== undefined;
  const storeOf = (name: string): StoredArray | null => stored.get(name) ?? null;
  return {
    arrays,
    limitOf,
    partitions: taskParts.partitions,
    run: executeAlone,
    source: (name) => {
      const array = arrays.get(name)!;
      const shared = new SharedSource(array, memory, reads, storeOf(name));
      return isRagged(name)
        ? new ThreadPartitions(
            array,
            shared.chunks,
            storeOf(name),
            partitioned.get(name) ?? null,
            taskParts.partitions!,
          )
        : shared;
    },
    target: (name) => {
      if (isRagged(name))
        return new SentPartitions(id, name, storesAll ? storeOf(name) : null, taskParts.partitions!, (part) =>
          made.push(part),
        );
      const part = writes.find(({ array }) => array === name);
      const store = storeOf(name);
      if (part !== undefined) return new SharedTarget(blockOf(memory, part.block), storesAll ? store : null);
      if (store === null) throw new InvariantError({ what: `there is nowhere to write ${name} to` });
      return store;
    },
  };
}
