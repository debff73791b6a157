// Nested data of a format: how rows are read partition by partition, and how they are written. In: files. Out: objects of
// which little is required.
// Must hold: a location is plain data of which every thread opens the same; what a partition is made of is known to the
// ragged room alone.

import type { Form } from "../../core/form/form.ts";
import type { FileArguments } from "../parquet/places.ts";
import type { WriteTarget } from "../parquet/target.ts";
import type { Answer, Look } from "./denseFormat.ts";

/** Where rows lie, as data: what another thread opens the same from. */
export interface TableLocation {
  /** The name of the format. */
  readonly format: string;
  readonly [name: string]: unknown;
}

/** Rows that lie somewhere, cut into partitions. What the built-in formats give has more: ragged/sources/source.ts. */
export interface Table {
  /** Of a row: "{x: float64, tags: var * string}", or a form. */
  readonly type: string | Form;
  /** How many rows each partition has; null where that is known only after reading. */
  readonly rows: readonly (number | null)[];
  /** For people; the files unless given. */
  readonly name?: string | undefined;
  /**
   * The rows of a partition: an array of chunkwise/ragged, or a list of what JSON can hold. `columns` are the fields that
   * are needed, as "jets.pt"; others may be left out.
   */
  read(partition: number, columns: readonly string[]): Answer<unknown>;
  /** About how many bytes of memory a partition takes. */
  bytesOf?(partition: number): number;
  /** Another text for another state of the files. */
  fingerprint?(): string;
}

/** A file that was written. */
export interface WrittenPart {
  /** Where it is. */
  readonly name: string;
  /** How many rows are in it. */
  readonly rows: number;
  /** How long it is. */
  readonly bytes: number;
}

/** Partitions in their order. */
export type Parts = AsyncIterable<unknown>;

/** A format of nested data. */
export interface RaggedFormat {
  /** Of nested data, not of arrays. */
  readonly kind: "ragged";
  /** By which `format` names it. */
  readonly name: string;
  /** How names of its files end: ".parquet". */
  readonly suffixes?: readonly string[] | undefined;
  /** Asked where the name says nothing. */
  recognises?(look: Look): Answer<boolean>;
  /** What lies in files; options are what the user gave beside them. */
  open(files: FileArguments, options: object): Answer<Table | object>;
  /** The same again, of a location. Not there: what `open` made of plain options is opened by it again. */
  openAt?(location: TableLocation): Answer<object>;
  /** One file, or a folder of them, as options say. Not there: rows are not written in this format. */
  write?(target: WriteTarget, form: Form, parts: Parts, options: object): Promise<readonly WrittenPart[]>;
  /** One partition as its file in a folder: for tasks that write their own. */
  writePart?(folder: string, at: number, part: unknown, options: object): Promise<WrittenPart>;
  /** An error when the folder has files of another table. */
  checkFolder?(folder: WriteTarget): Promise<void>;
}
