// Many runs in one process. In: runs with their references' folders, as an argument. Out: a message for each run: what
// differs, or null.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { begin } from "./beside.mjs";
import { compareWith } from "./compare.mjs";
import { execute } from "./execute.mjs";

const { package: address, place, scratch, runs } = JSON.parse(process.argv[2]);
const cw = await import(address);

async function outcomeOf(run, number) {
  const folder = join(scratch, String(number));
  const end = await begin(cw, { ...run, program: `${run.program} ${number}` });
  try {
    const { results } = await execute(cw, { ...run, place, scratch: folder });
    return compareWith(
      run.references,
      results.map((array) => array.toContiguous?.() ?? array),
    );
  } catch (error) {
    return `${error.name}: ${error.message}`;
  } finally {
    await end();
    rmSync(folder, { recursive: true, force: true });
  }
}

for (const [number, run] of runs.entries()) {
  const difference = await outcomeOf(run, number);
  await new Promise((resolve) => process.send({ number, difference }, resolve));
}
process.disconnect();
