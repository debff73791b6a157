// Fourier transforms by kernels. In: a call of the routine `fourier`. Out: true when it is done; false where the routine itself has to do it.

import { type Block, isContiguous } from "../../core/block.ts";
import { sizeOf } from "../../core/chunks.ts";
import {
  CONVOLVED_AT_ONCE,
  type Convolution,
  type FourSteps,
  MOST_KERNEL_PRIME,
  MOST_POINTS,
  type Passes,
  planOf,
  type TransformPlan,
} from "../fourier/lengths.ts";
import { chirpOf, filterOf, twoTables, unitRoots } from "../fourier/roots.ts";
import type { RoutineCall } from "../routine.ts";
import { booleanAttr } from "../routines/attributes.ts";
import { copyElements } from "../routines/stridedWalk.ts";
import { type ChirpCode, chirpModule, chirpText } from "./chirpKernel.ts";
import { type FourierCode, fourierModule, fourierText, LINES } from "./fourierKernel.ts";
import { withBuffer, workInside } from "./inside.ts";
import type { WasmMachine } from "./machine.ts";

/** A complex number's. */
const BYTES = 16;
/** Numbers for which it pays to fetch another group of lines. */
const PART_NUMBERS = 16_384;
const WORTH_SHARING = 1 << 17;

export function runFourier(
  machine: WasmMachine,
  { inputs, outputs, attrs }: RoutineCall,
  threads: number,
): boolean {
  const [x, output] = [inputs[0]!, outputs[0]!];
  const n = x.shape.at(-1)!;
  const lines = n === 0 ? 0 : sizeOf(x.shape) / n;
  const plan = planOf(Math.max(1, n));
  if (n < 2 || lines === 0 || !isOurs(plan)) return false;
  const isInverse = booleanAttr(attrs, "inverse");
  return contiguously(machine, x, output, (from, to) =>
    withTables(machine, plan, (tables) => {
      const ways = { machine, threads, tables, swapIn: isInverse, swapOut: isInverse };
      return transformLines(ways, plan, { from, to, lines, inLine: n * BYTES, outLine: n * BYTES });
    }),
  );
}

/** Where the roots of each length lie, and the two tables of a long one's. */
interface Tables {
  readonly roots: ReadonlyMap<number, number>;
  readonly turn: Turn | null;
}

/** They are made once for all lines. */
function withTables(machine: WasmMachine, plan: TransformPlan, work: (tables: Tables) => boolean): boolean {
  const smooth = plan.kind === "convolution" ? plan.inner : plan;
  const passes = smooth.kind === "passes" ? [smooth] : [smooth.first, smooth.second];
  const two = smooth.kind === "passes" ? null : twoTables(smooth.n);
  const lists = [...passes.map(({ n }) => unitRoots(n)), ...(two === null ? [] : [two.low, two.high])];
  return withNumbers(machine, lists, (places) => {
    const [low, high] = places.slice(passes.length);
    const turn = two === null ? null : { low: low!, high: high!, shift: two.shift };
    return work({ roots: new Map(passes.map(({ n }, at) => [n, places[at]!])), turn });
  });
}

/** Columns and rows that a thread's scratch has room for. */
function isOurs(plan: TransformPlan): boolean {
  switch (plan.kind) {
    case "passes":
      return plan.n <= MOST_POINTS && plan.factors.every((p) => p <= MOST_KERNEL_PRIME);
    case "fourSteps":
      return isOurs(plan.first) && isOurs(plan.second);
    case "convolution":
      return isOurs(plan.inner);
    default:
      throw plan satisfies never;
  }
}

/** With lines that lie one after another in the kernels' memory. */
function contiguously(
  { memory }: WasmMachine,
  x: Block,
  output: Block,
  work: (from: number, to: number) => boolean,
): boolean {
  const copies: Block[] = [];
  const plain = (block: Block): Block | null => {
    if (isContiguous(block)) return block;
    const copy = memory.takeBlock(block.dtype, block.shape);
    if (copy !== null) copies.push(copy);
    return copy;
  };
  try {
    const [source, target] = [plain(x), plain(output)];
    if (source === null || target === null) return false;
    if (source !== x) copyElements(x, source);
    let isDone = false;
    const isInside = workInside(memory, [source], [target], ([from], [to]) => {
      isDone = work(memory.placedAddress(from!), memory.placedAddress(to!));
    });
    if (target !== output && isInside && isDone) copyElements(target, output);
    return isInside && isDone;
  } finally {
    for (const copy of copies) memory.giveBlock(copy);
  }
}

/** Who computes, and whether parts change places on the way in and on the way out. */
interface Ways {
  readonly machine: WasmMachine;
  readonly threads: number;
  readonly tables: Tables;
  readonly swapIn: boolean;
  readonly swapOut: boolean;
}

/** Lines at addresses, so many bytes apart. */
interface Lines {
  readonly from: number;
  readonly to: number;
  readonly lines: number;
  readonly inLine: number;
  readonly outLine: number;
}

function transformLines(ways: Ways, plan: TransformPlan, lines: Lines): boolean {
  switch (plan.kind) {
    case "passes":
      return byPasses(ways, plan, { ...lines, inStep: BYTES, outStep: BYTES }, null);
    case "fourSteps":
      return byFourSteps(ways, plan, lines);
    case "convolution":
      return byConvolution(ways, plan, lines);
    default:
      throw plan satisfies never;
  }
}

interface Points extends Lines {
  readonly inStep: number;
  readonly outStep: number;
}

/** Tables of the whole length's roots, where points are turned. */
interface Turn {
  readonly low: number;
  readonly high: number;
  readonly shift: number;
}

function byPasses(
  { machine, threads, tables, swapIn, swapOut }: Ways,
  { n, factors }: Passes,
  { from, to, lines, inLine, outLine, inStep, outStep }: Points,
  turn: Turn | null,
): true {
  const code: FourierCode = { n, factors, swapIn, swapOut, isTurned: turn !== null };
  const kernel = machine.kernels.get(fourierText(code), (isShared) => fourierModule(isShared, code));
  const groups = Math.ceil(lines / LINES);
  const words = [from, to, lines, inLine, outLine, inStep, outStep, 0, 0, groups, tables.roots.get(n)!];
  const parameters = [...words, turn?.low ?? 0, turn?.high ?? 0, turn?.shift ?? 0];
  const part = Math.max(1, Math.floor(PART_NUMBERS / (n * LINES)));
  machine.jobs.run(kernel, parameters, groups, part, n * lines > WORTH_SHARING ? threads : 1);
  return true;
}

/** Numbers as long as they are worked with. */
function withNumbers(
  { memory }: WasmMachine,
  lists: readonly Float64Array[],
  work: (at: readonly number[]) => boolean,
): boolean {
  let isDone = false;
  const bytes = lists.reduce((sum, list) => sum + list.byteLength, 0);
  const hasRoom = withBuffer(memory, bytes, (first) => {
    let at = first;
    const places = lists.map((list) => {
      new Float64Array(memory.buffer, at, list.length).set(list);
      at += list.byteLength;
      return at - list.byteLength;
    });
    isDone = work(places);
  });
  return hasRoom && isDone;
}

function byFourSteps(
  ways: Ways,
  { n, first, second }: FourSteps,
  { from, to, lines, inLine, outLine }: Lines,
): boolean {
  const row = second.n * BYTES;
  return withBuffer(ways.machine.memory, n * BYTES, (table) => {
    for (let line = 0; line < lines; line++) {
      const columns = {
        from: from + line * inLine,
        to: table,
        lines: second.n,
        inLine: BYTES,
        outLine: BYTES,
      };
      const rows = { from: table, to: to + line * outLine, lines: first.n, inLine: row, outLine: BYTES };
      byPasses(
        { ...ways, swapOut: false },
        first,
        { ...columns, inStep: row, outStep: row },
        ways.tables.turn,
      );
      byPasses(
        { ...ways, swapIn: false },
        second,
        { ...rows, inStep: BYTES, outStep: first.n * BYTES },
        null,
      );
    }
  });
}

function byConvolution(
  ways: Ways,
  { n, inner }: Convolution,
  { from, to, lines, inLine, outLine }: Lines,
): boolean {
  const { machine } = ways;
  const chirp = chirpOf(n);
  const length = inner.n * BYTES;
  const plain = { ...ways, swapIn: false, swapOut: false };
  const atOnce = Math.min(lines, inner.kind === "passes" ? CONVOLVED_AT_ONCE : 1);
  return withNumbers(machine, [chirp, filterOf(chirp, n, inner.n)], ([chirpAt, filter]) => {
    let isDone = transformLines(plain, inner, {
      from: filter!,
      to: filter!,
      lines: 1,
      inLine: length,
      outLine: length,
    });
    const hasRoom = withBuffer(machine.memory, atOnce * length, (work) => {
      for (let line = 0; line < lines && isDone; line += atOnce) {
        const count = Math.min(atOnce, lines - line);
        const multiply = (words: readonly number[], code: Partial<ChirpCode>): void =>
          multiplied(machine, words, count, { ...NOTHING, ...code });
        const inPlace: Lines = { from: work, to: work, lines: count, inLine: length, outLine: length };
        new Float64Array(machine.memory.buffer, work, (2 * count * length) / BYTES).fill(0);
        multiply([from + line * inLine, work, chirpAt!, n, inLine, length], { swapIn: ways.swapIn });
        isDone = transformLines(plain, inner, inPlace);
        multiply([work, work, filter!, inner.n, length, length], { conjugateOut: true });
        isDone = isDone && transformLines(plain, inner, inPlace);
        const last = { conjugateIn: true, swapOut: ways.swapOut };
        multiply([work, to + line * outLine, chirpAt!, n, length, outLine], last);
      }
    });
    return hasRoom && isDone;
  });
}

const NOTHING: ChirpCode = { swapIn: false, swapOut: false, conjugateIn: false, conjugateOut: false };

function multiplied(
  { kernels, jobs }: WasmMachine,
  words: readonly number[],
  lines: number,
  code: ChirpCode,
): void {
  const kernel = kernels.get(chirpText(code), (isShared) => chirpModule(isShared, code));
  jobs.run(kernel, words, lines, lines, 1);
}
