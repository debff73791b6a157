// Plans as pictures.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";
import { visualize } from "chunkwise/observe";

const folder = await mkdtemp(join(tmpdir(), "chunkwise-visualizing-"));

const u = cw.asarray(new Float64Array(10_000), { chunks: 1000 });
const anomaly = u.subtract(u.mean());

// As text that GitHub draws.
console.log(await visualize(anomaly, { format: "mermaid" }));

// As a file. Its name says the format: .svg, .dot or .mmd.
const file = join(folder, "anomaly.svg");
await visualize(anomaly, { file });
assert.match(await readFile(file, "utf8"), /^<svg/);

// Before anything is fused, and several arrays in one plan.
const dot = await visualize([anomaly, u.std()], { format: "dot", optimize: false });
console.log(dot.split("\n").length, "lines of DOT");

// A plan that is there already.
const text = await visualize(anomaly.plan(), { format: "mermaid" });
assert.equal(text, await visualize(anomaly, { format: "mermaid" }));

// Operations that need more memory than a task may use are red.
const large = cw.mapBlocks((block) => block, cw.ones([8000, 4000], { chunks: "all" }));
const spec = new cw.Spec({ allowedMem: "200MB", reservedMem: "100MB" });
const picture = await visualize(large, { format: "mermaid", spec });
console.log(picture.match(/memory [^"]*/)![0]);

await rm(folder, { recursive: true });
