// Nodes that write: every partition becomes a file of its own in a folder, written by the task that made it. In: rows.
// Out: one row that says what was written. attrs: folder, and options as a text of JSON.

import { numpyForm, recordForm, stringForm } from "../../core/form/form.ts";
import { type RaggedOp as RaggedNode, raggedOf, raggedType } from "../../expr/op.ts";
import type { RaggedFormat } from "../../storage/formats/raggedFormat.ts";
import { type Layout, numpyOf, recordOf, stringOf } from "../layout/layout.ts";
import { jsonLinesFormat, parquetFormat } from "../sources/formats.ts";
import { rowsOf } from "./placewise.ts";

const WRITTEN = recordForm(
  ["name", "rows", "bytes"],
  [stringForm(), numpyForm("float64"), numpyForm("float64")],
);

function writer(name: string, { writePart }: RaggedFormat): RaggedNode {
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
      } = await writePart!(attrs["folder"] as string, box.start[0]!, rowsOf(input!), options);
      const text = new TextEncoder().encode(file);
      const numbers = [rows, bytes].map((n) => numpyOf(Float64Array.of(n)));
      return recordOf<Layout>(WRITTEN.fields, [stringOf(Int32Array.of(0, text.length), text), ...numbers], 1);
    },
    chunks: () => [1],
  };
}

const writeParquetFiles: RaggedNode = writer("rg.writeParquetFiles", parquetFormat);
const writeJsonFiles: RaggedNode = writer("rg.writeJsonFiles", jsonLinesFormat);

/** By format: those whose partitions tasks write themselves. */
export const WRITERS: ReadonlyMap<string, RaggedNode> = new Map([
  [parquetFormat.name, writeParquetFiles],
  [jsonLinesFormat.name, writeJsonFiles],
]);
