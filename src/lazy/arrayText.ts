// NDArrays as text, much as NumPy prints them: nested brackets, aligned columns, long axes shortened.

import { type Shape, shapeText } from "../core/chunks.ts";
import { Complex, type Scalar, scalarText } from "../core/numbers.ts";

const EDGE = 3;
const SHORTEN_BEYOND = 1000;

/** What is printed of an array. */
interface Printed {
  readonly dtype: string;
  readonly shape: Shape;
  readonly size: number;
  item(...place: readonly number[]): Scalar | string;
}

export function ndarrayText(array: Printed): string {
  const places = shownPlaces(array);
  const texts = new Map<string, string>();
  let width = 0;
  for (const place of combinations(places)) {
    const text = elementText(array.item(...place));
    width = Math.max(width, text.length);
    texts.set(place.join(), text);
  }
  const body = nestedText(places, array.shape, [], (place) => texts.get(place.join())!.padStart(width), "");
  return `${body}\n${array.dtype} ${shapeText(array.shape)}`;
}

/** Floats to 8 significant digits, as NumPy shows them. */
function elementText(value: Scalar | string): string {
  if (typeof value === "string") return value;
  if (value instanceof Complex) return new Complex(shortened(value.re), shortened(value.im)).toString();
  return scalarText(typeof value === "number" ? shortened(value) : value);
}

/** A fraction must not come out as a whole number. */
function shortened(x: number): number {
  const short = Number(x.toPrecision(8));
  return Number.isInteger(x) || Number.isInteger(short) ? x : short;
}

/** Per axis the places that are shown; a long array shows both ends. */
function shownPlaces({ shape, size }: Printed): number[][] {
  return shape.map((length) => {
    const isShortened = size > SHORTEN_BEYOND && length > 2 * EDGE;
    if (!isShortened) return Array.from({ length }, (_, i) => i);
    return Array.from({ length: 2 * EDGE }, (_, i) => (i < EDGE ? i : length - 2 * EDGE + i));
  });
}

function* combinations(
  places: readonly (readonly number[])[],
  prefix: readonly number[] = [],
): Generator<number[]> {
  if (prefix.length === places.length) return yield [...prefix];
  for (const place of places[prefix.length]!) yield* combinations(places, [...prefix, place]);
}

function nestedText(
  places: readonly (readonly number[])[],
  shape: readonly number[],
  prefix: readonly number[],
  element: (place: readonly number[]) => string,
  indent: string,
): string {
  const axis = prefix.length;
  if (axis === places.length) return element(prefix);
  const shown = places[axis]!;
  const parts = shown.map((place) => nestedText(places, shape, [...prefix, place], element, `${indent} `));
  if (shown.length < shape[axis]!) parts.splice(EDGE, 0, "…");
  const separator = axis === places.length - 1 ? ", " : `,\n${indent} `;
  return `[${parts.join(separator)}]`;
}
