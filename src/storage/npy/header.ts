// The header of an npy file (versions 1 to 3). In: the first bytes of an object, from anybody. Out: how its elements are stored, its
// shape and where they begin; or the header of a new file.
// Must hold: sizes are checked before anything is made of them; what holds Python's objects is refused, never read.

import { describe, isLength, type Shape } from "../../core/chunks.ts";
import { CorruptDataError, MetadataError, NotSupportedError } from "../errors.ts";
import { type Endian, type StoredType, typeFromV2, typeToV2 } from "../zarr/storedType.ts";
import type { Json } from "../zarr/zarrJson.ts";
import { type Literal, parseLiteral } from "./literal.ts";

export interface NpyHeader {
  readonly type: StoredType;
  readonly endian: Endian;
  readonly shape: Shape;
  /** The first axis is the fastest. */
  readonly isFortran: boolean;
  /** Where the elements begin. */
  readonly offset: number;
}

/** "\x93NUMPY" */
const MAGIC: readonly number[] = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
/** NumPy itself reads no more than 10,000 unless it is told to. */
const LONGEST = 1 << 20;
/** As many as NumPy has. */
const MOST_AXES = 64;

/** Bytes in which the length of the header is found. */
export const PREFIX_BYTES = 12;

export const isNpy = (bytes: Uint8Array): boolean => MAGIC.every((byte, i) => bytes[i] === byte);

/** Where elements begin, by the first bytes. */
export function headerEnd(prefix: Uint8Array, where: string): number {
  if (!isNpy(prefix))
    throw new MetadataError({
      what: "it does not begin as npy files do",
      where,
      cure: "Check the path: np.save writes such files",
    });
  const major = prefix[6]!;
  if (prefix.length < PREFIX_BYTES) throw cutShort(where, PREFIX_BYTES, prefix.length);
  if (major < 1 || major > 3)
    throw new NotSupportedError({
      what: `version ${major}.${prefix[7]} of the npy format is not supported`,
      where,
      cure: "Versions 1, 2 and 3 are",
    });
  const view = new DataView(prefix.buffer, prefix.byteOffset, prefix.byteLength);
  const [start, length] = major === 1 ? [10, view.getUint16(8, true)] : [12, view.getUint32(8, true)];
  if (length <= LONGEST) return start + length;
  throw new MetadataError({
    what: `a header of ${length} bytes, where ${LONGEST} are the most`,
    where,
    cure: "It is not what NumPy writes; write it again",
  });
}

export const cutShort = (where: string, wanted: number, found: number): CorruptDataError =>
  new CorruptDataError({
    what: `${wanted} bytes should be there and ${found} are`,
    where,
    cure: "The file was cut short; write it again",
  });

/** `bytes` are all up to where the elements begin. */
export function parseHeader(bytes: Uint8Array, where: string): NpyHeader {
  const start = bytes[6] === 1 ? 10 : 12;
  const text = new TextDecoder(bytes[6] === 3 ? "utf-8" : "latin1").decode(bytes.subarray(start));
  const fields = parseLiteral(text, where);
  const wrong = (what: string): never => {
    throw new MetadataError({ what, where, cure: "It is not what NumPy writes; write it again" });
  };
  if (!(fields instanceof Map)) return wrong("the header of the npy file is no dictionary");
  const [descr, isFortran, shape] = ["descr", "fortran_order", "shape"].map((name) => fields.get(name));
  if (typeof isFortran !== "boolean") return wrong(`fortran_order is ${describe(isFortran)}`);
  const { type, endian } = elementType(descr, where);
  return { type, endian, shape: checkedShape(shape, type, where), isFortran, offset: bytes.length };
}

function elementType(descr: Literal | undefined, where: string): { type: StoredType; endian: Endian } {
  if (typeof descr === "string" && /^\|?O/.test(descr))
    throw new NotSupportedError({
      what: "the file holds objects of Python, which only Python can make anything of",
      where,
      cure: "Save an array of numbers: np.save(path, x.astype(float))",
    });
  if (Array.isArray(descr))
    throw new NotSupportedError({
      what: "a structured dtype is not supported",
      where,
      cure: "Save its fields one by one: np.save(path, x['field'])",
    });
  return typeFromV2(descr as Json | undefined, where);
}

function checkedShape(shape: Literal | undefined, { bytes }: StoredType, where: string): Shape {
  const wrong = (what: string): never => {
    throw new MetadataError({ what, where, cure: "It is not what NumPy writes; write it again" });
  };
  if (!Array.isArray(shape) || shape.length > MOST_AXES) return wrong(`the shape is ${describe(shape)}`);
  const bad = shape.findIndex((length) => !isLength(length));
  if (bad >= 0) wrong(`axis ${bad} of the shape is ${describe(shape[bad])}`);
  const lengths = shape as readonly number[];
  const isEmpty = lengths.includes(0);
  let size = bytes;
  for (const length of lengths) {
    size *= length;
    if (!isEmpty && size > Number.MAX_SAFE_INTEGER)
      wrong(`an array of shape ${lengths.join(" × ")} has more bytes than there can be`);
  }
  return lengths;
}

/** The header of a new file, as NumPy writes it: little-endian, C order, and as long as makes elements lie well. */
export function headerBytes(type: StoredType, shape: Shape): Uint8Array {
  const lengths = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  const text = `{'descr': '${typeToV2(type, "little")}', 'fortran_order': False, 'shape': (${lengths}), }`;
  const length = Math.ceil((10 + text.length + 1) / 64) * 64 - 10;
  const bytes = new Uint8Array(10 + length).fill(0x20);
  bytes.set([...MAGIC, 1, 0, length & 255, length >> 8]);
  bytes.set(new TextEncoder().encode(text), 10);
  bytes[bytes.length - 1] = 0x0a;
  return bytes;
}
