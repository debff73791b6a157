// A program: a random expression as data. Sources (arrays in memory), then calls of public functions, each of
// which gives one more value; roots are the values asked for. In: made by writer.ts. Out: lazy arrays, built as
// often as wanted and with sources cut in chunks or not; and, when a property fails, code that can be pasted.
// Must hold: building has no other inputs, so two builds from the same source arrays are the same expressions.

import * as cw from "chunkwise";
import fc from "fast-check";

/** An earlier value of the program. */
export class Ref {
  readonly index: number;
  constructor(index: number) {
    this.index = index;
  }
}

/** A chunk shape: as it is, or "all" when nothing is to be cut. */
export class Cut {
  readonly chunks: readonly number[];
  constructor(chunks: readonly number[]) {
    this.chunks = chunks;
  }
}

type Plain = null | undefined | boolean | number | bigint | string | cw.Complex;
export type Arg = Plain | Ref | Cut | readonly Arg[] | { readonly [name: string]: Arg };

export interface Source {
  readonly array: cw.NDArray;
  readonly cut: Cut;
}

export interface Step {
  readonly call: string;
  readonly args: readonly Arg[];
  /** Which one, for functions that give a list or a record. */
  readonly item?: number | string | undefined;
}

/** Are sources and rechunks in pieces, or in one? */
export type Cutting = "cut" | "whole";

type Api = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
const API = cw as unknown as Api;

export class Program {
  readonly sources: readonly Source[];
  readonly steps: readonly Step[];
  /** Numbers of values: sources first, then steps. */
  readonly roots: readonly number[];

  constructor(sources: readonly Source[], steps: readonly Step[], roots: readonly number[]) {
    this.sources = sources;
    this.steps = steps;
    this.roots = roots;
  }

  sourceArrays(cutting: Cutting): cw.LazyArray[] {
    return this.sources.map((source) => sourceArray(source, cutting));
  }

  /** Every value. */
  values(cutting: Cutting, sources: readonly cw.LazyArray[] = this.sourceArrays(cutting)): cw.LazyArray[] {
    const values = [...sources];
    for (const step of this.steps) values.push(runStep(step, values, cutting));
    return values;
  }

  /** The values asked for. */
  build(cutting: Cutting, sources?: readonly cw.LazyArray[]): cw.LazyArray[] {
    const values = this.values(cutting, sources);
    return this.roots.map((root) => values[root]!);
  }
}

/** What fast-check prints. */
Object.defineProperty(Program.prototype, fc.toStringMethod, {
  value(this: Program): string {
    const count = this.sources.length;
    const lines = [
      ...this.sources.map((source, i) => `const v${i} = ${sourceText(source)};`),
      ...this.steps.map((step, i) => `const v${count + i} = ${stepText(step)};`),
      `roots: ${this.roots.map((root) => `v${root}`).join(", ")}`,
    ];
    return `\n${lines.join("\n")}\n`;
  },
});

export const sourceArray = ({ array, cut }: Source, cutting: Cutting): cw.LazyArray =>
  cw.asarray(array, { chunks: cutting === "cut" ? cut.chunks : "all" });

export function runStep(
  { call, args, item }: Step,
  values: readonly cw.LazyArray[],
  cutting: Cutting,
): cw.LazyArray {
  const result = API[call]!(...args.map((arg) => resolve(arg, values, cutting)));
  return (item === undefined ? result : (result as never)[item]) as cw.LazyArray;
}

function resolve(arg: Arg, values: readonly cw.LazyArray[], cutting: Cutting): unknown {
  if (arg instanceof Ref) return values[arg.index]!;
  if (arg instanceof Cut) return cutting === "cut" ? arg.chunks : "all";
  if (Array.isArray(arg)) return arg.map((item: Arg) => resolve(item, values, cutting));
  if (typeof arg !== "object" || arg === null || arg instanceof cw.Complex) return arg;
  return Object.fromEntries(
    Object.entries(arg).map(([name, value]) => [name, resolve(value, values, cutting)]),
  );
}

// ---- as code ----

function sourceText({ array, cut }: Source): string {
  const { data, shape, dtype, strides, offset } = array;
  const list = [...data].map((x) => argText(x)).join(", ");
  const parts = [
    `${data.constructor.name}.from([${list}])`,
    `[${shape}]`,
    `"${dtype}"`,
    `[${strides}]`,
    `${offset}`,
  ];
  return `cw.asarray(new cw.NDArray(${parts.join(", ")}), { chunks: [${cut.chunks}] })`;
}

const stepText = ({ call, args, item }: Step): string =>
  `cw.${call}(${args.map(argText).join(", ")})${item === undefined ? "" : `[${JSON.stringify(item)}]`}`;

function argText(arg: Arg): string {
  if (arg instanceof Ref) return `v${arg.index}`;
  if (arg instanceof Cut) return `[${arg.chunks.join(", ")}]`;
  if (arg instanceof cw.Complex) return `cw.complex(${argText(arg.re)}, ${argText(arg.im)})`;
  if (Array.isArray(arg)) return `[${arg.map(argText).join(", ")}]`;
  if (typeof arg === "bigint") return `${arg}n`;
  if (typeof arg === "string") return JSON.stringify(arg);
  if (typeof arg === "number") return Object.is(arg, -0) ? "-0" : String(arg);
  if (typeof arg !== "object" || arg === null) return String(arg);
  return `{ ${Object.entries(arg)
    .map(([name, value]) => `${name}: ${argText(value)}`)
    .join(", ")} }`;
}
