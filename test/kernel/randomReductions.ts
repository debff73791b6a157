// Random reductions for comparing kernels with the interpreter: lifts over all register types, states of one or
// two components, operands that lie in every way, lengths around the lanes and blocks of the defined order.

import fc from "fast-check";
import { allocate, type DType, infoOf, isFloat, isWide, type TypedArray } from "../../src/core/dtype.ts";
import { ChunkwiseError } from "../../src/core/errors.ts";
import { denseType } from "../../src/expr/op.ts";
import { programOf, type ScalarProgram } from "../../src/kernel/program.ts";
import * as s from "../../src/kernel/scalar.ts";
import type { ReduceRecord } from "../../src/ops/define.ts";
import { REDUCE_OPS } from "../../src/ops/index.ts";
import { COMPUTED } from "../computed.ts";
import { buildLoop, type RandomLoop, randomLoop } from "./randomLoops.ts";

export interface Reduction {
  readonly name: string;
  readonly lift: ScalarProgram;
  readonly combine: ScalarProgram;
  readonly absorbing?: number;
}

export const statesOf = ({ operands }: ScalarProgram): readonly DType[] =>
  operands.slice(0, operands.length / 2);

const LAYOUTS = ["rows", "columns", "fixedRow", "fixedColumn", "fixed", "spread", "flipped"] as const;
export type Layout = (typeof LAYOUTS)[number];
export const layouts: fc.Arbitrary<Layout[]> = fc.array(
  fc.constantFrom<Layout>(...LAYOUTS, "rows", "columns", "rows", "columns"),
  { minLength: 3, maxLength: 3 },
);

const LENGTHS = [1, 2, 3, 15, 16, 17, 63, 64, 65, 255, 256, 257, 1023, 1024, 1025];
const COLUMNS = [1, 1, 2, 3, 7, 20, 300];
/** The interpreter takes its time, so few planes are large. */
const LARGE = [[5000, 1], [5000, 1], [70_000, 1], [2500, 3], [70, 300], [300, 130]] as const; // biome-ignore format: a table
const FEW = 3000;

/** Rows × columns. */
export const extents: fc.Arbitrary<readonly [number, number]> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(...LARGE) },
  {
    weight: 30,
    arbitrary: fc
      .tuple(fc.constantFrom(...LENGTHS), fc.constantFrom(...COLUMNS))
      .map(([rows, columns]) => [Math.min(rows, Math.ceil(FEW / columns)), columns] as const),
  },
);

/** The reductions of the table, for every dtype that they take and without those that ask for coordinates. */
export const TABLE: readonly Reduction[] = REDUCE_OPS.filter(({ name }) => !name.startsWith("arg")).flatMap(
  (op) => COMPUTED.filter((dtype) => accepts(op, dtype)).map((dtype) => tableReduction(op, dtype)),
);

function accepts(op: ReduceRecord, dtype: DType): boolean {
  try {
    op.infer([denseType(dtype, [3])], { axes: [0], keepdims: false });
    return true;
  } catch (error) {
    if (error instanceof ChunkwiseError) return false;
    throw error;
  }
}

function tableReduction(op: ReduceRecord, dtype: DType): Reduction {
  const states = op.state(dtype, {});
  const lift = programOf([dtype], (x) => op.lift(x!, () => s.index(0), {}));
  const combine = programOf([...states, ...states], (...values) =>
    op.combine(values.slice(0, states.length), values.slice(states.length)),
  );
  const { name, absorbing } = op;
  return { name, lift, combine, ...(absorbing === undefined ? {} : { absorbing: Number(absorbing) }) };
}

export const randomLift: fc.Arbitrary<RandomLoop> = randomLoop.map((loop) => ({
  ...loop,
  shape: [2],
  // Never a multiple of 5: those have coordinates.
  seed: loop.seed * 15 + 1 + (loop.seed % 2),
}));

export function randomReduction(loop: RandomLoop, how: number): Reduction {
  const { program } = buildLoop(loop).step;
  // One component, or all.
  const lift = { ...program, results: program.results.slice(0, 1 + (how % 2)) };
  const states = lift.results.map((parts): DType => {
    const { type } = lift.instructions[parts[0]!]!;
    return parts.length === 1 ? type : type === "float64" ? "complex128" : "complex64";
  });
  const combine = programOf([...states, ...states], (...values) =>
    combineRandomly(values.slice(0, states.length), values.slice(states.length), how),
  );
  return { name: "random", lift, combine };
}

/** Part by part with an operation of its type, or the state whose first part is less. */
function combineRandomly(a: readonly s.Value[], b: readonly s.Value[], how: number): s.Value[] {
  const first = (state: readonly s.Value[]): s.Term => s.partsOf(state[0]!)[0]!;
  const takeB = s.lt(first(b), first(a));
  if (how % 5 === 0) return a.map((x, i) => s.selectValue(takeB, b[i]!, x));
  return a.map((x, i) => {
    const parts = s.partsOf(x).map((part, p) => joined(part, s.partsOf(b[i]!)[p]!, how + i));
    return parts.length === 1 ? parts[0]! : { re: parts[0]!, im: parts[1]! };
  });
}

function joined(x: s.Term, y: s.Term, how: number): s.Term {
  const ops =
    x.type === "bool"
      ? [s.and, s.or, s.xor]
      : isFloat(x.type)
        ? [s.add, s.max, s.min, s.sub, (p: s.Term, q: s.Term) => s.add(s.mul(p, s.constant(p.type, 0.5)), q)]
        : [s.add, s.mul, s.xor, s.min, s.max, s.sub];
  return ops[how % ops.length]!(x, y);
}

export interface Operand {
  readonly dtype: DType;
  readonly data: TypedArray;
  /** In elements. */
  readonly offset: number;
  readonly rowStride: number;
  readonly columnStride: number;
}

export function operandOf(
  dtype: DType,
  layout: Layout,
  rows: number,
  columns: number,
  seed: number,
): Operand {
  const last = rows * columns - 1;
  const [offset, rowStride, columnStride] = {
    rows: [0, columns, 1] as const,
    columns: [0, 1, rows] as const,
    fixedRow: [0, 0, 1] as const,
    fixedColumn: [0, 1, 0] as const,
    fixed: [0, 0, 0] as const,
    spread: [1, 2 * columns, 2] as const,
    flipped: [last, -columns, -1] as const,
  }[layout];
  const count = 1 + Math.max(offset, offset + (rows - 1) * rowStride + (columns - 1) * columnStride);
  return { dtype, data: randomData(dtype, count, seed), offset, rowStride, columnStride };
}

const SPECIAL = [0, -0, 1, -1, Number.NaN, Infinity, -Infinity, 1e300, -1e-310, 2 ** 63];

/** Numbers that round, with a special one now and then, if at all. */
function randomData(dtype: DType, count: number, seed: number): TypedArray {
  const data = allocate(dtype, count);
  const { part } = infoOf(dtype);
  let state = seed * 2654435761 + 1;
  for (let i = 0; i < data.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const pick = state >>> 8;
    if (isFloat(part))
      data[i] =
        seed % 3 === 0 && pick % 50 === 0 ? SPECIAL[pick % SPECIAL.length]! : (pick % 20_011) / 7 - 1400;
    else if (isWide(part)) (data as BigInt64Array)[i] = BigInt.asIntN(64, BigInt(pick) ** 3n - BigInt(state));
    else data[i] = part === "bool" ? (seed % 2 === 0 ? pick % 2 : Number(pick % 999 !== 0)) : state;
  }
  return data;
}
