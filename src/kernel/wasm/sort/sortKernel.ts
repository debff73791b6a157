// sort and argsort of rows, or of segments, as a WebAssembly module: a unit is a row. In: a dtype. Out: bytes.
// Stable; NaN last; the same bits as routines/sort.ts. Must hold: output and work share no memory with the input.

import type { RealDType } from "../../../core/dtype.ts";
import { increase, moduleOf, SCRATCH } from "../module.ts";

import { moveToRow } from "../rowPlace.ts";
import { setFlip } from "./keys.ts";
import { sortShort } from "./network.ts";
import { appendNaNs, copyEntries, copyInput, restoreZeros } from "./output.ts";
import { COUNTER_BYTES, newRow, type Row, type SortKind } from "./row.ts";
import { survey } from "./survey.ts";
import { orderEntries, prepareEntries } from "./turns.ts";

/** The parameters' words; then the axes of rows (rowPlace.ts), strides of the input and of the output; or no axes, and
 * where the offsets of segments lie. */
export const WORDS = [
  "length", "input", "inputStride", "output", "outputStride",
  "descending", "work", "workStride", "firstRow", "offsets",
] as const; // biome-ignore format: a list

export function sortModule(
  isShared: boolean,
  kind: SortKind,
  dtype: RealDType,
  isSegmented: boolean,
): Uint8Array<ArrayBuffer> {
  return moduleOf(isShared, (w, run) => writeRows(newRow(w, run, kind, dtype, isSegmented)));
}

function writeRows(row: Row): void {
  const { w, at, run } = row;
  w.global(SCRATCH).set(at.counters);
  w.get(run.from).set(at.unit);
  w.block((end) => {
    w.loop((again) => {
      w.get(at.unit).get(run.to).op("i32.ge_u").branchIf(end);
      readParameters(row);
      setFlip(row);
      findRow(row);
      w.block((done) => {
        sortShort(row, done);
        findBuffers(row);
        sortRow(row);
      });
      increase(w, at.unit, 1);
      w.branch(again);
    });
  });
}

function readParameters({ w, at, run }: Row): void {
  WORDS.forEach((word, number) =>
    w
      .get(run.parameters)
      .memory("i32.load", 4 * number)
      .set(at[word]),
  );
}

function findRow({ w, at, run, isSegmented }: Row): void {
  w.get(at.unit).get(at.firstRow).op("i32.add").set(at.place);
  if (isSegmented) {
    w.get(at.place).i32(4).op("i32.mul").get(at.offsets).op("i32.add").set(at.read);
    w.get(at.read).memory("i32.load").set(at.place);
    w.get(at.read).memory("i32.load", 4).get(at.place).op("i32.sub").set(at.length);
    w.get(at.place).get(at.inputStride).op("i32.mul").get(at.input).op("i32.add").set(at.input);
    w.get(at.place).get(at.outputStride).op("i32.mul").get(at.output).op("i32.add").set(at.output);
  } else moveToRow(w, run.parameters, 4 * WORDS.length, at.place, [at.input, at.output]);
}

/** The output itself is one of the two buffers where entries fit it. Work at 0 is the thread's scratch. */
function findBuffers({ w, at, kind, bytes, entryBytes }: Row): void {
  w.get(at.work).get(at.unit).get(at.workStride).op("i32.mul").op("i32.add");
  w.get(at.counters).i32(COUNTER_BYTES).op("i32.add");
  w.get(at.work).select("i32").tee(at.entries);
  w.get(at.length).i32(entryBytes).op("i32.mul").op("i32.add").set(at.spare);
  if (kind === "sort" && bytes !== entryBytes) return;
  w.get(at.outputStride).i32(entryBytes).op("i32.eq");
  w.when(() => w.get(at.entries).set(at.spare).get(at.output).set(at.entries));
}

function sortRow(row: Row): void {
  const { w, at } = row;
  survey(row);
  w.get(at.isUnsorted).get(at.numbers).get(at.length).op("i32.ne").op("i32.or");
  w.either(
    () => {
      prepareEntries(row);
      orderEntries(row);
      copyEntries(row);
      appendNaNs(row);
      restoreZeros(row);
    },
    () => copyInput(row),
  );
}
