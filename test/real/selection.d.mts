// The types of selection.mjs, for its test.

export interface Program {
  readonly name: string;
  readonly family: string;
  readonly source: string;
  readonly make: (...args: never[]) => unknown;
}

export interface Run {
  readonly program: string;
  readonly size: string;
  readonly kind: string;
  readonly target: string;
  readonly executor: string;
  readonly limits: string;
  readonly beside: string;
}

export const FACTORS: { readonly [name: string]: readonly string[] };
export function selectRuns(options: {
  readonly programs: ReadonlyMap<string, Program>;
  readonly seed: string;
  readonly part: string;
}): Run[];
export function idOf(run: Run): string;
export function runOf(id: string): Run;
export function pairsOf(run: Run): string[];
export function isForThreads(run: Run): boolean;
