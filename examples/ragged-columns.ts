// Necessary columns: of a table with nested columns only those are read that the result needs.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as rg from "chunkwise/ragged";

const folder = mkdtempSync(join(tmpdir(), "chunkwise-columns-"));
const path = join(folder, "data.parquet");

// Nested lists and objects, as they come: integers `foo`, lists of integers `bar.x`, numbers `bar.y`.
const data = rg.fromIter([
  { foo: 5, bar: { x: [-1, -2], y: -2.2 } },
  { foo: 6, bar: { x: [-3], y: 3.3 } },
  { foo: 7, bar: { x: [-5, -6, -7], y: -4.4 } },
  { foo: 8, bar: { x: [8, 9, 10, 11, 12], y: 5.5 } },
]);
console.log(data.type);
await rg.toParquet(rg.lazy(data, { npartitions: 2 }), path);

// Opening reads the footer alone. Nothing is computed until it is asked for.
const ds = await rg.fromParquet(path, { name: "data" });
const result = ds.field("bar", "x").divide(ds.field("foo"));
console.log(String(result));

// bar.y is not needed, so it is not read.
console.log(rg.necessaryColumns(result));
console.log((await result.compute()).toList());
assert.deepEqual(rg.necessaryColumns(result), { data: ["foo", "bar.x"] });

// Why every column is read, for which operation of which line, and how many bytes it has.
for (const { column, reason, bytes, line } of rg.explainColumns(result).columns) {
  console.log(`${column}: ${reason} (${bytes} B)`);
  assert.match(line!, /ragged-columns/);
}

// How long lists are is stored with any of their columns: the smallest is enough.
console.log(rg.explainColumns(rg.num(ds.field("bar", "x"))).columns[0]!.reason);

// The pass is one of the pipeline, and can be turned off: then everything is read. The result is the same.
const whole = await result.compute({ exclude: ["necessaryColumns"] });
assert.deepEqual(whole.toList(), (await result.compute()).toList());

// A function that looks at values cannot be traced. It gets all columns of its own arguments, with a warning that says
// why, unless onFail is "pass" or "raise".
const sums = (part: rg.RaggedArray): rg.RaggedArray =>
  rg.fromIter(part.toList().map((x) => (x as number[]).reduce((sum, n) => sum + n, 0)));
const opaque = rg.mapPartitions(sums, ds.field("bar", "x"), { type: "int64" });
console.log((await opaque.compute({ onFail: "pass" })).toList());
try {
  rg.necessaryColumns(opaque, { onFail: "raise" });
} catch (error) {
  assert.ok(error instanceof rg.ProjectionError);
  console.log(error.what.split(":")[0]);
}

// One that can be traced says itself what it needs.
const lengths = rg.mapPartitions((part: rg.RaggedArray) => part.field("bar", "x").sum({ axis: 1 }), ds);
console.log(rg.necessaryColumns(lengths, { onFail: "raise" }));

rmSync(folder, { recursive: true });
