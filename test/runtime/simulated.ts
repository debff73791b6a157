// The simulated pool: runs a graph under the scheduler with a virtual clock, where workers are slow, die, answer
// twice or never, and stores fail, all decided by a seed. In: a graph, what a task makes of its inputs, and how bad
// the world is. Out: what was published, or the failure, and what was counted on the way. The same seed gives the
// same run.

import { InvariantError } from "../../src/core/errors.ts";
import type { RunEvent } from "../../src/runtime/events.ts";
import type { Policy } from "../../src/runtime/scheduler/policy.ts";
import { type Action, Scheduler, type TaskFailed } from "../../src/runtime/scheduler/scheduler.ts";
import { type Shares, sharesOf } from "../../src/runtime/scheduler/shares.ts";
import type { TaskGraph, TaskRef } from "../../src/runtime/scheduler/taskGraph.ts";

/** Chances are from 0 to 1, per attempt. */
export interface World {
  readonly workers: number;
  readonly ahead: number;
  readonly budget: number;
  readonly storesAll: boolean;
  readonly policy: Policy;
  /** Workers have memory of their own. */
  readonly hasOwnMemory: boolean;
  /** Virtual milliseconds that a task takes: from this to twice that. */
  readonly taskMs: number;
  readonly straggles: number;
  readonly crashes: number;
  readonly losses: number;
  readonly duplicates: number;
  readonly storageErrors: number;
  /** Per stored input of an attempt: somebody has removed it. */
  readonly vanishes: number;
  /** Virtual time at which the run is killed; its store stays. */
  readonly killedAt?: number | undefined;
}

/** What a task makes of the values of its needs, in their order. */
export type TaskValue<V> = (ref: TaskRef, inputs: readonly V[]) => V;

export interface SimulatedRun<V> {
  /** Outputs of the operations that were asked for. */
  readonly published: ReadonlyMap<string, V>;
  readonly failure: TaskFailed | null;
  readonly wasKilled: boolean;
  /** Per task, how many attempts were begun. */
  readonly attempts: ReadonlyMap<string, number>;
  readonly mostUsedBytes: number;
  /** Bytes of outputs that are left in memory when all is over. */
  readonly leftInMemory: number;
  readonly time: number;
  readonly spills: number;
  /** How often a stored output was gone when it was to be read. */
  readonly vanished: number;
}

export const refText = ({ op, task }: TaskRef): string => `${op}.${task}`;

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), 1 | state);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Happening {
  readonly time: number;
  readonly order: number;
  happen(): void;
}

/** A run that needs more does not end. */
const MOST_ACTIONS = 1_000_000;

/** What outlives a kill: outputs that were asked for, and intermediates that went to a store. */
export class SimulatedStore<V> {
  readonly published: Map<string, V> = new Map();
  readonly held: Map<string, V> = new Map();
}

export class Simulation<V> {
  readonly #graph: TaskGraph;
  readonly #value: TaskValue<V>;
  readonly #world: World;
  readonly #random: () => number;
  readonly #store: SimulatedStore<V>;
  readonly #scheduler: Scheduler;
  readonly #shares: Shares | null;
  readonly #memory = new Map<string, V>();
  readonly #attempts = new Map<string, number>();
  /** By attempt: of which operation it is, and what it found in memory. */
  readonly #begun = new Map<number, { readonly op: number; readonly inMemory: readonly string[] }>();
  /** Sorted by time, the next one last. */
  readonly #coming: Happening[] = [];
  /** Stored outputs that somebody removed. */
  readonly #vanished = new Set<string>();
  #time = 0;
  #order = 0;
  #spills = 0;
  #losses = 0;

  constructor(
    graph: TaskGraph,
    value: TaskValue<V>,
    world: World,
    seed: number,
    store: SimulatedStore<V> = new SimulatedStore(),
    emit: ((event: RunEvent) => void) | null = null,
  ) {
    this.#graph = graph;
    this.#value = value;
    this.#world = world;
    this.#random = randomFrom(seed);
    this.#store = store;
    const free = (ref: TaskRef): void => this.#free(ref);
    const drop = (ref: TaskRef): void => void this.#memory.delete(refText(ref));
    const { hasOwnMemory, budget, workers } = world;
    const given = hasOwnMemory ? sharesOf(budget, graph.operations, workers) : { shares: null };
    this.#shares = given.shares;
    this.#scheduler = new Scheduler(graph, {
      ...{ ...world, pool: "simulated", maySpill: true, emit, free, drop },
      ...given,
    });
  }

  run(): SimulatedRun<V> {
    this.#findStored();
    this.#scheduler.begin(this.#time);
    const wasKilled = this.#loop();
    return {
      published: this.#store.published,
      failure: this.#scheduler.failure,
      wasKilled,
      attempts: this.#attempts,
      mostUsedBytes: this.#scheduler.mostUsedBytes,
      leftInMemory: this.#memory.size,
      time: this.#time,
      spills: this.#spills,
      vanished: this.#losses,
    };
  }

  #findStored(): void {
    const { published, held } = this.#store;
    for (const key of new Set([...published.keys(), ...held.keys()])) {
      const [op, task] = key.split(".").map(Number);
      // What was asked for is there when it is published, whatever else of it is.
      if (this.#graph.operations[op!]!.isWanted && !published.has(key)) continue;
      this.#scheduler.found({ op: op!, task: task!, hasHeld: held.has(key) });
    }
  }

  #loop(): boolean {
    for (let actions = 0; ; actions++) {
      if (actions > MOST_ACTIONS) throw new InvariantError({ what: `no end after ${actions} actions` });
      const action = this.#scheduler.next(this.#time);
      if (action.kind === "end") return false;
      if (action.kind === "wait") {
        if (this.#passTime(action.until)) return true;
      } else this.#begin(action);
      this.#checkBudget();
    }
  }

  /** What is used is counted here, too: the scheduler must not be wrong about it. */
  #checkBudget(): void {
    const { usedBytes, runningTasks } = this.#scheduler;
    const used = this.#bytesInUse();
    if (used !== usedBytes)
      throw new InvariantError({ what: `${used} bytes are used, and the scheduler counts ${usedBytes}` });
    this.#checkShares();
    if (used <= this.#world.budget || runningTasks <= 1) return;
    throw new InvariantError({ what: `${used} bytes are used of ${this.#world.budget} at ${this.#time} ms` });
  }

  /** One task alone may state, and leave behind, whatever it needs. */
  #checkShares(): void {
    const shares = this.#shares;
    if (shares === null) return;
    const [running, held] = [this.#runningBytes(), this.#heldBytes()];
    const isOver =
      (running > shares.tasks && this.#scheduler.runningTasks > 1) ||
      (held > shares.held && this.#memory.size > 1);
    if (!isOver) return;
    const most = `${shares.tasks} and ${shares.held}`;
    throw new InvariantError({ what: `tasks state ${running} bytes, ${held} are held, and ${most} may be` });
  }

  #bytesInUse(): number {
    return this.#runningBytes() + this.#heldBytes();
  }

  #runningBytes(): number {
    const { operations } = this.#graph;
    let bytes = 0;
    for (const { id } of this.#scheduler.attempts())
      bytes += operations[this.#begun.get(id)!.op]!.projectedMem;
    return bytes;
  }

  #heldBytes(): number {
    let bytes = 0;
    for (const key of this.#memory.keys())
      bytes += this.#graph.operations[Number.parseInt(key, 10)]!.heldBytes;
    return bytes;
  }

  /** To the next thing that happens, or to a set time. True when the run is killed before that. */
  #passTime(until: number): boolean {
    const next = this.#coming.at(-1);
    const time = Math.min(until, next?.time ?? Number.POSITIVE_INFINITY);
    if (time === Number.POSITIVE_INFINITY)
      throw new InvariantError({ what: `nothing will ever happen after ${this.#time} ms` });
    if (time >= (this.#world.killedAt ?? Number.POSITIVE_INFINITY)) return true;
    this.#time = Math.max(this.#time, time);
    if (next === undefined || next.time > until) return false;
    this.#coming.pop();
    next.happen();
    return false;
  }

  #later(delay: number, happen: () => void): void {
    const coming = { time: this.#time + delay, order: this.#order++, happen };
    let at = this.#coming.length;
    while (at > 0 && isBefore(this.#coming[at - 1]!, coming)) at--;
    this.#coming.splice(at, 0, coming);
  }

  #begin(action: Action & { kind: "start" | "spill" }): void {
    if (action.kind === "spill") return this.#spill(action.ref);
    const { ref, attempt } = action;
    const key = refText(ref);
    const needs = [...this.#graph.needs(ref.op, ref.task)].map(refText);
    const missing = needs.filter((need) => !this.#memory.has(need) && !this.#wasStored(need));
    if (missing.length > 0)
      throw new InvariantError({ what: `task ${key} begins, and ${missing.join(", ")} are not there` });
    const inMemory = needs.filter((need) => this.#memory.has(need));
    this.#begun.set(attempt.id, { op: ref.op, inMemory });
    this.#attempts.set(key, (this.#attempts.get(key) ?? 0) + 1);
    const { taskMs, straggles, crashes, losses } = this.#world;
    const luck = this.#random();
    const isSlow = this.#random() < straggles;
    const delay = taskMs * (1 + this.#random()) * (isSlow ? 20 : 1);
    if (luck < losses) return;
    if (luck < losses + crashes) this.#later(delay * this.#random(), () => this.#crash(attempt.id));
    else this.#later(delay, () => this.#end(ref, attempt.id, attempt.startTime));
  }

  /** It may have vanished since. */
  #wasStored(key: string): boolean {
    return this.#store.held.has(key) || this.#store.published.has(key) || this.#vanished.has(key);
  }

  #crash(id: number): void {
    this.#scheduler.failed(id, { error: new Error("the worker died"), isLost: true }, this.#time);
  }

  #end(ref: TaskRef, id: number, began: number): void {
    if (this.#random() < this.#world.storageErrors) {
      const error = Object.assign(new Error("the store did not answer"), { retryable: true });
      return this.#scheduler.failed(id, { error, isLost: false }, this.#time);
    }
    const lost = this.#missing(ref);
    if (lost.length > 0)
      return this.#scheduler.failed(
        id,
        { error: new Error("a chunk is gone"), isLost: false, lost },
        this.#time,
      );
    const value = this.#compute(ref);
    const isGone = value === undefined || this.#begun.get(id)!.inMemory.some((key) => !this.#memory.has(key));
    if (isGone && this.#scheduler.attempts().some((attempt) => attempt.id === id))
      throw new InvariantError({ what: `what task ${refText(ref)} reads was freed while it ran` });
    if (value !== undefined) this.#tell(ref, id, began, value);
  }

  /** What it reads from the store and somebody removed, just now or earlier. */
  #missing(ref: TaskRef): TaskRef[] {
    const { vanishes } = this.#world;
    if (vanishes === 0) return [];
    return [...this.#graph.needs(ref.op, ref.task)].filter((need) => {
      const key = refText(need);
      if (this.#memory.has(key)) return false;
      if (this.#store.held.has(key) && this.#random() < vanishes) {
        this.#store.held.delete(key);
        this.#vanished.add(key);
        this.#losses++;
      }
      return !this.#store.held.has(key) && this.#vanished.has(key);
    });
  }

  /** Undefined when its inputs are gone: then the attempt must have been given up. */
  #compute(ref: TaskRef): V | undefined {
    const inputs: V[] = [];
    for (const need of this.#graph.needs(ref.op, ref.task)) {
      const key = refText(need);
      const value = this.#memory.get(key) ?? this.#store.held.get(key);
      if (value === undefined) return undefined;
      inputs.push(value);
    }
    return this.#value(ref, inputs);
  }

  #tell(ref: TaskRef, id: number, began: number, value: V): void {
    const key = refText(ref);
    const { isWanted, heldBytes } = this.#graph.operations[ref.op]!;
    // Who stores does so before anything is told of it.
    if (isWanted) publish(this.#store.published, key, value);
    if (heldBytes > 0 && this.#world.storesAll) publish(this.#store.held, key, value);
    const report = (): void => {
      const [startTime, endTime] = [began, this.#time];
      const stats = { startTime, readTime: endTime, computeTime: endTime, endTime };
      const told = { ...stats, bytesRead: 0, bytesWritten: 0, measuredMem: null };
      if (this.#scheduler.done(id, told, this.#time) && heldBytes > 0) this.#memory.set(key, value);
    };
    report();
    if (this.#random() < this.#world.duplicates) this.#later(this.#world.taskMs * this.#random(), report);
  }

  #spill(ref: TaskRef): void {
    const key = refText(ref);
    this.#spills++;
    // Long enough for others to begin and end meanwhile.
    this.#later(this.#world.taskMs * 6 * this.#random(), () => {
      const value = this.#memory.get(key);
      if (value === undefined) throw new InvariantError({ what: `${key} was freed while it was stored` });
      publish(this.#store.held, key, value);
      if (this.#scheduler.spilled(ref, this.#time)) this.#memory.delete(key);
    });
  }

  #free(ref: TaskRef): void {
    const key = refText(ref);
    this.#memory.delete(key);
    this.#store.held.delete(key);
  }
}

function publish<V>(values: Map<string, V>, key: string, value: V): void {
  const before = values.get(key);
  if (before !== undefined && before !== value)
    throw new InvariantError({ what: `task ${key} published ${String(before)} and then ${String(value)}` });
  values.set(key, value);
}

const isBefore = (a: Happening, b: Happening): boolean =>
  a.time < b.time || (a.time === b.time && a.order < b.order);
