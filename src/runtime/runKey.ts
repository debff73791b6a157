// The key of a run: the same for the same computation in every process, and another for any other. It covers what the plan
// does, where its sources are and in which state, and the modules of users' functions with all that they import.
// Must hold: where one of these cannot be known, the key is like no other, so that nothing is ever taken for its work.

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { Resource } from "../core/attrs.ts";
import { attrsText } from "../core/attrs.ts";
import { arrayTypeText } from "../expr/type.ts";
import type { Operation, PlanData, PlanStep } from "../plan/plan.ts";
import { moduleState } from "./moduleState.ts";
import { sourceState } from "./sourceState.ts";
import { functionsOf } from "./userFunctions.ts";

/** Counts versions whose kernels or plans give other bits for the same expression. */
const VERSION = 4;

export interface RunKey {
  readonly text: string;
  /** False when no other run can have it: a later one will not find what this one leaves. */
  readonly isKnown: boolean;
}

export const digest = (text: string): string => bytesToHex(sha256(utf8ToBytes(text))).slice(0, 32);

export async function runKey(plan: PlanData, sources: ReadonlyMap<string, Resource>): Promise<RunKey> {
  const states: (string | null)[] = [];
  for (const [name, resource] of sources) states.push(await sourceState(name, resource, plan));
  for (const { module } of functionsOf(plan)) states.push(module === null ? null : moduleState(module));
  if (states.includes(null)) return { text: digest(`run ${crypto.randomUUID()}`), isKnown: false };
  return { text: digest([planText(plan, sources), ...states].join("\n\n")), isKnown: true };
}

function planText(plan: PlanData, sources: ReadonlyMap<string, Resource>): string {
  const parts: string[] = [`chunkwise ${VERSION}`];
  for (const [name, resource] of sources) parts.push(`${name} ${resource.fingerprint()}`);
  for (const array of plan.arrays)
    parts.push(`${array.name} ${array.role} ${arrayTypeText(array)}(${array.chunks})`);
  for (const operation of plan.operations) parts.push(operationText(operation));
  parts.push(plan.results.join());
  return parts.join("\n");
}

function operationText({ name, grid, steps, outputs }: Operation): string {
  const made = outputs.map(({ array, value }) => `${array}=${value.step}.${value.component}`);
  return `${name} [${grid}] ${steps.map(stepText).join(";")} → ${made.join()}`;
}

/** All of a step but the user's line: its op by name, which JSON would leave out of functions, and attributes as text. */
function stepText({ line: _, call: __, ...step }: PlanStep): string {
  if (!("attrs" in step)) return JSON.stringify(step);
  const { attrs, op, ...rest } = step;
  return `${op.name}${JSON.stringify(rest)}{${attrsText(attrs, (resource) => resource.fingerprint())}}`;
}
