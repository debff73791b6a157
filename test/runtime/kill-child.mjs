// The computation that the kill test kills: several operations, intermediates in a named folder, results in a store.
// Writes a line for every event of a task, at once, so that the parent knows how far it came.

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import * as cw from "../../dist/index.js";

const dir = process.argv[2];
const log = join(dir, "log");
const tell = (line) => appendFileSync(log, `${line}\n`);

const x = await cw.fromZarr(join(dir, "x.zarr"));
const slow = cw.moduleFunction(new URL("./blocks.js", import.meta.url), "slow");
const y = cw.mapBlocks(slow, x);
const centred = y.subtract(y.mean({ axis: 0 }));
const scaled = cw.mapBlocks(slow, centred.rechunk([16, 64])).divide(centred.std());
const spec = new cw.Spec({ workDir: join(dir, "work"), threads: 2 });
tell("start");
await cw.store([scaled, y.sum({ axis: 1 })], [join(dir, "scaled.zarr"), join(dir, "sums.zarr")], {
  spec,
  onEvent(event) {
    if (event.type === "computeStart") tell(`tasks ${event.tasks} ${event.tasksDone}`);
    if (event.type === "taskStart") tell(`begin ${event.operation} ${event.task}`);
    if (event.type === "taskEnd") tell(`${event.outcome} ${event.operation} ${event.task}`);
  },
});
tell("end");
