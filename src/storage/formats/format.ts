// Format: a way in which arrays lie in stores and files, as Zarr, npy, Parquet or JSON lines do. Built-in ones and those of
// users are the same: an object with a name, how it is recognised, how it is opened, and where it can, how it is written.
// It belongs to this room, below runs and ragged arrays, which open sources by it: what it says of them is core's.

import type { DenseFormat } from "./denseFormat.ts";
import type { RaggedFormat } from "./raggedFormat.ts";

/**
 * A way in which arrays lie in stores and files.
 *
 * @example
 * const constant: Format = {
 *   kind: "dense",
 *   name: "zeros",
 *   suffixes: [".zeros"],
 *   open: () => ({ dtype: "float32", shape: [4], read: ({ shape }) => new Float32Array(shape[0]!) }),
 * };
 */
export type Format = DenseFormat | RaggedFormat;
