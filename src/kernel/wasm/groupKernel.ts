// groupby as a kernel: elements are taken into the values of their labels, row after row, in vectors along the axes behind the
// labelled ones. In: a routine's call. Out: true, with the output written; false where the routine itself has to do it: folds
// that ask for places or means, complex numbers, no room.
// Must hold: the same bits as the routine. Every value is made by one thread, of its elements in their order.

import { type Block, isContiguous } from "../../core/block.ts";
import { sizeOf } from "../../core/chunks.ts";
import { type DType, infoOf, isComplex, type RealDType, type TypedArray } from "../../core/dtype.ts";
import { programOf, type ScalarProgram } from "../program.ts";
import type { RoutineCall } from "../routine.ts";
import { type GroupCall, type GroupPart, groupCall, groupPart, partsOf, start } from "../routines/groupby.ts";
import { PLAIN_FOLDS, type PlainFold, takenTerm } from "../routines/groupFolds.ts";
import { copyElements, fromContiguous } from "../routines/stridedWalk.ts";
import type * as s from "../scalar.ts";
import type { FunctionWriter, Local } from "./assembler.ts";
import type { Lanes } from "./body.ts";
import type { WasmMachine } from "./machine.ts";
import { increase, moduleOf, type RunArguments, repeat, setMin } from "./module.ts";
import { combineSteps } from "./reduceKernel.ts";

export function runGroups(machine: WasmMachine, call: RoutineCall, threads: number): boolean {
  const given = groupCall(call.attrs);
  const { fold } = given;
  const isTaken = (PLAIN_FOLDS as readonly string[]).includes(fold) && call.inputs.length === 2;
  if (!isTaken || [...call.inputs, ...call.outputs].some(({ dtype }) => isComplex(dtype))) return false;
  for (const part of partsOf(call))
    if (!runPart(machine, part, given, threads)) groupPart(part, given, call.room);
  return true;
}

/** Blocks of a call's own in the kernels' memory, contiguous; null where there is no room. */
function withBlocks(
  { memory }: WasmMachine,
  wanted: readonly (readonly [DType, readonly number[]])[],
  work: (blocks: readonly Block[]) => void,
): boolean {
  const taken: Block[] = [];
  try {
    for (const [dtype, shape] of wanted) {
      const block = memory.takeBlock(dtype, shape);
      if (block === null) return false;
      taken.push(block);
    }
    work(taken);
    return true;
  } finally {
    for (const block of taken) memory.giveBlock(block);
  }
}

function runPart(machine: WasmMachine, part: GroupPart, call: GroupCall, threads: number): boolean {
  const { labels, output } = part;
  const x = part.x!;
  if (sizeOf(x.shape) === 0 || sizeOf(output.shape) === 0) return false;
  const { memory } = machine;
  const liesThere = memory.addressOf(x) !== null && isContiguous(x);
  const given = takingOf(x, labels, call, output);
  const lists = given.columns < LONG_ROW ? oneByOne(labels) : inRuns(labels, given.groups, ROWS_AT_ONCE);
  const own: (readonly [DType, readonly number[]])[] = [
    ["int32", [lists[0].length]],
    ["int32", [lists[1].length]],
    [output.dtype, output.shape],
  ];
  return withBlocks(machine, liesThere ? own : [...own, [x.dtype, x.shape]], (blocks) => {
    const [runs, rest, values, copy = x] = blocks as [Block, Block, Block, Block | undefined];
    [runs, rest].forEach((block, k) => (elementsOf(block) as Int32Array).set(lists[k]!));
    if (copy !== x) copyElements(x, copy);
    const data = elementsOf(values);
    start(data, call.fold as PlainFold, output.dtype);
    take(machine, given, [copy, runs, rest, values], call, threads);
    fromContiguous(data, output);
  });
}

const elementsOf = ({ data, offset, shape }: Block): TypedArray =>
  data.subarray(offset, offset + sizeOf(shape));

/** Rows come label by label, so that the values of one are in the cache while its rows are gone through; the longer they are, the quicker. */
const MOST_COLUMNS = 1 << 14;
const LEAST_COLUMNS = 1 << 11;
/** So that none waits long for another. */
const UNITS_PER_THREAD = 2;
const UNIT_ELEMENTS = 65_536;
/** Rows of one label that are taken at once: their values are read and written once for all of them. */
const ROWS_AT_ONCE = 4;
/** From here on that is worth an order of rows. */
const LONG_ROW = 16;

/** Rows in the order of the labels: runs of some rows of one label, then what is left. Each begins with its label. */
function inRuns(
  labels: Int32Array,
  groups: number,
  length: number,
): readonly [runs: Int32Array, rest: Int32Array] {
  const rowsOf = Array.from({ length: groups }, (): number[] => []);
  labels.forEach((label, row) => {
    if (label >= 0) rowsOf[label]!.push(row);
  });
  const [runs, rest]: [number[], number[]] = [[], []];
  rowsOf.forEach((rows, label) => {
    const whole = rows.length - (rows.length % length);
    for (let at = 0; at < whole; at += length) runs.push(label, ...rows.slice(at, at + length));
    for (const row of rows.slice(whole)) rest.push(label, row);
  });
  return [Int32Array.from(runs), Int32Array.from(rest)];
}

/** Each row by itself, in its own order. */
function oneByOne(labels: Int32Array): readonly [runs: Int32Array, rest: Int32Array] {
  const rest = new Int32Array(2 * labels.length);
  let count = 0;
  for (let row = 0; row < labels.length; row++) {
    if (labels[row]! < 0) continue;
    rest[count++] = labels[row]!;
    rest[count++] = row;
  }
  return [NO_RUNS, rest.subarray(0, count)];
}

const NO_RUNS = new Int32Array(0);

/** What a kernel takes in: as numbers of its parameters. */
interface Taking {
  readonly outer: number;
  readonly columns: number;
  readonly groups: number;
  readonly rows: number;
}

function takingOf(x: Block, labels: Int32Array, { axis, blocks }: GroupCall, values: Block): Taking {
  return {
    rows: labels.length,
    outer: sizeOf(x.shape.slice(0, axis)),
    columns: sizeOf(x.shape.slice(axis + blocks.length)),
    groups: values.shape[axis + blocks.length]!,
  };
}

function take(
  { memory, kernels, jobs }: WasmMachine,
  { outer, columns, groups, rows }: Taking,
  [x, runs, rest, values]: readonly [Block, Block, Block, Block],
  { fold, skipsNaN }: GroupCall,
  threads: number,
): void {
  const fair = Math.ceil((outer * columns) / (UNITS_PER_THREAD * threads));
  const tileColumns = Math.min(columns, MOST_COLUMNS, Math.max(LEAST_COLUMNS, fair));
  const tiles = Math.ceil(columns / tileColumns);
  const key = `groups ${fold} ${skipsNaN} ${x.dtype} ${values.dtype}`;
  const kernel = kernels.get(key, (isShared) =>
    groupsModule(isShared, [x.dtype, values.dtype], (state, element) =>
      takenTerm(fold as PlainFold, values.dtype, skipsNaN, state, element),
    ),
  );
  const counts = [runs.shape[0]! / (1 + ROWS_AT_ONCE), rest.shape[0]! / 2];
  const addresses = [x, values, runs, rest].map((block) => memory.placedAddress(block));
  const part = Math.max(1, Math.ceil(UNIT_ELEMENTS / (rows * tileColumns)));
  const shared = outer * rows * columns < 2 * UNIT_ELEMENTS ? 1 : threads;
  jobs.run(
    kernel,
    [rows, columns, groups, tileColumns, tiles, ...counts, ...addresses],
    outer * tiles,
    part,
    shared,
  );
}

const WORDS = [
  "rows",
  "columns",
  "groups",
  "tileColumns",
  "tiles",
  "runCount",
  "restCount",
  "data",
  "values",
  "runs",
  "rest",
] as const;
type Words = { readonly [W in (typeof WORDS)[number]]: Local };

type Body = (state: s.Value, element: s.Value) => s.Value;

/** One element taken into a state, and as many as are taken at once. */
function groupsModule(
  isShared: boolean,
  [element, state]: readonly [DType, DType],
  body: Body,
): Uint8Array<ArrayBuffer> {
  const programs = [ROWS_AT_ONCE, 1].map((count) =>
    programOf([state, ...new Array<DType>(count).fill(element)], (first, ...elements) => [
      elements.reduce(body, first!),
    ]),
  );
  return moduleOf(isShared, (w, run) => new GroupsWriter(w, run, programs).write());
}

/** Vectors that are taken in one turn. */
const UNROLL = 2;

/** A program over rows of elements, and how lanes go through it. */
interface RowsTaken {
  readonly program: ScalarProgram;
  readonly steps: readonly Lanes[];
  /** Of rows. */
  readonly count: number;
}

/** A unit is a tile of columns, of one place along the axes before the labelled ones. */
class GroupsWriter {
  readonly #w: FunctionWriter;
  readonly #run: RunArguments;
  readonly #taken: readonly RowsTaken[];
  readonly #words: Words;
  readonly #state: RealDType;
  readonly #bytes: { readonly state: number; readonly element: number };

  constructor(w: FunctionWriter, run: RunArguments, programs: readonly ScalarProgram[]) {
    this.#w = w;
    this.#run = run;
    const load = (at: number): Local => {
      const local = w.local("i32");
      w.get(run.parameters)
        .memory("i32.load", 4 * at)
        .set(local);
      return local;
    };
    this.#words = Object.fromEntries(WORDS.map((word, at) => [word, load(at)])) as Words;
    this.#taken = programs.map((program) => ({
      ...{ program, steps: combineSteps(w, program), count: program.operands.length - 1 },
    }));
    const [state, element] = programs[0]!.operands;
    this.#state = infoOf(state!).part;
    this.#bytes = { state: infoOf(state!).bytes, element: infoOf(element!).bytes };
  }

  write(): void {
    const { from, to } = this.#run;
    repeat(this.#w, from, to, 1, () => this.#unit(from));
  }

  #unit(unit: Local): void {
    const w = this.#w;
    const { rows, columns, groups, tileColumns, tiles, data, values } = this.#words;
    const [outer, column, width] = [w.local("i32"), w.local("i32"), w.local("i32")];
    w.get(unit).get(tiles).op("i32.div_u").set(outer);
    w.get(unit).get(tiles).op("i32.rem_u").get(tileColumns).op("i32.mul").set(column);
    setMin(
      w,
      width,
      () => w.get(tileColumns),
      () => w.get(columns).get(column).op("i32.sub"),
    );
    const source = this.#begin(data, outer, rows, column, this.#bytes.element);
    const target = this.#begin(values, outer, groups, column, this.#bytes.state);
    const { runs, rest, runCount, restCount } = this.#words;
    this.#lists(this.#taken[0]!, runs, runCount, [source, target, width]);
    this.#lists(this.#taken[1]!, rest, restCount, [source, target, width]);
  }

  /** base + ((outer · length) · columns + column) · bytes. */
  #begin(base: Local, outer: Local, length: Local, column: Local, bytes: number): Local {
    const w = this.#w;
    const into = w.local("i32");
    w.get(outer).get(length).op("i32.mul").get(this.#words.columns).op("i32.mul").get(column).op("i32.add");
    w.i32(bytes).op("i32.mul").get(base).op("i32.add").set(into);
    return into;
  }

  /** Every list of a label and its rows. */
  #lists(
    taken: RowsTaken,
    lists: Local,
    count: Local,
    [source, target, width]: readonly [Local, Local, Local],
  ): void {
    const w = this.#w;
    const [at, list] = [w.local("i32"), w.local("i32")];
    w.get(lists).set(at);
    w.i32(0).set(list);
    repeat(w, list, count, 1, () => {
      const into = this.#line(at, 0, target, this.#bytes.state);
      const from = Array.from({ length: taken.count }, (_, k) =>
        this.#line(at, k + 1, source, this.#bytes.element),
      );
      this.#columns(taken, from, into, width);
      increase(w, at, 4 * (1 + taken.count));
    });
  }

  /** Where the line that the list names at a place begins. */
  #line(at: Local, place: number, base: Local, bytes: number): Local {
    const w = this.#w;
    const into = w.local("i32");
    w.get(at)
      .memory("i32.load", 4 * place)
      .get(this.#words.columns)
      .op("i32.mul")
      .i32(bytes)
      .op("i32.mul");
    w.get(base).op("i32.add").set(into);
    return into;
  }

  #columns({ program, steps }: RowsTaken, from: readonly Local[], into: Local, width: Local): void {
    const w = this.#w;
    const done = w.local("i32");
    w.i32(0).set(done);
    for (const lanes of steps)
      for (const turns of lanes.count === 1 ? [1] : [UNROLL, 1])
        repeat(w, done, width, lanes.count * turns, () => {
          for (let turn = 0; turn < turns; turn++)
            this.#lanes(lanes, program, from, into, turn * lanes.count);
          for (const cursor of from) increase(w, cursor, lanes.count * turns * this.#bytes.element);
          increase(w, into, lanes.count * turns * this.#bytes.state);
        });
  }

  #lanes(lanes: Lanes, program: ScalarProgram, from: readonly Local[], into: Local, ahead: number): void {
    const place = (address: Local) => ({ address, walk: "unit", slots: 1, ahead }) as const;
    const [result] = lanes.compute(program, (operand, type) =>
      lanes.load(place(operand === 0 ? into : from[operand - 1]!), type, 0),
    );
    lanes.store(place(into), this.#state, result!);
  }
}
