// Types of cases.mjs, which runs without being compiled.

import type * as cw from "chunkwise";

export interface Given {
  readonly cw: typeof cw;
  readonly x: cw.LazyArray;
  readonly y: cw.LazyArray;
  readonly i: cw.LazyArray;
  readonly n: number;
}

export const OPERATIONS: ReadonlyMap<string, (given: Given) => cw.LazyArray | readonly cw.LazyArray[]>;
export const PROGRAMS: readonly string[];
export function randomCode(seed: number): string;
export function arraysOf(name: string, given: Given): cw.LazyArray[];
