// A column chunk of more than 2 GiB, in a file with holes: runs of its rows are partitions, and each reads its own pages.

import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import * as rg from "chunkwise/ragged";
import { afterAll, expect, test } from "vitest";
import { ENCODINGS, PHYSICAL } from "../../src/storage/parquet/names.ts";
import { i32, i64, Struct, thriftBytes } from "../../src/storage/parquet/thrift.ts";
import { temporaryFolder } from "./support.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const PAGE_ROWS = 2 ** 20;
const PAGES = 330;

/** Pages of zeros, uncompressed, of which only the headers and the first value, its number, are written. */
function sparseFile(path: string): void {
  const size = 8 * PAGE_ROWS;
  const rle = i32(ENCODINGS.indexOf("rle"));
  const data = new Struct([1, i32(PAGE_ROWS)], [2, i32(ENCODINGS.indexOf("plain"))], [3, rle], [4, rle]);
  const header = thriftBytes(new Struct([1, i32(0)], [2, i32(size)], [3, i32(size)], [5, data]));
  const file = openSync(path, "w");
  let at = 4;
  const first = new Float64Array(1);
  for (let page = 0; page < PAGES; page++) {
    writeSync(file, header, 0, header.length, at);
    first[0] = page;
    writeSync(file, new Uint8Array(first.buffer), 0, 8, at + header.length);
    at += header.length + size;
  }
  ftruncateSync(file, at);
  const rows = PAGES * PAGE_ROWS;
  const meta = new Struct(
    [1, i32(PHYSICAL.indexOf("double"))],
    ...([
      [2, [i32(0)]],
      [3, ["x"]],
      [4, i32(0)],
      [5, i64(rows)],
    ] as const),
    ...([
      [6, i64(at - 4)],
      [7, i64(at - 4)],
      [9, i64(4)],
    ] as const),
  );
  const group = new Struct([1, [new Struct([2, i64(4)], [3, meta])]], [2, i64(at - 4)], [3, i64(rows)]);
  const schema = [
    new Struct([4, "root"], [5, i32(1)]),
    new Struct([1, i32(PHYSICAL.indexOf("double"))], [3, i32(0)], [4, "x"]),
  ];
  const footer = thriftBytes(new Struct([1, i32(1)], [2, schema], [3, i64(rows)], [4, [group]]));
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, footer.length, true);
  const end = Buffer.concat([footer, length, Buffer.from("PAR1")]);
  writeSync(file, end, 0, end.length, at);
  writeSync(file, Buffer.from("PAR1"), 0, 4, 0);
  closeSync(file);
}

test("more than 2 GiB of a column", async () => {
  const path = folder.path("large.parquet");
  sparseFile(path);
  const data = await rg.fromParquet(path, { partitionBytes: "32MB" });
  expect(data.divisions!.at(-1)).toBe(PAGES * PAGE_ROWS);
  expect(data.npartitions).toBeGreaterThan(80);
  const x = data.field("x");
  const at = 321 * PAGE_ROWS;
  const rows = (await (x.get(`${at - 2}:${at + 3}`) as rg.LazyRagged).compute()) as rg.RaggedArray;
  expect(rows.toList()).toEqual([0, 0, 321, 0, 0]);
  expect(rg.plan(x.sum()).maxProjectedMem).toBeLessThan(200e6);
});
