// A WebAssembly module as every kernel is one: it exports `run(parameters, from, to)`, which does the units
// from ≤ u < to of the work that the block of parameters at that address describes, so that several threads can
// share a job. It imports the memory, `trap`, and `scratch`: the address of this thread's own SCRATCH_BYTES.

import { programText, type ScalarProgram } from "../program.ts";
import { TRAPPING } from "../traps.ts";
import { ByteWriter, FunctionWriter, type Local, TYPE_CODE } from "./assembler.ts";
import type { ValueType } from "./instructions.ts";
import { FILL_TAKES, fillFunction } from "./philoxCode.ts";

// Counted loops and small arithmetic on i32 locals, as kernels write them. Counts are unsigned.

/** while (counter + step ≤ limit) { body; counter += step }. The body may move addresses along. */
export function repeat(
  w: FunctionWriter,
  counter: Local,
  limit: Local,
  step: number,
  body: () => void,
): void {
  const hasRoom = (): FunctionWriter => w.get(counter).i32(step).op("i32.add").get(limit).op("i32.le_u");
  w.block((end) => {
    hasRoom().op("i32.eqz").branchIf(end);
    w.loop((again) => {
      body();
      increase(w, counter, step);
      hasRoom().branchIf(again);
    });
  });
}

export function increase(w: FunctionWriter, local: Local, by: number | Local): void {
  w.get(local);
  if (typeof by === "number") w.i32(by);
  else w.get(by);
  w.op("i32.add").set(local);
}

/** into = the smaller of two i32 that the functions push; each is pushed twice. */
export function setMin(w: FunctionWriter, into: Local, x: () => void, y: () => void): void {
  x();
  y();
  x();
  y();
  w.op("i32.lt_u").select("i32").set(into);
}

// What a program is, as text: equal for equal programs, so that a kernel is found by it.

/** Texts are long, and a program that runs again is often the same object. */
const texts = new WeakMap<ScalarProgram, string>();

export function textOf(program: ScalarProgram): string {
  let text = texts.get(program);
  if (text === undefined) {
    // A kernel says which step failed, so the steps that can fail are part of what it is.
    const origins = program.instructions.filter(({ prim }) => TRAPPING.has(prim)).map(({ origin }) => origin);
    text = `${program.operands.join()} ${origins.join()}\n${programText(program)}`;
    texts.set(program, text);
  }
  return text;
}

/** The imported function that ends a kernel: trap(kind, origin) throws. */
export const TRAP = 0;
export const TRAP_TAKES: readonly ValueType[] = ["i32", "i32"];

/** Private memory of one thread, for what a kernel keeps between its loops. */
export const SCRATCH_BYTES: number = 1 << 20;
/** The global that holds its address. */
export const SCRATCH = 0;

/** What a kernel's memory may grow to: all that 32 bits can address. */
export const MAX_PAGES = 65536;

const RUN_TAKES: readonly ValueType[] = ["i32", "i32", "i32"];

/** What `run` is given. */
export interface RunArguments {
  readonly parameters: Local;
  readonly from: Local;
  readonly to: Local;
}

const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
/** What is imported: a function, a memory, a global. */
const [FUNCTION, MEMORY, GLOBAL] = [0x00, 0x02, 0x03] as const;
/** The types, by number. */
const [TRAP_TYPE, RUN_TYPE, FILL_TYPE] = [0, 1, 2] as const;

function writeTypes(into: ByteWriter): void {
  const types = [TRAP_TAKES, RUN_TAKES, FILL_TAKES];
  into.unsigned(types.length);
  for (const takes of types) {
    into.byte(0x60).unsigned(takes.length);
    for (const type of takes) into.byte(TYPE_CODE[type]);
    into.unsigned(0);
  }
}

function writeImports(into: ByteWriter, isShared: boolean): void {
  into.unsigned(3);
  into.name("env").name("trap").byte(FUNCTION).unsigned(TRAP_TYPE);
  into.name("env").name("memory").byte(MEMORY);
  if (isShared) into.byte(0x03).unsigned(0).unsigned(MAX_PAGES);
  else into.byte(0x00).unsigned(0);
  into.name("env").name("scratch").byte(GLOBAL).byte(TYPE_CODE.i32).byte(0x00);
}

/** `isShared` must be what the memory is. */
export function moduleOf(
  isShared: boolean,
  write: (writer: FunctionWriter, run: RunArguments) => void,
): Uint8Array<ArrayBuffer> {
  const writer = new FunctionWriter(RUN_TAKES);
  const [parameters, from, to] = [0, 1, 2].map((number) => writer.parameter(number));
  write(writer, { parameters: parameters!, from: from!, to: to! });
  const module = new ByteWriter().bytes(HEADER);
  const section = (code: number, fill: (into: ByteWriter) => void): void => {
    const content = new ByteWriter();
    fill(content);
    module.byte(code).sized(content);
  };
  section(1, writeTypes);
  section(2, (into) => writeImports(into, isShared));
  // Those that need random bits have the function that makes them.
  const bodies = [writer.body(), ...(writer.keeps ? [fillFunction().body()] : [])];
  section(3, (into) => {
    into.unsigned(bodies.length).unsigned(RUN_TYPE);
    if (bodies.length > 1) into.unsigned(FILL_TYPE);
  });
  section(7, (into) => into.unsigned(1).name("run").byte(FUNCTION).unsigned(1));
  section(10, (into) => {
    into.unsigned(bodies.length);
    for (const body of bodies) into.sized(body);
  });
  return module.finish().slice();
}
