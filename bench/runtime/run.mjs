// Storage and scheduling beside zarrita and Dask, in one run: `npm run bench:runtime -- --only codecs,partial`.
// Prints a table and, with --json, writes every figure. Times never fail it: a miss is a line in the table.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureCodecs } from "./codecs.mjs";
import { measureOverhead } from "./overhead.mjs";
import { measurePartial } from "./partial.mjs";
import { reportOf, verdictOf } from "./report.mjs";
import { measureTasks } from "./tasks.mjs";

const SECTIONS = {
  overhead: measureOverhead,
  tasks: measureTasks,
  codecs: measureCodecs,
  partial: measurePartial,
};

function readOptions() {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      codec: { type: "string" },
      rounds: { type: "string" },
      json: { type: "string" },
      python: { type: "string", default: "/usr/bin/python3" },
      quick: { type: "boolean", default: false },
    },
  });
  return {
    sections: values.only?.split(",") ?? Object.keys(SECTIONS),
    only: values.codec?.split(",") ?? null,
    rounds: Number(values.rounds ?? (values.quick ? 2 : 7)),
    json: values.json ?? null,
    python: values.python,
    quick: values.quick,
    progress: (text) => process.stderr.write(`${text}\n`),
  };
}

async function main() {
  const options = readOptions();
  const folder = mkdtempSync(join(tmpdir(), "chunkwise-bench-runtime-"));
  const rows = [];
  try {
    for (const section of options.sections) {
      const measured = await SECTIONS[section](folder, options);
      for (const row of measured) rows.push({ section, ...row, verdict: verdictOf(row) });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(reportOf(rows));
  const machine = { cpu: cpus()[0].model, cores: cpus().length, node: process.version };
  if (options.json !== null) writeFileSync(options.json, JSON.stringify({ machine, rows }, null, 1));
}

await main();
