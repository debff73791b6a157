// Ports of loopback for servers that a test starts. In: how many. Out: so many in a row, which are this process's until it ends.
// Must hold: no other test is given them meanwhile. They lie below those that the system gives out by itself; the first of a row
// is kept open as the sign that the others are taken, since a port that was found free and closed is soon given to somebody else.

import { once } from "node:events";
import { createServer } from "node:net";

const FIRST = 15_000;
const LAST = 32_000;
const ROW = 8;

export async function ownPorts(count) {
  if (count >= ROW) throw new Error(`${count} ports are more than a row of ${ROW} has`);
  const rows = Math.floor((LAST - FIRST) / ROW);
  const start = process.pid % rows;
  for (let i = 0; i < rows; i++) {
    const sign = FIRST + ((start + i) % rows) * ROW;
    if (await isKept(sign)) return Array.from({ length: count }, (_, port) => sign + 1 + port);
  }
  throw new Error(`no port between ${FIRST} and ${LAST} is free`);
}

/** Whether the port is free, which from now on it is not. */
async function isKept(port) {
  const server = createServer().listen(port, "127.0.0.1").unref();
  try {
    await once(server, "listening");
    return true;
  } catch {
    return false;
  }
}
