// Nodes that write: every partition becomes a file of its own in a folder, written by the task that made it. In: rows.
// Out: one row that says what was written. attrs: folder, and options as a text of JSON.

import { numpyForm, recordForm, stringForm } from "../../core/form/form.ts";
import type { RaggedOp as RaggedNode } from "../../expr/op.ts";
import { raggedOf, raggedType } from "../../expr/type.ts";
import { type Layout, numpyOf, recordOf, stringOf } from "../layout/layout.ts";
import { type JsonOptions, writeJsonPartition } from "../sources/jsonLinesSink.ts";
import { type EncodeOptions, writeParquetPartition } from "../sources/parquetSink.ts";
import { rowsOf } from "./placewise.ts";

const WRITTEN = recordForm(
  ["name", "rows", "bytes"],
  [stringForm(), numpyForm("float64"), numpyForm("float64")],
);

export interface WrittenPart {
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
}

type WritePart = (folder: string, at: number, layout: Layout, options: object) => Promise<WrittenPart>;

function writer(name: string, write: WritePart): RaggedNode {
  return {
    name,
    class: "ragged",
    // Written again it would be another file's contents: not to be left out, and not to be moved.
    isOpaque: true,
    isPlacewise: true,
    infer: ([input]) => raggedType(WRITTEN, raggedOf(input!).partitions),
    demand: (out) => [out],
    async run([input], attrs, { box }) {
      const options = JSON.parse(attrs["options"] as string) as object;
      const {
        name: file,
        rows,
        bytes,
      } = await write(attrs["folder"] as string, box.start[0]!, rowsOf(input!), options);
      const text = new TextEncoder().encode(file);
      const numbers = [rows, bytes].map((n) => numpyOf(Float64Array.of(n)));
      return recordOf<Layout>(WRITTEN.fields, [stringOf(Int32Array.of(0, text.length), text), ...numbers], 1);
    },
    chunks: () => [1],
  };
}

export const writeParquetFiles: RaggedNode = writer("rg.writeParquetFiles", (folder, at, layout, options) =>
  writeParquetPartition(folder, at, layout, options as EncodeOptions),
);

export const writeJsonFiles: RaggedNode = writer("rg.writeJsonFiles", (folder, at, layout, options) =>
  writeJsonPartition(folder, at, layout, options as JsonOptions),
);
