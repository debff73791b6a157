// The eight benchmark queries of high energy physics, in one computation over one file: what is read, what is counted, pictures.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as rg from "chunkwise/ragged";
import { writeEvents } from "./adl/events.ts";
import { q1, q2, q3, q4, q5, q6, q7, q8 } from "./adl/queries.ts";

const folder = mkdtempSync(join(tmpdir(), "chunkwise-adl-"));
await writeEvents(join(folder, "events.parquet"), 3000);
const events = await rg.fromParquet(join(folder, "events.parquet"), { name: "events" });

const queries = [q1, q2, q3, q4, q5, q6, q7, q8].flatMap((query) => query(events));
for (const query of queries) console.log(query.axes[0]!.label, query.necessaryColumns()["events"]!.join(" "));

// All of them at once: every column is read once.
const results = await rg.compute(queries);
results.forEach((result, at) => {
  console.log(String(result));
  writeFileSync(join(folder, `${at + 1}.svg`), result.toSVG());
});
assert.equal(readdirSync(folder).filter((name) => name.endsWith(".svg")).length, 9);
rmSync(folder, { recursive: true });
