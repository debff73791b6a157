// What a user may say about fusion, and what holds when nothing is said.

import type { Attrs } from "../../core/block.ts";
import { describe, sameShape } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import { sameType } from "../../expr/op.ts";
import type { Operation, PlanStep, ValueRef } from "../plan.ts";

// Why an operation was fused with what it reads, or why not: one line for each answer, in the order of the plan.

export interface Answer {
  readonly isFused: boolean;
  readonly reason: string;
}

export const yes = (reason: string): Answer => ({ isFused: true, reason });
export const no = (reason: string): Answer => ({ isFused: false, reason });

/** Collects answers while operations are looked at in any order. */
export class Reasons {
  readonly #answers = new Map<string, Answer[]>();

  add(operation: string, answer: Answer): void {
    const list = this.#answers.get(operation);
    if (list === undefined) this.#answers.set(operation, [answer]);
    else list.push(answer);
  }

  /** Those of one operation, what was fused first, each once. Silence: nothing that it reads is computed. */
  lines(operation: string, isFusable: boolean): string[] {
    const answers = this.#answers.get(operation) ?? [
      no(isFusable ? "no predecessor ops can be fused" : "it is not fusable"),
    ];
    const ordered = [...answers.filter(({ isFused }) => isFused), ...answers.filter((a) => !a.isFused)];
    return [
      ...new Set(
        ordered.map(
          ({ isFused, reason }) => `${isFused ? "can" : "can't"} fuse ${operation} since ${reason}`,
        ),
      ),
    ];
  }
}

// Recent: what was made last is found again instead of being made anew. Plans of many operations have few kinds of
// them, so a handful of entries answers nearly all questions, and equal answers are the same object.
// Must hold: an entry depends on nothing but what `isSame` compares. What is kept goes with what it is kept for.

const KEPT = 16;

interface Kept<Entry> {
  readonly entries: Entry[];
  next: number;
}

export class Recent<Owner extends object, Entry> {
  readonly #kept = new WeakMap<Owner, Kept<Entry>>();

  /** What is known already for an owner (the arrays of a plan, say), or else what `make` makes. */
  get(owner: Owner, isSame: (entry: Entry) => boolean, make: () => Entry): Entry {
    const kept = this.#keptFor(owner);
    for (const entry of kept.entries) if (isSame(entry)) return entry;
    const entry = make();
    kept.entries[kept.next] = entry;
    kept.next = (kept.next + 1) % KEPT;
    return entry;
  }

  #keptFor(owner: Owner): Kept<Entry> {
    let kept = this.#kept.get(owner);
    if (kept === undefined) {
      kept = { entries: [], next: 0 };
      this.#kept.set(owner, kept);
    }
    return kept;
  }
}

// Operations that are alike: those that differ in nothing but which arrays they read and write, so that what one needs
// for some boxes of its outputs, the other needs too. Large ones are not compared: no two of them are.

const MAX_STEPS = 8;

export const isComparable = ({ steps }: Operation): boolean => steps.length <= MAX_STEPS;

export const areAlike = (a: Operation, b: Operation): boolean =>
  a === b ||
  (sameList(a.steps, b.steps, sameStep) &&
    sameList(a.outputs, b.outputs, (one, other) => sameRef(one.value, other.value)));

function sameList<T>(a: readonly T[], b: readonly T[], isSame: (one: T, other: T) => boolean): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!isSame(a[i]!, b[i]!)) return false;
  return true;
}

const sameRef = (a: ValueRef, b: ValueRef): boolean => a.step === b.step && a.component === b.component;

const sameStep = (a: PlanStep, b: PlanStep): boolean =>
  sameForm(a, b) && sameList(a.inputs, b.inputs, sameRef) && sameList(a.types, b.types, sameType);

/** The same but for inputs and types. */
function sameForm(a: PlanStep, b: PlanStep): boolean {
  if (a.kind === "read" || b.kind === "read")
    return a.kind === "read" && b.kind === "read" && a.isShared === b.isShared;
  if (a.kind !== b.kind || a.op !== b.op) return false;
  if (a.kind === "reduce" && b.kind === "reduce")
    return (
      a.lifts === b.lifts &&
      a.finishes === b.finishes &&
      sameShape(a.axes, b.axes) &&
      sameShape(a.group, b.group) &&
      sameType(a.whole, b.whole)
    );
  if (a.kind === "scan" && b.kind === "scan")
    return a.axis === b.axis && a.group === b.group && a.exclusive === b.exclusive;
  // What a loop or a source computes is not asked here, only where.
  return a.kind === "elementwise" || a.kind === "source" || sameAttrs(a.attrs, b.attrs);
}

/** Says no where a closer look would be needed. */
function sameAttrs(a: Attrs, b: Attrs): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => sameValue(a[name], b[name]));
}

const sameValue = (a: unknown, b: unknown): boolean =>
  Object.is(a, b) || (Array.isArray(a) && Array.isArray(b) && sameList<unknown>(a, b, Object.is));

export interface FusionOptions {
  /**
   * "all" (the default): several inputs, diamonds, other task counts, operations that read the same.
   * "map": only an operation whose one input is made by one operation with as many tasks.
   */
  readonly fusion?: "all" | "map" | undefined;
  /**
   * 4: no operation is fused with so much that it reads more arrays than this. Constants do not count. Where nothing is
   * said, one that reads more already may take in what leaves it at that.
   */
  readonly maxTotalSourceArrays?: number | undefined;
  /**
   * 10: operations with different numbers of tasks are fused when a task then reads at most so many chunks; where nothing
   * is said, or no more than before. null: only operations with the same number of tasks are.
   */
  readonly maxTotalNumInputBlocks?: number | null | undefined;
  /** Operations, by the names that the plan prints, that take in what they read whatever it costs, up to 500 kinds of tasks. */
  readonly alwaysFuse?: readonly string[] | undefined;
  /** Operations that take in nothing. */
  readonly neverFuse?: readonly string[] | undefined;
  /** Bytes that one task may use. Nothing is fused that would need more. */
  readonly allowedMem?: number | undefined;
  /** Says for every operation why it was fused, or why not: to the console, or to this function. */
  readonly debug?: boolean | ((line: string) => void) | undefined;
}

/** The same with nothing left open. */
export interface FusionRules {
  readonly isMap: boolean;
  readonly maxSources: number;
  readonly maxBlocks: number | null;
  /** What a user says holds for every fused operation; what nobody said, for those that read more than before. */
  readonly isStrict: { readonly sources: boolean; readonly blocks: boolean };
  readonly always: ReadonlySet<string>;
  readonly never: ReadonlySet<string>;
  readonly allowedMem: number;
  readonly print: ((line: string) => void) | null;
}

export function fusionRules(options: FusionOptions): FusionRules {
  const { fusion = "all", maxTotalSourceArrays = 4, maxTotalNumInputBlocks = 10 } = options;
  return {
    isMap: fusion === "map",
    maxSources: maxTotalSourceArrays,
    maxBlocks: maxTotalNumInputBlocks,
    isStrict: {
      sources: options.maxTotalSourceArrays !== undefined,
      blocks: options.maxTotalNumInputBlocks !== undefined,
    },
    always: new Set(options.alwaysFuse),
    never: new Set(options.neverFuse),
    allowedMem: options.allowedMem ?? Number.POSITIVE_INFINITY,
    print: printer(options.debug),
  };
}

/** A name that the plan does not have is a mistake. */
export function checkFusionNames(
  options: FusionOptions,
  operations: readonly { readonly name: string }[],
): void {
  if (options.alwaysFuse === undefined && options.neverFuse === undefined) return;
  const names = new Set(operations.map(({ name }) => name));
  for (const option of ["alwaysFuse", "neverFuse"] as const) {
    const unknown = options[option]?.find((name) => !names.has(name));
    if (unknown === undefined) continue;
    throw new ValueError({
      what: `${option} names ${describe(unknown)}, and the plan has no such operation`,
      cure: `It has ${operations[0]?.name} to ${operations.at(-1)?.name}: x.plan({optimizeFunction: (plan) => plan}) prints them`,
    });
  }
}

const TOPIC = "chunkwise:fusion";

function printer(debug: FusionOptions["debug"]): ((line: string) => void) | null {
  if (typeof debug === "function") return debug;
  return (debug ?? isTopicAsked()) ? (line) => console.error(`${TOPIC} ${line}`) : null;
}

/** DEBUG=chunkwise:fusion in the environment, where there is one. */
function isTopicAsked(): boolean {
  const { process } = globalThis as { process?: { env?: { [name: string]: string | undefined } } };
  const topics = process?.env?.["DEBUG"]?.split(/[\s,]+/) ?? [];
  return topics.some((topic) => topic === TOPIC || topic === "chunkwise:*" || topic === "*");
}
