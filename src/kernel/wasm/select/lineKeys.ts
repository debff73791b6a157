// The keys of a line's elements, one after another. In: a row whose input, stride and length are set. Out: code that has each key in `key`.

import { increase } from "../module.ts";
import { timesUnrolled } from "../sort/flow.ts";
import { pushBits, pushIsNaN, pushKey } from "../sort/keys.ts";
import { keyConstant, type Row } from "../sort/row.ts";

/** NaN has the greatest key. `raw` has the element's bits. */
export function walkKeys(row: Row, body: () => void): void {
  const { w, at, keyType } = row;
  w.get(at.input).set(at.read);
  timesUnrolled(w, at.length, at.left, () => {
    w.get(at.read);
    pushBits(row);
    w.set(at.raw);
    if (row.isFloat) keyConstant(row, -1n);
    pushKey(row);
    if (row.isFloat) {
      pushIsNaN(row);
      w.select(keyType);
    }
    w.set(at.key);
    body();
    increase(w, at.read, at.inputStride);
  });
}
