// Ragged arrays: nested lists and records, in memory and lazily, in partitions.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";
import * as rg from "chunkwise/ragged";

const folder = mkdtempSync(join(tmpdir(), "chunkwise-ragged-"));
const place = (name: string): string => join(folder, name);
const show = (value: unknown): void => console.log(JSON.stringify(value));

// Lists of any length, records, text, nulls.
const table = rg.fromIter([
  { id: 1, met: 12.5, pt: [40, 25], eta: [0.1, -1.5] },
  { id: 2, met: null, pt: [], eta: [] },
  { id: 3, met: 80, pt: [90, 60, 20], eta: [0.7, 2, -0.3] },
]);
console.log(table.type);

// Lists that are equally long become lists of records.
const jets = rg.zip({ pt: table.field("pt"), eta: table.field("eta") });
const events = rg.zip({ id: table.field("id"), met: table.field("met"), jets }, { depthLimit: 1 });
console.log(events.type);
show(events.get(0));

// Fields, at any depth.
const pt = events.field("jets", "pt");
show(pt);
show(events.get(["id", "met"]));

// In memory everything is done at once.
show(pt.multiply(2).get(0));
show(rg.num(pt));

console.log("\nSlices\n");
// Rows, places within lists, ranges, lists of places (null in it gives null).
show(pt.get("1:"));
show(pt.get(":", "0:1"));
show(pt.get([2, null, 0]));
show(rg.firsts(pt));

// Masks of the same lists choose within lists; masks of rows choose rows.
show(pt.get(pt.greater(30)));
show(pt.get(rg.num(pt).greater(0), 0));

// The largest of each list, wherever it is.
show(events.field("jets").get(rg.argmax(pt, { axis: 1, keepdims: true })));

console.log("\nReductions\n");
// Along any axis. Nulls are left out; an empty list has no largest element.
show(rg.sum(pt, { axis: 1 }));
show(rg.max(pt, { axis: 1 }));
show(rg.mean(pt));
show(rg.sum(pt, { axis: 0 }));

// Decimals, dates, times and spans are what they are: read so from files, or made of texts.
console.log("\nLogical types\n");
const sales = rg.zip({
  day: rg.valuesAstype(["2024-02-28", "2024-02-29", null], "date"),
  price: rg.valuesAstype(["19.99", "5.00", "0.10"], "decimal(10, 2)"),
  at: rg.fromIter([new Date("2024-02-28T12:00:00Z"), null, null]),
});
console.log(sales.type);
show(sales.get(0));

// Arithmetic is exact; texts and Dates are taken beside them.
show(rg.sum(sales.field("price")));
show(sales.field("price").add(0.001));
show(sales.field("day").add("P1DT12H"));
show(sales.field("day").greater("2024-02-28"));
show(rg.max(sales.field("day")));

// As numbers: a decimal is its value, a time the count of its units.
show(rg.valuesAstype(sales.field("price"), "float64"));
show(rg.valuesAstype(sales.field("day"), "int64"));

// Every element with every other of its list.
console.log("\nPairs\n");
const pairs = rg.combinations(pt, 2, { fields: ["a", "b"] });
show(pairs.field("a").add(pairs.field("b")));
show(rg.cartesian({ jet: pt, event: rg.singletons(events.field("id")) }).get(0));

// Another field for records.
const spread = rg.subtract(rg.max(pt, { axis: 1 }), rg.min(pt, { axis: 1 }));
const more = rg.withField(events, rg.fillNone(spread, 0), "spread");
show(more.field("spread"));

// The same functions on a lazy array make a lazy array: of files, of lists, of arrays in memory.
console.log("\nLazily\n");
const lazy = rg.lazy(events, { npartitions: 2 });
const hard = lazy.get(rg.any(lazy.field("jets", "pt").greater(50), { axis: 1 }));
console.log(String(hard.field("id")));
show(await hard.field("id").compute());

// One value is lazy too, and goes with all partitions.
const mean = lazy.field("jets", "pt").mean();
show(await mean.compute());
const centred = lazy.field("jets", "pt").subtract(mean);
const [first, most] = await rg.compute([centred.get(0), centred.max()]);
show(first);
show(most);

// Parquet and JSON lines, one file or a folder of them.
console.log("\nFiles\n");
await rg.toParquet(lazy, place("events.parquet"), { codec: "zstd" });
const parts = await rg.toParquet(lazy, place("parts"), { files: "perPartition" });
show(parts.map(({ rows }) => rows));
const opened = await rg.fromParquet(place("parts/*.parquet"), { name: "events" });
console.log(opened.type, opened.divisions);
await rg.toJsonLines(opened.field("jets"), place("jets.jsonl"));
const lines = await rg.fromJsonLines(place("jets.jsonl"), { name: "lines" });
show(await lines.field("pt").compute());

// Row groups that the filter rules out, by their statistics, are not read at all.
const late = await rg.fromParquet(place("events.parquet"), { filter: ["id", ">", 1] });
show(await late.field("id").compute());

// Partitions are row groups, parts of files, lists: known by their divisions where rows are counted.
console.log("\nPartitions\n");
const three = rg.repartition(opened, { npartitions: 3 });
show(three.divisions);
show(rg.repartition(three, { divisions: [0, 2, 3] }).divisions);
show(await rg.localIndex(three, { axis: 0 }).compute());

// A function of our own for each partition. This one is traced: it says what it needs.
const ratio = rg.mapPartitions((part: rg.RaggedArray) => {
  const jets = part.field("jets", "pt");
  return jets.divide(jets.sum({ axis: 1 }));
}, opened);
console.log(rg.necessaryColumns(ratio));
show(await ratio.compute());

// Dense arrays and back: lists that are padded to one length.
console.log("\nDense\n");
const padded = rg.fillNone(rg.padNone(opened.field("jets", "pt"), 2, { clip: true }), 0);
const dense = rg.toNumpy(rg.toRegular(padded, { size: 2 }));
console.log(dense.shape, dense.dtype);
console.log((await dense.sum({ axis: 0 }).compute()).toList());
const back = rg.fromNumpy(cw.linspace(0, 1, 6).reshape([3, 2]));
console.log(back.type);

// The plan is that of any computation: operations, tasks, memory.
console.log("\nThe plan\n");
console.log(String(rg.plan(rg.num(opened.field("jets")).sum())));

// Mistakes are told where they are made.
console.log("\nErrors\n");
try {
  opened.field("jets", "ptt");
} catch (error) {
  assert.ok(error instanceof cw.IndexError);
  console.log(error.message);
}
try {
  await opened.field("jets").get(":", 2).compute({ executor: "inline" });
} catch (error) {
  assert.ok(error instanceof cw.RunError);
  console.log(error.chunk, (error.cause as Error).message.split(".")[0]);
}

rmSync(folder, { recursive: true });
