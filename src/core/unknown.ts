// Lengths that are not known yet: how many elements a mask selects, say. In: a text that says what will tell the length. Out: a
// number that stands for it in shapes, the same for the same text. No length is so large (2⁵³ < it < 2⁵⁴), so whoever checks
// lengths refuses it, sizes made of it are refused, and where chunks are cut it is what it is: an axis without a known end.
// Must hold: nothing is computed from such a number. Of what is, little is a length (adding 1 gives no such number, and no
// number that is one), and `makeExpr` refuses that.

import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { UnknownLengthError } from "./errors.ts";

/** Every fourth number, so that sums with small numbers are none of them: 2⁵³ + 4h + 2 with h < 2⁵¹. */
export function unknownLength(text: string): number {
  const bytes = sha256(utf8ToBytes(text));
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const h = view.getUint32(0) * 2 ** 19 + (view.getUint32(4) >>> 13);
  return 2 ** 53 + 4 * h + 2;
}

export const isUnknown = (length: number): boolean =>
  length > 2 ** 53 && length < 2 ** 54 && length % 4 === 2;

/** Of a shape. */
export function hasUnknown(lengths: readonly number[]): boolean {
  for (let i = 0; i < lengths.length; i++)
    if (lengths[i]! > Number.MAX_SAFE_INTEGER && isUnknown(lengths[i]!)) return true;
  return false;
}

/** How long several are one after another: another unknown length, where one of them is. */
export const lengthTogether = (lengths: readonly number[]): number =>
  hasUnknown(lengths) ? unknownLength(lengths.join(" + ")) : lengths.reduce((sum, n) => sum + n, 0);

export const lengthText = (length: number): string => (isUnknown(length) ? "?" : String(length));

/** A shape whose numbers somebody needs. */
export function knownLengths(lengths: readonly number[], what: string): readonly number[] {
  if (!hasUnknown(lengths)) return lengths;
  throw new UnknownLengthError({
    what: `${what} of an array of shape [${lengths.map(lengthText).join(", ")}] depends on its data`,
    cure: "Settle it first: x = await x.settle()",
  });
}
