// digitCounts as a WebAssembly module: a unit is a line of elements; all lines of a job are counted together, by one thread. In: a
// dtype. Out: bytes. The same counts as routines/digits.ts.

import type { RealDType } from "../../../core/dtype.ts";
import type { Local } from "../assembler.ts";
import { increase, moduleOf } from "../module.ts";
import { moveToRow } from "../rowPlace.ts";
import { setFlip } from "../sort/keys.ts";
import { keyBits, newRow, type Row } from "../sort/row.ts";
import { walkKeys } from "./lineKeys.ts";

/** The parameters' words; then the axes of lines (rowPlace.ts). The prefix is what is above the digit; above: 64, where nothing is. */
export const DIGIT_WORDS = [
  "length", "input", "inputStride", "counts", "shift", "mask", "above", "prefixLow", "prefixHigh",
] as const; // biome-ignore format: a list

type Words = { readonly [N in (typeof DIGIT_WORDS)[number]]: Local };

export function digitModule(isShared: boolean, dtype: RealDType): Uint8Array<ArrayBuffer> {
  return moduleOf(isShared, (w, run) => {
    // As argsort has them: zeros of both signs have one key.
    const row = newRow(w, run, "argsort", dtype, false);
    const { at } = row;
    const own = { counts: at.counters, above: at.drop, prefixLow: at.low, prefixHigh: at.sum };
    const { length, input, inputStride, shift, mask } = at;
    const words: Words = { ...{ length, input, inputStride, shift, mask }, ...own };
    w.get(run.from).set(at.unit);
    w.block((end) => {
      w.loop((again) => {
        w.get(at.unit).get(run.to).op("i32.ge_u").branchIf(end);
        DIGIT_WORDS.forEach((word, n) =>
          w
            .get(run.parameters)
            .memory("i32.load", 4 * n)
            .set(words[word]),
        );
        w.i32(0).set(at.descending);
        setFlip(row);
        setPrefix(row, words);
        w.get(at.unit).set(at.place);
        moveToRow(w, run.parameters, 4 * DIGIT_WORDS.length, at.place, [at.input]);
        countLine(row, words);
        increase(w, at.unit, 1);
        w.branch(again);
      });
    });
  });
}

/** `least`: the prefix. */
function setPrefix({ w, at, keyType }: Row, { prefixLow, prefixHigh }: Words): void {
  if (keyType === "i32") w.get(prefixLow).set(at.least);
  else {
    w.get(prefixHigh).op("i64.extend_i32_u").i64(32n).op("i64.shl");
    w.get(prefixLow).op("i64.extend_i32_u").op("i64.or").set(at.least);
  }
}

function countLine(row: Row, { above, counts }: Words): void {
  const { w, at } = row;
  const count = (): void => {
    pushShifted(row, at.shift);
    if (row.keyType === "i64") w.op("i32.wrap_i64");
    w.get(at.mask).op("i32.and").i32(2).op("i32.shl").get(counts).op("i32.add").tee(at.slot);
    w.get(at.slot).memory("i32.load").i32(1).op("i32.add").memory("i32.store");
  };
  w.get(above).i32(keyBits(row)).op("i32.ge_u");
  w.either(
    () =>
      walkKeys(row, () => {
        narrow(row);
        count();
      }),
    () =>
      walkKeys(row, () => {
        narrow(row);
        pushShifted(row, above);
        w.get(at.least).op(`${row.keyType}.eq`);
        w.when(count);
      }),
  );
}

function pushShifted({ w, at, keyType }: Row, by: Local): void {
  w.get(at.key).get(by);
  if (keyType === "i64") w.op("i64.extend_i32_u");
  w.op(`${keyType}.shr_u`);
}

/** Keys of short integers are as wide as these: sorting has them in 32 bits. */
function narrow({ w, at, bytes, isSigned }: Row): void {
  if (bytes >= 4 || !isSigned) return;
  w.get(at.key)
    .i32(2 ** (8 * bytes - 1))
    .op("i32.xor");
  w.i32(2 ** (8 * bytes) - 1)
    .op("i32.and")
    .set(at.key);
}
