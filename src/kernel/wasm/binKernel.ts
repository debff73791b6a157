// binPlaces as a kernel, for bins of one width and float64. In: a routine's call. Out: true, with the places written; false where
// the routine itself has to do it.
// Must hold: the same places as the routine: the bin whose edges an element lies between, however its first guess was rounded.

import { type Block, isContiguous } from "../../core/block.ts";
import { sizeOf } from "../../core/chunks.ts";
import type { RoutineCall } from "../routine.ts";
import { checkOrder } from "../routines/bins.ts";
import { toContiguous } from "../routines/stridedWalk.ts";
import type { FunctionWriter, Local } from "./assembler.ts";
import { workInside } from "./inside.ts";
import type { WasmMachine } from "./machine.ts";
import { increase, moduleOf, type RunArguments, repeat } from "./module.ts";

const PART = 65_536;
const WORTH_SHARING = 1 << 19;

export function runBinPlaces(
  { memory, kernels, jobs }: WasmMachine,
  { inputs, outputs, attrs }: RoutineCall,
  threads: number,
): boolean {
  const [x, edges] = inputs;
  const isFit = attrs["uniform"] === true && attrs["mode"] === "bins" && x!.dtype === "float64";
  const count = sizeOf(x!.shape);
  if (!isFit || count === 0 || ![...inputs, ...outputs].every(isContiguous)) return false;
  checkOrder(toContiguous(edges!) as Float64Array, false);
  return workInside(memory, inputs, outputs, (given, made) => {
    const addresses = [...given, ...made].map((block: Block) => memory.placedAddress(block));
    const kernel = kernels.get("binPlaces", (isShared) => moduleOf(isShared, writePlaces));
    jobs.run(kernel, [...addresses, edges!.shape[0]! - 1], count, PART, count < WORTH_SHARING ? 1 : threads);
  });
}

/** A unit is an element. Parameters: addresses of the elements, the edges and the places, and the number of bins. */
function writePlaces(w: FunctionWriter, { parameters, from, to }: RunArguments): void {
  const [data, edges, output, bins] = [0, 4, 8, 12].map((at) => {
    const local = w.local("i32");
    w.get(parameters).memory("i32.load", at).set(local);
    return local;
  }) as [Local, Local, Local, Local];
  const [first, last, perUnit] = [w.local("f64"), w.local("f64"), w.local("f64")];
  w.get(edges).memory("f64.load").set(first);
  w.get(bins).i32(8).op("i32.mul").get(edges).op("i32.add").memory("f64.load").set(last);
  w.get(bins).op("f64.convert_i32_u").get(last).get(first).op("f64.sub").op("f64.div").set(perUnit);
  const [value, place, edge, top] = [w.local("f64"), w.local("i32"), w.local("i32"), w.local("i32")];
  w.get(bins).i32(1).op("i32.sub").set(top);
  w.get(from).i32(8).op("i32.mul").get(data).op("i32.add").set(data);
  w.get(from).i32(4).op("i32.mul").get(output).op("i32.add").set(output);
  const edgeAt = (ahead: number): FunctionWriter => {
    w.get(place).i32(8).op("i32.mul").get(edges).op("i32.add").set(edge);
    return w
      .get(value)
      .get(edge)
      .memory("f64.load", 8 * ahead);
  };
  repeat(w, from, to, 1, () => {
    w.get(data).memory("f64.load").set(value);
    w.get(value).get(first).op("f64.sub").get(perUnit).op("f64.mul").op("i32.trunc_sat_f64_s").set(place);
    // What lies outside is at one of the ends, so that no step leads out of the edges.
    w.get(place).get(top).get(place).get(top).op("i32.lt_s").select("i32").set(place);
    w.get(place).i32(0).get(place).i32(0).op("i32.gt_s").select("i32").set(place);
    w.block((done) => {
      w.loop((again) => {
        edgeAt(0).op("f64.lt").get(place).i32(0).op("i32.gt_s").op("i32.and").op("i32.eqz").branchIf(done);
        increase(w, place, -1);
        w.branch(again);
      });
    });
    w.block((done) => {
      w.loop((again) => {
        edgeAt(1).op("f64.ge").get(place).get(top).op("i32.lt_s").op("i32.and").op("i32.eqz").branchIf(done);
        increase(w, place, 1);
        w.branch(again);
      });
    });
    w.get(output).get(place).i32(-1);
    w.get(value).get(first).op("f64.ge").get(value).get(last).op("f64.le").op("i32.and");
    w.select("i32").memory("i32.store");
    increase(w, data, 8);
    increase(w, output, 4);
  });
}
