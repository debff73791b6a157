// One run in a process of its own. In: a request, as an argument; by message, when it is done, the folders of the
// references. Out: by message, first the budget that it ran with, then what differs; or why there is no result.

import { begin } from "./beside.mjs";
import { compareWith } from "./compare.mjs";
import { execute } from "./execute.mjs";
import { watchThreads } from "./watch.mjs";

const request = JSON.parse(process.argv[2]);
const told = (message) => new Promise((resolve) => process.send(message, resolve));

/** All that an error says, with what it says of its cause. */
function textOf(error) {
  const lines = [];
  for (let at = error; at !== undefined && at !== null; at = at.cause)
    lines.push(`${at.name}: ${at.message}`);
  return lines.join(" <- ");
}

async function run() {
  const taskThreads = watchThreads();
  const cw = await import(request.package);
  const programs = request.programs === null ? undefined : (await import(request.programs)).PROGRAMS;
  const end = await begin(cw, request);
  const { results, budget, seen } = await execute(cw, { ...request, programs });
  await end();
  const answer = new Promise((resolve) => process.once("message", resolve));
  await told({ type: "done", budget, seen: { ...seen, taskThreads: taskThreads() } });
  const { folders } = await answer;
  const plain = results.map((array) => array.toContiguous?.() ?? array);
  await told({ type: "compared", difference: compareWith(folders, plain) });
}

try {
  await run();
} catch (error) {
  await told({ type: "failed", error: textOf(error) });
}
process.disconnect();
// Whatever went on beside a run that failed ends with it.
process.exit();
