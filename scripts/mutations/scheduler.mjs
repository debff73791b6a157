// Mistakes in the scheduler, which its simulation finds: see ../mutate.mjs.

export const TESTS = ["test/runtime/simulation.test.ts"];

const HOLDINGS = "runtime/scheduler/holdings.ts";
const SCHEDULER = "runtime/scheduler/scheduler.ts";
const FRONTIER = "runtime/scheduler/frontier.ts";

export const MUTATIONS = [
  {
    name: "room for twice the budget",
    changes: [[HOLDINGS, "projectedMem > budget", "projectedMem > 2 * budget"]],
  },
  { name: "running tasks take no memory", changes: [[HOLDINGS, "this.used += bytes;", "this.used += 0;"]] },
  {
    name: "a lease is dropped early: what is being read is freed",
    changes: [[HOLDINGS, "entry.pins > 0 || entry.isSpilling", "entry.isSpilling"]],
  },
  {
    name: "what is being stored is freed",
    changes: [[HOLDINGS, "entry.pins > 0 || entry.isSpilling", "entry.pins > 0"]],
  },
  {
    name: "a chunk is freed a task too soon: one reader of several is enough",
    changes: [[HOLDINGS, "entry.readers.every(", "entry.readers.some("]],
  },
  {
    name: "readers that are not done are passed over",
    changes: [[HOLDINGS, "if (!done.has(task)) return false", "if (!done.has(task)) break"]],
  },
  {
    name: "a spilled output leaves memory while it is read",
    changes: [[HOLDINGS, "if (entry.pins > 0) return false;", ""]],
  },
  {
    name: "what is not stored is dropped",
    changes: [[HOLDINGS, "if (entry.isStored) {", "if (entry.isHeld) {"]],
  },
  {
    name: "held outputs take no memory",
    changes: [[HOLDINGS, "    entry.isHeld = true;\n    this.#take(bytes);\n", "    entry.isHeld = true;\n"]],
  },
  {
    name: "a second attempt counts, too",
    changes: [[SCHEDULER, 'const isFirst = entry.state !== "available";', "const isFirst = true;"]],
  },
  { name: "a worker never gets free", changes: [[SCHEDULER, "this.#loads.add(running.worker, -1);", ""]] },
  { name: "inputs stay pinned", changes: [[SCHEDULER, "for (const input of inputs) input.pins--;", ""]] },
  {
    name: "one failure fails a task that has a twin",
    changes: [[SCHEDULER, "|| entry.attempts > 0) return;", ") return;"]],
  },
  {
    name: "one attempt more than is allowed",
    changes: [[SCHEDULER, "entry.tries < most", "entry.tries <= most"]],
  },
  {
    name: "one attempt fewer than is allowed",
    changes: [[SCHEDULER, "entry.tries < most", "entry.tries < most - 1"]],
  },
  {
    name: "silence is never noticed",
    changes: [[SCHEDULER, "if (now < oldest.startTime + lostAfterMs) return;", "return;"]],
  },
  { name: "any number of twins", changes: [[SCHEDULER, "entry.hasTwin = true;", ""]] },
  {
    name: "a twin behind its own twin",
    changes: [[SCHEDULER, "slow === null || slow.worker === worker", "slow === null"]],
  },
  { name: "no waiting before another attempt", changes: [[SCHEDULER, " && first.time <= now;", ";"]] },
  {
    name: "the end does not wait for what is being stored",
    changes: [
      [SCHEDULER, "this.#running.size === 0 && this.#holdings.spilling === 0", "this.#running.size === 0"],
    ],
  },
  {
    name: "as many tasks for a worker as there are",
    changes: [
      [SCHEDULER, "this.#loads.least(this.#pace.mostLoad)", "this.#loads.least(Number.POSITIVE_INFINITY)"],
    ],
  },
  {
    name: "a task that runs is taken for done",
    changes: [[FRONTIER, 'return entry.state === "available";', "return true;"]],
  },
  { name: "one of several needs is enough", changes: [[FRONTIER, "waiter.pending > 0 || ", ""]] },
  { name: "outputs are forgotten at once", changes: [[FRONTIER, "if (!keeps) this.forget", "this.forget"]] },
  { name: "found outputs are not held", changes: [[FRONTIER, "if (hasHeld && ", "if (!hasHeld && "]] },
  {
    name: "tasks that are needed twice run twice",
    changes: [[FRONTIER, "while (live.has(task) && task++ >= 0);", "while (false);"]],
  },
  {
    name: "what is lost is not tried again",
    changes: [
      ["runtime/scheduler/entry.ts", "if (failure.isLost) return true;", "if (failure.isLost) return false;"],
    ],
  },
  {
    name: "a missing task is passed over",
    changes: [
      [
        "runtime/scheduler/frontier.ts",
        "if (this.has(task)) return false;",
        "if (this.has(task + 1)) return false;",
      ],
    ],
  },
];
