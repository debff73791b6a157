// Functions of users' that take their time, or more than that.

import { appendFileSync } from "node:fs";

/** Where it is to be known how often blocks were computed. */
const EXECUTIONS = process.env.CHUNKWISE_EXECUTIONS;

/** Twice as much, after 40 ms of work. */
export function slowly(block) {
  if (EXECUTIONS !== undefined) appendFileSync(EXECUTIONS, `${block.data[0]}\n`);
  const until = performance.now() + 40;
  while (performance.now() < until);
  return block.data.map((value) => 2 * value);
}

/** The block that begins with 7 ends its whole process. */
export function deadly(block) {
  if (block.data[0] === 7) process.kill(process.pid, "SIGKILL");
  return block.data.slice();
}
