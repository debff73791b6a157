// One reader in a process of its own: reads the file several times and prints one line of JSON. CPU is that of all the
// process's threads while it reads; bytes are what the system was asked for (Linux) and nothing elsewhere.

import { existsSync, readFileSync } from "node:fs";
import { READERS } from "./readers.mjs";

const [name, path, rounds] = process.argv.slice(2);

const IO = "/proc/self/io";
const systemBytes = () => (existsSync(IO) ? Number(/rchar: (\d+)/.exec(readFileSync(IO, "utf8"))[1]) : null);

/** Sums that all readers must agree on. */
function summary({ met, pt, offsets }) {
  let sum = 0;
  for (let i = 0; i < offsets.length - 1; i++)
    if (offsets[i + 1] > offsets[i]) sum += pt[offsets[i]] * ((i % 7) + 1);
  return { rows: met.length, jets: pt.length, met: met.reduce((a, b) => a + b, 0), pt: sum };
}

const read = await READERS[name]();
const times = [];
let bytes = null;
let answer;
for (let round = 0; round < Number(rounds); round++) {
  const before = systemBytes();
  const [cpu, wall] = [process.cpuUsage(), performance.now()];
  const table = await read(path);
  const used = process.cpuUsage(cpu);
  times.push({ cpu: (used.user + used.system) / 1000, wall: performance.now() - wall });
  if (round === 0) bytes = before === null ? null : systemBytes() - before;
  if (round === 0) answer = summary(table);
}
console.log(JSON.stringify({ times, bytes, answer, rssMB: process.resourceUsage().maxRSS / 1000 }));
