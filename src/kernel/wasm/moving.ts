// pick and spread as kernels. In: a routine's call. Out: true, with the output written; false where the routine itself has to
// do it: few elements of many that lie outside, or no room for copies.

import { infoOf } from "../../core/dtype.ts";
import type { RoutineCall } from "../routine.ts";
import type { FunctionWriter, Local } from "./assembler.ts";
import { workInside } from "./inside.ts";
import type { ValueType } from "./instructions.ts";
import type { WasmMachine } from "./machine.ts";
import { increase, moduleOf, type RunArguments, repeat } from "./module.ts";

// Elements that go elsewhere, as WebAssembly modules. In: how many bytes an element has. Out: bytes of a module. `pick`: a
// unit is an element of the output, which comes from where its index says. `spread`: a unit is a segment of the output, all
// of whose elements are one.

/** How an element of so many bytes is held, read and written. */
const WIDTHS: {
  readonly [bytes: number]: { readonly type: ValueType; readonly load: string; readonly store: string };
} = {
  1: { type: "i32", load: "i32.load8_u", store: "i32.store8" },
  2: { type: "i32", load: "i32.load16_u", store: "i32.store16" },
  4: { type: "i32", load: "i32.load", store: "i32.store" },
  8: { type: "i64", load: "i64.load", store: "i64.store" },
  16: { type: "v128", load: "v128.load", store: "v128.store" },
};

/** So many elements are written out in one turn. */
const UNROLL = 4;

function parametersOf(w: FunctionWriter, { parameters }: RunArguments, count: number): Local[] {
  return Array.from({ length: count }, (_, i) => {
    const local = w.local("i32");
    w.get(parameters)
      .memory("i32.load", 4 * i)
      .set(local);
    return local;
  });
}

/** A cursor `bytes` behind an address for every unit before the first. */
function advance(w: FunctionWriter, cursor: Local, units: Local, bytes: number): void {
  w.get(units).i32(bytes).op("i32.mul").get(cursor).op("i32.add").set(cursor);
}

/** Parameters: addresses of the elements, of int32 indexes, of the output, and of what comes where an index is negative. */
function pickModule(isShared: boolean, bytes: number): Uint8Array<ArrayBuffer> {
  const { load, store } = WIDTHS[bytes]!;
  return moduleOf(isShared, (w, run) => {
    const [data, index, output, other] = parametersOf(w, run, 4) as [Local, Local, Local, Local];
    const place = w.local("i32");
    advance(w, index, run.from, 4);
    advance(w, output, run.from, bytes);
    for (const copies of [UNROLL, 1])
      repeat(w, run.from, run.to, copies, () => {
        for (let i = 0; i < copies; i++) {
          w.get(index)
            .memory("i32.load", 4 * i)
            .set(place);
          w.get(output).get(other);
          w.get(place).i32(bytes).op("i32.mul").get(data).op("i32.add");
          w.get(place)
            .i32(0)
            .op("i32.lt_s")
            .select("i32")
            .memory(load)
            .memory(store, bytes * i);
        }
        increase(w, index, 4 * copies);
        increase(w, output, bytes * copies);
      });
  });
}

/** Parameters: addresses of one element for each segment, of int32 offsets, of the output. */
function spreadModule(isShared: boolean, bytes: number): Uint8Array<ArrayBuffer> {
  const { type, load, store } = WIDTHS[bytes]!;
  return moduleOf(isShared, (w, run) => {
    const [data, offsets, output] = parametersOf(w, run, 3) as [Local, Local, Local];
    const [element, cursor, at, stop] = [w.local(type), w.local("i32"), w.local("i32"), w.local("i32")];
    advance(w, data, run.from, bytes);
    advance(w, offsets, run.from, 4);
    w.get(offsets).memory("i32.load").set(at);
    w.get(output).set(cursor);
    advance(w, cursor, at, bytes);
    const last = w.local("i32");
    w.get(run.to).get(run.from).op("i32.sub").i32(4).op("i32.mul").get(offsets).op("i32.add");
    w.memory("i32.load").set(last);
    repeat(w, run.from, run.to, 1, () => {
      w.get(data).memory(load).set(element);
      w.get(offsets).memory("i32.load", 4).set(stop);
      w.block((done) => {
        if (bytes === 8) spreadShort(w, { element, cursor, at, stop, last }, done);
        repeat(w, at, stop, 1, () => {
          w.get(cursor).get(element).memory(store);
          increase(w, cursor, bytes);
        });
      });
      increase(w, data, bytes);
      increase(w, offsets, 4);
    });
  });
}

/** Segments up to this long are written as if they were, where the run of segments goes on so far. */
const SHORT = 8;

/** No jump by the length, which nobody could foresee: what is written too much is overwritten by the segments that follow. */
function spreadShort(
  w: FunctionWriter,
  { element, cursor, at, stop, last }: { readonly [name: string]: Local },
  done: number,
): void {
  const pair = w.local("v128");
  w.get(stop!).get(at!).op("i32.sub").i32(SHORT).op("i32.le_u");
  w.get(at!).i32(SHORT).op("i32.add").get(last!).op("i32.le_u").op("i32.and");
  w.when(() => {
    w.get(element!).op("i64x2.splat").set(pair);
    for (let i = 0; i < SHORT; i += 2)
      w.get(cursor!)
        .get(pair)
        .memory("v128.store", 8 * i);
    w.get(stop!).get(at!).op("i32.sub").i32(8).op("i32.mul").get(cursor!).op("i32.add").set(cursor!);
    w.get(stop!).set(at!);
    w.branch(done);
  });
}

/** Elements that one thread takes at a time, and from which on others are asked for help. */
const PART = 65_536;
const WORTH_SHARING = 1 << 19;
/** What lies outside is brought in where at least one in so many of its elements is asked for. */
const WORTH_BRINGING = 4;

export function runPick(
  { memory, kernels, jobs }: WasmMachine,
  { inputs, outputs }: RoutineCall,
  threads: number,
): boolean {
  const [x, index] = inputs;
  const { bytes } = infoOf(x!.dtype);
  const count = index!.shape[0]!;
  if (memory.addressOf(x!) === null && count * WORTH_BRINGING < x!.shape[0]!) return false;
  return workInside(memory, inputs, outputs, ([data, places, other], [out]) => {
    const parameters = [data!, places!, out!, other!].map((block) => memory.placedAddress(block));
    const kernel = kernels.get(`pick ${bytes}`, (isShared) => pickModule(isShared, bytes));
    jobs.run(kernel, parameters, count, PART, count < WORTH_SHARING ? 1 : threads);
  });
}

export function runSpread(
  { memory, kernels, jobs }: WasmMachine,
  { inputs, outputs }: RoutineCall,
  threads: number,
): boolean {
  const { bytes } = infoOf(inputs[0]!.dtype);
  const count = inputs[1]!.shape[0]! - 1;
  const elements = outputs[0]!.shape[0]!;
  return workInside(memory, inputs, outputs, (given, outs) => {
    const parameters = [...given, ...outs].map((block) => memory.placedAddress(block));
    const kernel = kernels.get(`spread ${bytes}`, (isShared) => spreadModule(isShared, bytes));
    const part = Math.max(1, Math.ceil((PART * count) / (elements + count)));
    jobs.run(kernel, parameters, count, part, elements < WORTH_SHARING ? 1 : threads);
  });
}
