// Loops and parameters as the kernels of matrix products write them. In: locals, and what a loop does. Out: code.
// Must hold: counts and addresses are unsigned; strides may be negative, since sums of addresses wrap.

import type { FunctionWriter, Local } from "../assembler.ts";

const WORD = 4;

/** Parameters by name: i32 words, one after another in the order of the names. */
export type Words<N extends string> = { readonly [name in N]: number };

export const listWords = <N extends string>(names: readonly N[], words: Words<N>): readonly number[] =>
  names.map((name) => words[name]);

/** Every parameter in a local. */
export function readWords<N extends string>(
  w: FunctionWriter,
  parameters: Local,
  names: readonly N[],
): { readonly [name in N]: Local } {
  const entries = names.map((name, at) => {
    const local = w.local("i32");
    w.get(parameters)
      .memory("i32.load", at * WORD)
      .set(local);
    return [name, local] as const;
  });
  return Object.fromEntries(entries) as { readonly [name in N]: Local };
}

/** local += a local or a constant */
export function advance(w: FunctionWriter, local: Local, by: Local | number): void {
  w.get(local);
  push(w, by).op("i32.add").set(local);
}

export const push = (w: FunctionWriter, value: Local | number): FunctionWriter =>
  typeof value === "number" ? w.i32(value) : w.get(value);

/** while (at < end) { body; at += step } */
export function upTo(w: FunctionWriter, at: Local, end: Local, step: Local | number, body: () => void): void {
  w.get(at)
    .get(end)
    .op("i32.lt_u")
    .when(() =>
      w.loop((again) => {
        body();
        advance(w, at, step);
        w.get(at).get(end).op("i32.lt_u").branchIf(again);
      }),
    );
}

/** target = base + index · scale */
export function place(
  w: FunctionWriter,
  target: Local,
  base: Local,
  index: Local,
  scale: Local | number,
): void {
  w.get(base).get(index);
  push(w, scale).op("i32.mul").op("i32.add").set(target);
}

/** Leaves min(a, b) on the stack, both unsigned. */
export function pushMin(w: FunctionWriter, a: Local, b: Local | number): FunctionWriter {
  push(w.get(a), b);
  push(w.get(a), b).op("i32.lt_u");
  return w.select("i32");
}
