// Which files and functions of the sources two computations walk through, as they run: fromZarr, add, mean, toZarr; and
// fromParquet, field, sum, compute. `npm run trace [-- --files]`. In: the built package with its source maps. Out: how many
// functions in how many files each of them enters, by room, and how many of the files both do; with --files their names.
// Must hold: a function counts when it was entered during the walk; what importing the package runs does not count.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { SourceMap } from "node:module";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as cw from "../dist/index.js";
import * as rg from "../dist/ragged.js";

const DIST = resolve(import.meta.dirname, "..", "dist");
const { values } = parseArgs({ options: { files: { type: "boolean", default: false } } });

const dense = async (folder) => {
  const x = await cw.fromZarr(join(folder, "x.zarr"));
  await x.add(1).mean({ axis: 0 }).toZarr(join(folder, "mean.zarr"));
};
const ragged = async (folder) => {
  const x = await rg.fromParquet(join(folder, "x.parquet"));
  await rg.sum(x.field("jets"), { axis: 1 }).compute();
};

async function prepare(folder) {
  await cw.ones([200, 30], { chunks: [50, 30] }).toZarr(join(folder, "x.zarr"));
  const rows = Array.from({ length: 100 }, (_, i) => ({
    jets: Array.from({ length: i % 4 }, () => i),
    met: i,
  }));
  await rg.toParquet(rg.fromIter(rows), join(folder, "x.parquet"));
}

/** Where each line of a text begins. */
const lineStarts = (text) => [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];

/** From a place in a built file to its source; a file's map is read once. */
class Sources {
  #known = new Map();

  #of(url) {
    if (!this.#known.has(url)) {
      const path = fileURLToPath(url);
      const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, "utf8")));
      this.#known.set(url, { map, starts: lineStarts(readFileSync(path, "utf8")) });
    }
    return this.#known.get(url);
  }

  /** The name of a file below src, or null for one of a dependency. */
  fileAt(url, offset) {
    const { map, starts } = this.#of(url);
    const line = starts.findLastIndex((start) => start <= offset);
    const { originalSource } = map.findEntry(line, offset - starts[line]);
    return originalSource?.match(/\/src\/(.*)$/)?.[1] ?? null;
  }
}

/** By file, how many of its functions a walk enters. */
async function walk(session, sources, run) {
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await run();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  await session.post("Profiler.stopPreciseCoverage");
  const files = new Map();
  for (const { url, functions } of result) {
    if (!url.startsWith("file:") || !fileURLToPath(url).startsWith(DIST)) continue;
    for (const { ranges, functionName } of functions) {
      const [{ count, startOffset }] = ranges;
      const isModule = functionName === "" && startOffset === 0;
      const file = count > 0 && !isModule ? sources.fileAt(url, startOffset) : null;
      if (file !== null) files.set(file, (files.get(file) ?? 0) + 1);
    }
  }
  return files;
}

const roomOf = (file) => (file.includes("/") ? file.split("/")[0] : basename(file));

function report(name, files) {
  const functions = [...files.values()].reduce((sum, count) => sum + count, 0);
  const rooms = new Map();
  for (const file of files.keys()) rooms.set(roomOf(file), (rooms.get(roomOf(file)) ?? 0) + 1);
  const byRoom = [...rooms].sort(([, a], [, b]) => b - a).map(([room, count]) => `${room} ${count}`);
  console.log(`${name}: ${functions} functions in ${files.size} files (${byRoom.join(", ")})`);
  if (values.files) for (const [file, count] of [...files].sort()) console.log(`  ${file} ${count}`);
}

const folder = mkdtempSync(join(tmpdir(), "chunkwise-trace-"));
const session = new Session();
session.connect();
try {
  await prepare(folder);
  await session.post("Profiler.enable");
  const sources = new Sources();
  const walks = {};
  for (const [name, run] of Object.entries({ dense, ragged }))
    walks[name] = await walk(session, sources, () => run(folder));
  report("dense", walks.dense);
  report("ragged", walks.ragged);
  const shared = [...walks.ragged.keys()].filter((file) => walks.dense.has(file)).length;
  console.log(
    `shared: ${shared} files, ${Math.round((100 * shared) / walks.ragged.size)} % of the ragged walk`,
  );
} finally {
  session.disconnect();
  rmSync(folder, { recursive: true, force: true });
}
