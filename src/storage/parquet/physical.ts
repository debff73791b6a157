// Values as they are stored: bytes of a fixed width one after another, or byte arrays with offsets. In: the values of a
// leaf and which of them are wanted. Out: just those, converted to the physical type; shared with the input where
// nothing has to change.

import type { TypedArray } from "../../core/dtype.ts";
import type { Values } from "./column.ts";
import type { LeafType } from "./schema.ts";
import type { Shredded } from "./shred.ts";

export type PhysicalValues =
  | { readonly kind: "fixed"; readonly count: number; readonly width: number; readonly bytes: Uint8Array }
  /** The first offset need not be 0. */
  | {
      readonly kind: "bytes";
      readonly count: number;
      readonly offsets: Int32Array;
      readonly bytes: Uint8Array;
    };

type Positions = Shredded["positions"];

export function physicalValues(values: Values, positions: Positions, type: LeafType): PhysicalValues {
  const count = positions instanceof Int32Array ? positions.length : positions.count;
  switch (values.kind) {
    case "bytes":
      return chosenBytes(values.offsets, values.data, positions);
    case "fixed":
      return {
        kind: "fixed",
        count,
        width: values.size,
        bytes: chosenFixed(values.data, values.size, positions),
      };
    case "numbers": {
      const data = converted(chosenNumbers(values.data, positions), type);
      return { kind: "fixed", count, width: data.BYTES_PER_ELEMENT, bytes: bytesOf(data) };
    }
  }
}

const bytesOf = (data: TypedArray): Uint8Array =>
  new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

function chosenNumbers(data: TypedArray, positions: Positions): TypedArray {
  if (!(positions instanceof Int32Array))
    return data.subarray(positions.from, positions.from + positions.count) as TypedArray;
  const ArrayOf = data.constructor as new (length: number) => TypedArray;
  const result = new ArrayOf(positions.length);
  for (let i = 0; i < positions.length; i++) result[i] = data[positions[i]!]!;
  return result;
}

function chosenFixed(data: Uint8Array, size: number, positions: Positions): Uint8Array {
  if (!(positions instanceof Int32Array))
    return data.subarray(positions.from * size, (positions.from + positions.count) * size);
  const result = new Uint8Array(positions.length * size);
  for (let i = 0; i < positions.length; i++)
    result.set(data.subarray(positions[i]! * size, (positions[i]! + 1) * size), i * size);
  return result;
}

function chosenBytes(offsets: Int32Array, data: Uint8Array, positions: Positions): PhysicalValues {
  if (!(positions instanceof Int32Array)) {
    const { from, count } = positions;
    return { kind: "bytes", count, offsets: offsets.subarray(from, from + count + 1), bytes: data };
  }
  const count = positions.length;
  const starts = new Int32Array(count + 1);
  for (let i = 0; i < count; i++)
    starts[i + 1] = starts[i]! + offsets[positions[i]! + 1]! - offsets[positions[i]!]!;
  const bytes = new Uint8Array(starts[count]!);
  for (let i = 0; i < count; i++)
    bytes.set(data.subarray(offsets[positions[i]!]!, offsets[positions[i]! + 1]!), starts[i]!);
  return { kind: "bytes", count, offsets: starts, bytes };
}

/** Short integers are stored as int32. */
const converted = (data: TypedArray, { physical }: LeafType): TypedArray =>
  physical === "int32" && data.BYTES_PER_ELEMENT < 4 ? Int32Array.from(data as Int16Array) : data;

/** `values` from `from` to `to`, without copies. */
export function slicePhysical(values: PhysicalValues, from: number, to: number): PhysicalValues {
  const count = to - from;
  if (values.kind === "bytes") return { ...values, count, offsets: values.offsets.subarray(from, to + 1) };
  return { ...values, count, bytes: values.bytes.subarray(from * values.width, to * values.width) };
}

/** The bytes that plain values take. */
export const plainSize = (values: PhysicalValues): number =>
  values.kind === "fixed"
    ? values.bytes.length
    : 4 * values.count + values.offsets[values.count]! - values.offsets[0]!;
