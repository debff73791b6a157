// What the queue and its workers cost, beside BullMQ alone and beside Dask distributed, in one run:
//   npm run bench:cluster [-- --only tasks,cases --rounds 7 --json file --python /usr/bin/python3]
// Needs redis-server; the cases need radosgw (Ceph) and a Python with dask, distributed and zarr 2. Prints a table and, with
// --json, writes every figure. A miss is a line in the table.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ownPorts } from "../../test/ports.mjs";
import { reportOf, verdictOf } from "../runtime/report.mjs";
import { measureCases } from "./cases.mjs";
import { measureTasks } from "./tasks.mjs";

const SECTIONS = { tasks: measureTasks, cases: measureCases };
const text = { type: "string" };
const { values } = parseArgs({ options: { only: text, rounds: text, json: text, python: text } });

const folder = mkdtempSync(join(tmpdir(), "chunkwise-bench-redis-"));
const [port] = await ownPorts(1);
const kept = ["--save", "", "--appendonly", "yes", "--dir", folder];
const server = spawn("redis-server", ["--port", String(port), "--bind", "127.0.0.1", ...kept], {
  stdio: "ignore",
});
const options = {
  redis: { host: "127.0.0.1", port },
  rounds: Number(values.rounds ?? 7),
  python: values.python ?? "/usr/bin/python3",
  progress: (line) => process.stderr.write(`${line}\n`),
};
const rows = [];
try {
  for (const section of values.only?.split(",") ?? Object.keys(SECTIONS))
    for (const row of await SECTIONS[section](options))
      rows.push({ section, ...row, verdict: verdictOf(row) });
} finally {
  server.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}
console.log(reportOf(rows));
const machine = { cpu: cpus()[0].model, cores: cpus().length, node: process.version };
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify({ machine, rows }, null, 1));
process.exit();
