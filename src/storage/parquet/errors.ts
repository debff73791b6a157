// What can be wrong with a Parquet file, as typed errors that name the file, the row group and the column.
// Decoders know bytes and not places: they throw Damage, and whoever knows the place turns it into a typed error.

import type { ErrorParts } from "../../core/errors.ts";
import { CorruptDataError, MetadataError, messageOf, NotSupportedError, StorageError } from "../errors.ts";

export interface Place {
  readonly file: string;
  readonly rowGroup?: number | undefined;
  readonly column?: string | undefined;
}

export function placeText({ file, rowGroup, column }: Place): string {
  const parts = [file];
  if (rowGroup !== undefined) parts.push(`row group ${rowGroup}`);
  if (column !== undefined) parts.push(`column ${column}`);
  return parts.join(", ");
}

/** Bytes that cannot be what a writer of Parquet wrote. */
export class ParquetDataError extends CorruptDataError {
  readonly file: string;
  readonly rowGroup: number | undefined;
  readonly column: string | undefined;

  constructor(parts: ErrorParts, place: Place, options?: ErrorOptions) {
    super({ ...parts, where: placeText(place) }, options);
    this.file = place.file;
    this.rowGroup = place.rowGroup;
    this.column = place.column;
  }
}

/** A file of a dataset whose columns are not those of the first file. */
export class SchemaMismatchError extends MetadataError {
  readonly file: string;
  readonly column: string;

  constructor(parts: ErrorParts, place: Place & { column: string }) {
    super({ ...parts, where: placeText(place) });
    this.file = place.file;
    this.column = place.column;
  }
}

/** What a decoder found wrong; the place is added further up. */
export class Damage extends Error {}

/** Something valid that is not read; the place is added further up. */
export class Unsupported extends Error {}

/** A caught value as the error to throw, with its place. Errors that are no fault of the data stay as they are. */
export function located(cause: unknown, place: Place): unknown {
  if (cause instanceof StorageError) return cause;
  if (cause instanceof Unsupported)
    return new NotSupportedError({ what: cause.message, where: placeText(place) }, { cause });
  // A RangeError: a view or an array was asked for something beyond its end.
  if (!(cause instanceof Damage || cause instanceof RangeError)) return cause;
  return new ParquetDataError(
    { what: messageOf(cause), cure: "The file is damaged or cut short; write it again" },
    place,
    { cause },
  );
}
