// An array of any format as a source of expressions: where it is, as data, and what planning may know of it. In: what a format
// opened. Out: a resource; one that is not an array is an error here, whoever made it.
// Must hold: its fingerprint says where it is and what its metadata say; what it holds can change, so runs that resume look
// at its state besides.

import { Resource, type StoredAccess } from "../../core/attrs.ts";
import { blockBytes } from "../../core/block.ts";
import { AUTO_CHUNK_BYTES, type ChunkShape } from "../../core/chunks.ts";
import { type DType, infoOf, isDType } from "../../core/dtype.ts";
import { checkShape, describe, type Shape } from "../../core/shape.ts";
import type { Transfer } from "../../core/transfer.ts";
import { NotSupportedError } from "../errors.ts";
import type { PlainData, StoreLocation } from "../store.ts";
import type { DenseArray, Place } from "./denseFormat.ts";

/** Where an array is, as data. */
export interface SourceLocation {
  /** The name of its format. */
  readonly format: string;
  readonly store: StoreLocation;
  readonly path: string;
  /** Not there where none were given. */
  readonly options?: PlainData;
}

/** The format that opened an array. */
export interface OpenedBy {
  readonly format: string;
  /** Other threads do not have it. */
  readonly isHereOnly: boolean;
  /** What the user gave beside the place. */
  readonly options: object;
}

export class StoredSource extends Resource {
  readonly array: DenseArray;
  readonly place: Place;
  readonly chunks: ChunkShape;
  readonly #by: OpenedBy;
  #transfer: Transfer | null = null;

  constructor(by: OpenedBy, place: Place, array: DenseArray) {
    super();
    this.#by = by;
    this.place = place;
    this.array = checked(array, by.format, place);
    this.chunks = array.chunks ?? rowChunks(array.shape, infoOf(array.dtype).bytes);
  }

  get format(): string {
    return this.#by.format;
  }

  /** Something of it that other threads cannot have, and what to do; null where they can have all. */
  get hereOnly(): { readonly what: string; readonly cure: string } | null {
    return hereOnly(this.#by, this.array);
  }

  /** The options that other threads are told. */
  get sentOptions(): PlainData | undefined {
    return plainOptions(this.#by.options);
  }

  /** null for a store that only this process can reach. */
  location(): SourceLocation | null {
    const store = this.place.store.location?.() ?? null;
    if (store === null) return null;
    const options = this.sentOptions;
    const given = options === undefined ? {} : { options };
    return { format: this.format, store: readPlace(store), path: this.place.path, ...given };
  }

  override transfer(): Transfer {
    const { array, chunks } = this;
    this.#transfer ??= array.transfer?.() ?? plainTransfer(array.dtype, chunks);
    return this.#transfer;
  }

  override access(): StoredAccess {
    return this.array.access?.() ?? { chunks: this.chunks, hasRuns: false };
  }

  fingerprint(): string {
    const { dtype, shape } = this.array;
    const { format: _, ...where } = this.location() ?? { format: "", here: this.id, path: this.place.path };
    const how = this.array.fingerprint?.() ?? `${dtype}[${shape}](${this.chunks})`;
    return `${this.format} ${JSON.stringify(where)} ${how}`;
  }
}

/** A source is only read: how its store writes is not part of where it is. */
const readPlace = (store: StoreLocation): StoreLocation =>
  store.kind === "file" ? { kind: "file", root: store.root } : store;

/** What must not be asked of other threads. */
export function hereOnly(
  { format, isHereOnly }: Pick<OpenedBy, "format" | "isHereOnly">,
  { hereOnly: codec }: Pick<DenseArray, "hereOnly">,
): { readonly what: string; readonly cure: string } | null {
  const [kind, name] = isHereOnly ? ["format", format] : ["codec", codec];
  if (name == null) return null;
  return {
    what: `the ${kind} ${name} is one that only this thread has`,
    cure: `Add it by its module: engine.${kind}s.add({name: "${name}", module: new URL("./${kind}.js", import.meta.url)})`,
  };
}

/** What stops the opening is not part of what is opened. */
function plainOptions(options: object): PlainData | undefined {
  const entries = Object.entries(options).filter(([name, value]) => name !== "signal" && value !== undefined);
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as PlainData);
}

/** Bounds where the format gives none: the elements as they were read, and as they are given. */
export function plainTransfer(dtype: DType, unit: Shape): Transfer {
  const bytes = 2 * blockBytes(dtype, unit);
  return { unit, atOnce: 1, encoded: bytes, aside: 0, decoding: 0, encoding: bytes, padded: 0 };
}

/** As many whole rows as make a chunk of the usual size; of rows that are longer, parts in the same way. */
export function rowChunks(shape: Shape, bytes: number, most: number = AUTO_CHUNK_BYTES): ChunkShape {
  const chunks = shape.map((length) => Math.max(1, length));
  for (let axis = 0; axis < shape.length; axis++) {
    const row = chunks.slice(axis + 1).reduce((product, length) => product * length, bytes);
    chunks[axis] = Math.max(1, Math.min(chunks[axis]!, Math.floor(most / row)));
    if (row <= most) break;
  }
  return chunks;
}

/** Formats of users may give anything. */
function checked(array: DenseArray, format: string, { path }: Place): DenseArray {
  const where = path === "" ? "/" : path;
  const cure = 'It must open {dtype: "float32", shape: [3, 4], chunks: [1, 4], read(box)}';
  const wrong = (what: string): never => {
    throw new NotSupportedError({ what: `the format ${format} gave ${what}`, where, cure });
  };
  if (typeof array !== "object" || array === null) return wrong(describe(array));
  if (!isDType(array.dtype)) wrong(`the dtype ${describe(array.dtype)}`);
  checkShape(array.shape as number[]);
  const { chunks, shape } = array;
  const isCut = (length: number): boolean => Number.isSafeInteger(length) && length > 0;
  if (chunks !== undefined && !(chunks.length === shape.length && chunks.every(isCut)))
    wrong(`the chunks ${describe(chunks)} for ${shape.length} axes`);
  if (typeof array.read !== "function" && typeof array.readInto !== "function")
    wrong("no way to read: neither read nor readInto");
  return array;
}
