// What a task costs besides its work: 10,000 and 100,000 tasks of one element, on each pool. Arrays in memory would be
// shared loop by loop instead of task by task, so the threads' plan has one stored array more, of a single chunk.

import { join } from "node:path";
import { cw } from "./ours.mjs";
import { takeTurns } from "./turns.mjs";

const SIZES = [10_000, 100_000];

export async function measureTasks(folder, { rounds, progress, quick }) {
  const small = await cw.toZarr(cw.ones([1]), join(folder, "one"), { overwrite: true });
  const rows = [];
  const perTask = {};
  for (const count of quick ? SIZES.slice(0, 1) : SIZES) {
    progress(`tasks ${count}`);
    const x = cw.asarray(new Float64Array(count).fill(1), { chunks: [1] });
    const entries = {
      inline: () => cw.compute([x.add(1), small.add(1)], { executor: "inline", optimize: false }),
      threads: () => cw.compute([x.add(1), small.add(1)], { executor: "threads", optimize: false }),
    };
    const times = await takeTurns(
      Object.fromEntries(Object.entries(entries).map(([name, run]) => [name, () => timed(run, count)])),
      Math.max(2, Math.ceil(rounds / 2)),
    );
    for (const pool of ["inline", "threads"]) {
      const us = (1000 * times[pool].best) / count;
      perTask[`${pool} ${count}`] = us;
      const goal = pool === "threads" ? 50 : null;
      rows.push({
        name: `${pool}, ${count} tasks`,
        unit: "µs per task",
        ours: us,
        perSecond: 1e6 / us,
        goal,
        atMost: true,
      });
    }
  }
  for (const pool of quick ? [] : ["inline", "threads"]) {
    const ratio = perTask[`${pool} ${SIZES[1]}`] / perTask[`${pool} ${SIZES[0]}`];
    rows.push({
      name: `${pool}, growth 10k → 100k`,
      unit: "× per task",
      ours: ratio,
      goal: 1.5,
      atMost: true,
    });
  }
  return rows;
}

async function timed(run, count) {
  const begun = performance.now();
  const [result] = await run();
  const ms = performance.now() - begun;
  if (result.data[count - 1] !== 2) throw new Error("a task did not do its work");
  return ms;
}
