// What is used of apache-arrow: the parts of its vectors and tables. The package itself is not needed for that.

import type { TypedArray } from "../../core/dtype.ts";

/** What is used of Arrow's types. */
export interface ArrowType {
  readonly typeId: number;
  readonly bitWidth?: number;
  readonly isSigned?: boolean;
  readonly precision?: number;
  readonly listSize?: number;
  readonly mode?: number;
  readonly typeIds?: ArrayLike<number>;
  readonly children?:
    | readonly { readonly name: string; readonly metadata?: ReadonlyMap<string, string> | null }[]
    | null;
}
export interface ArrowData {
  readonly type: ArrowType;
  readonly length: number;
  readonly offset: number;
  readonly nullCount: number;
  readonly values: TypedArray;
  readonly valueOffsets: Int32Array | BigInt64Array;
  readonly nullBitmap: Uint8Array | null | undefined;
  readonly typeIds: ArrayLike<number>;
  readonly children: readonly ArrowData[];
  readonly dictionary?: ArrowVector | undefined;
}
/** What is used of a vector of apache-arrow. */
export interface ArrowVector {
  /** Its chunks. */
  readonly data: readonly ArrowData[];
}
/** What is used of a table of apache-arrow. */
export interface ArrowTable {
  /** Its record batches. */
  readonly batches: readonly { readonly data: ArrowData }[];
}
