// The readers, each asked for the same thing: `met`, `jets.pt` and the offsets of `jets`, as whole typed arrays. In: a
// path. Out: { met: Float64Array, pt: Float32Array, offsets: Int32Array }. They are loaded when asked for, so that a
// process has one of them.

import { openAsBlob } from "node:fs";

/** Pieces of one table, put together at the end. */
class Pieces {
  met = [];
  pt = [];
  /** Lengths of lists, or offsets from which they follow. */
  offsets = [];

  add(met, pt, offsets) {
    this.met.push(met);
    this.pt.push(pt);
    this.offsets.push(offsets);
  }

  whole() {
    return {
      met: joined(this.met, Float64Array),
      pt: joined(this.pt, Float32Array),
      offsets: joinedOffsets(this.offsets),
    };
  }
}

function joined(parts, ArrayOf) {
  const result = new ArrayOf(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    result.set(part, at);
    at += part.length;
  }
  return result;
}

function joinedOffsets(parts) {
  const result = new Int32Array(parts.reduce((sum, part) => sum + part.length - 1, 1));
  let at = 0;
  for (const part of parts) {
    const shift = result[at] - part[0];
    for (let i = 1; i < part.length; i++) result[at + i] = part[i] + shift;
    at += part.length - 1;
  }
  return result;
}

/** By the public functions: which columns are read follows from what is computed. */
async function chunkwise() {
  const rg = await import("../../dist/ragged.js");
  return async (path) => {
    const events = await rg.fromParquet(path);
    const [met, pt] = await rg.compute([events.field("met"), events.field("jets", "pt")]);
    // The file's columns may have nulls, and have none.
    const there = (node) => (node.kind === "indexedOption" ? node.content : node);
    const lists = there(pt.layout);
    return { met: there(met.layout).data, pt: there(lists.content).data, offsets: lists.offsets };
  };
}

async function duckdb(select, ptOf) {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const connection = await (await DuckDBInstance.create(":memory:", { threads: "2" })).connect();
  return async (path) => {
    const result = await connection.stream(`SELECT met, ${select} FROM '${path}'`);
    const pieces = new Pieces();
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) return pieces.whole();
      const lists = chunk.getColumnVector(1);
      const offsets = new Int32Array(chunk.rowCount + 1);
      // Each list has a start and a length; in a result they follow each other.
      for (let i = 0; i < chunk.rowCount; i++)
        offsets[i + 1] = offsets[i] + Number(lists.entryData[2 * i + 1]);
      pieces.add(chunk.getColumnVector(0).items.slice(), ptOf(lists.childData).items.slice(), offsets);
    }
  };
}

async function parquetWasm() {
  const { ParquetFile } = await import("parquet-wasm/node");
  const { tableFromIPC } = await import("apache-arrow");
  return async (path) => {
    const file = await ParquetFile.fromFile(await openAsBlob(path));
    const pieces = new Pieces();
    const groups = file.metadata().numRowGroups();
    for (let group = 0; group < groups; group++) {
      const read = await file.read({
        columns: ["met", "jets.list.element.pt"],
        rowGroups: [group],
        batchSize: 1 << 20,
      });
      for (const batch of tableFromIPC(read.intoIPCStream()).batches) {
        const [met, jets] = batch.data.children;
        pieces.add(met.values, jets.children[0].children[0].values, jets.valueOffsets);
      }
    }
    return pieces.whole();
  };
}

export const READERS = {
  chunkwise,
  "duckdb, list_transform": () => duckdb("list_transform(jets, lambda j: j.pt)", (data) => data),
  "duckdb, whole jets": () => duckdb("jets", (data) => data.entryVectors[0]),
  "parquet-wasm": parquetWasm,
};
