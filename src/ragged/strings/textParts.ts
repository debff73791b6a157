// Parts of texts, and texts made longer: ranges, trimming, padding, repeating. In: texts, and places counted in characters. Out: texts.

import { ValueError } from "../../core/errors.ts";
import { type NumpyLayout, numpyOf, type StringLayout } from "../layout/layout.ts";
import { KIND, kindOf } from "./characters.ts";
import {
  bytesOfText,
  codePointAt,
  countPoints,
  isSingle,
  isStart,
  rangesOf,
  TextBuilder,
  widthOf,
} from "./texts.ts";

/** How many characters each text has. */
export function lengths(texts: StringLayout): NumpyLayout {
  const { bytes, offsets, length } = texts;
  const isBytes = isSingle(texts);
  const halves = new Int32Array(2 * length);
  for (let i = 0; i < length; i++)
    halves[2 * i] = isBytes
      ? offsets[i + 1]! - offsets[i]!
      : countPoints(bytes, offsets[i]!, offsets[i + 1]!);
  return numpyOf(new BigInt64Array(halves.buffer));
}

/** Where the character with this number begins; the end where there are fewer. */
function byteOf(bytes: Uint8Array, from: number, to: number, character: number): number {
  let at = from;
  for (let left = character; left > 0 && at < to; left--) at += widthOf(bytes[at]!);
  return at;
}

export interface Range {
  readonly start: number;
  readonly stop: number | null;
  readonly step: number;
}

/** As Python's text[start:stop:step]. */
export function sliced(texts: StringLayout, { start, stop, step }: Range): StringLayout {
  const { bytes, offsets, length } = texts;
  const isBytes = isSingle(texts);
  if (step !== 1) return stepped(texts, { start, stop, step }, isBytes);
  const [starts, stops] = [new Int32Array(length), new Int32Array(length)];
  for (let i = 0; i < length; i++) {
    const [from, to] = [offsets[i]!, offsets[i + 1]!];
    const count = isBytes || (start >= 0 && (stop ?? -1) >= 0) ? to - from : countPoints(bytes, from, to);
    const first = placeIn(start, count);
    const last = Math.max(first, stop === null ? count : placeIn(stop, count));
    starts[i] = isBytes ? from + first : byteOf(bytes, from, to, first);
    stops[i] = isBytes ? from + last : stop === null ? to : byteOf(bytes, starts[i]!, to, last - first);
  }
  return rangesOf(texts, starts, stops);
}

const placeIn = (place: number, count: number): number =>
  Math.min(count, Math.max(0, place < 0 ? place + count : place));

function stepped(texts: StringLayout, { start, stop, step }: Range, isBytes: boolean): StringLayout {
  if (!Number.isSafeInteger(step) || step === 0)
    throw new ValueError({ what: `the step is ${step}`, cure: "Use a whole number other than 0" });
  const { bytes, offsets, length } = texts;
  const out = new TextBuilder(length, offsets[length]! - offsets[0]!);
  for (let i = 0; i < length; i++) {
    const places: number[] = [];
    for (let at = offsets[i]!; at < offsets[i + 1]!; at += isBytes ? 1 : widthOf(bytes[at]!)) places.push(at);
    const count = places.length;
    const first = step > 0 ? placeIn(start, count) : Math.min(count - 1, start < 0 ? start + count : start);
    const bound =
      stop === null
        ? step > 0
          ? count
          : -1
        : step > 0
          ? placeIn(stop, count)
          : stop < 0
            ? stop + count
            : stop;
    for (let k = first; step > 0 ? k < bound : k > bound && k >= 0; k += step)
      out.copy(bytes, places[k]!, places[k]! + (isBytes ? 1 : widthOf(bytes[places[k]!]!)));
    out.end();
  }
  return out.done(texts);
}

/** With characters start to before stop replaced. */
export function replacedSlice(texts: StringLayout, start: number, stop: number, by: string): StringLayout {
  const { bytes, offsets, length } = texts;
  const isBytes = isSingle(texts);
  const own = bytesOfText(by);
  const out = new TextBuilder(length, offsets[length]! - offsets[0]! + own.length * length);
  for (let i = 0; i < length; i++) {
    const [from, to] = [offsets[i]!, offsets[i + 1]!];
    const count = isBytes ? to - from : countPoints(bytes, from, to);
    const first = placeIn(start, count);
    const last = Math.max(first, placeIn(stop, count));
    const at = (place: number): number => (isBytes ? from + place : byteOf(bytes, from, to, place));
    out.copy(bytes, from, at(first));
    out.copy(own, 0, own.length);
    out.copy(bytes, at(last), to);
    out.end();
  }
  return out.done(texts);
}

export type Side = "left" | "right" | "both";

/** Which characters are taken away at the ends: these, or white space. */
export function trimmed(texts: StringLayout, side: Side, characters: string | null): StringLayout {
  const { bytes, offsets, length } = texts;
  const isBytes = isSingle(texts);
  const own = characters === null ? null : new Set([...characters].map((text) => text.codePointAt(0)!));
  const isOff = (code: number): boolean =>
    own === null ? (!isBytes || code < 128) && (kindOf(code) & KIND.space) !== 0 : own.has(code);
  const codeAt = (at: number): number => (isBytes ? bytes[at]! : codePointAt(bytes, at));
  const [starts, stops] = [new Int32Array(length), new Int32Array(length)];
  for (let i = 0; i < length; i++) {
    let [from, to] = [offsets[i]!, offsets[i + 1]!];
    if (side !== "right")
      while (from < to && isOff(codeAt(from))) from += isBytes ? 1 : widthOf(bytes[from]!);
    while (side !== "left" && to > from) {
      let last = to - 1;
      while (!isBytes && last > from && !isStart(bytes[last]!)) last--;
      if (!isOff(codeAt(last))) break;
      to = last;
    }
    starts[i] = from;
    stops[i] = to;
  }
  return rangesOf(texts, starts, stops);
}

/** As wide as `width` characters at least, by one more character on a side; on both, the odd one on the right. */
export function padded(texts: StringLayout, width: number, side: Side, padding: string): StringLayout {
  const own = bytesOfText(padding);
  if (countPoints(own, 0, own.length) !== 1)
    throw new ValueError({ what: `the padding is ${JSON.stringify(padding)}`, cure: "Use one character" });
  const { bytes, offsets, length } = texts;
  const isBytes = isSingle(texts);
  const out = new TextBuilder(length, offsets[length]! - offsets[0]! + length);
  const fill = (count: number): void => {
    if (own.length === 1) {
      out.grow(count);
      for (let i = 0; i < count; i++) out.bytes[out.at + i] = own[0]!;
      out.at += count;
    } else for (let i = 0; i < count; i++) out.copy(own, 0, own.length);
  };
  for (let i = 0; i < length; i++) {
    const [from, to] = [offsets[i]!, offsets[i + 1]!];
    const missing = Math.max(0, width - (isBytes ? to - from : countPoints(bytes, from, to)));
    const before = side === "left" ? missing : side === "both" ? missing >> 1 : 0;
    fill(before);
    out.copy(bytes, from, to);
    fill(missing - before);
    out.end();
  }
  return out.done(texts);
}

/** Each text counts[i] times; one count for all where there is one. */
export function repeated(texts: StringLayout, counts: ArrayLike<number>): StringLayout {
  const { bytes, offsets, length } = texts;
  const out = new TextBuilder(length, offsets[length]! - offsets[0]!);
  for (let i = 0; i < length; i++) {
    const times = counts[counts.length === 1 ? 0 : i]!;
    if (!(times >= 0))
      throw new ValueError({ what: `a text is repeated ${times} times`, cure: "Use 0 or more" });
    for (let k = 0; k < times; k++) out.copy(bytes, offsets[i]!, offsets[i + 1]!);
    out.end();
  }
  return out.done(texts);
}
