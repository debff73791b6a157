// What a folder of many chunks costs: written, found finished, resumed with 100 missing, opened, overwritten.
// Run: npm run --silent build && node bench/many-chunks.mjs [chunks = 100000] [separator = /]
// Wall time depends on who else uses the machine; the processor's time says more.

import { mkdtempSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";

const count = Number(process.argv[2] ?? 100_000);
const separator = process.argv[3] ?? "/";
const place = mkdtempSync(join(tmpdir(), "chunkwise-many-"));
const options = { keyEncoding: { name: "default", separator }, codecs: ["crc32c"], executor: "inline" };
const numbers = () =>
  cw
    .arange(0, count * 16, 1, { dtype: "float64" })
    .rechunk([16])
    .multiply(2)
    .add(1);

async function timed(name, action) {
  const [start, before] = [performance.now(), process.cpuUsage()];
  await action();
  const { user, system } = process.cpuUsage(before);
  const [wall, busy] = [performance.now() - start, (user + system) / 1000];
  console.log(
    `${name.padEnd(24)} ${wall.toFixed(0).padStart(7)} ms, processor ${busy.toFixed(0).padStart(7)} ms`,
  );
}

/** As a killed run leaves it. */
function cutShort() {
  const mark = join(place, ".chunkwise-run");
  writeFileSync(mark, readFileSync(mark, "utf8").split(" ")[0]);
  for (let i = 0; i < 100; i++) unlinkSync(join(place, `c${separator}${i * 7}`));
}

try {
  await timed(`${count} chunks written`, () => numbers().toZarr(place, options));
  await timed("the same again", () => numbers().toZarr(place, options));
  cutShort();
  await timed("resumed, 100 missing", () => numbers().toZarr(place, options));
  await timed("opened, one chunk read", async () => (await cw.fromZarr(place)).get("0:16").compute());
  await timed("overwritten by 10", () =>
    numbers()
      .get(":160")
      .toZarr(place, { ...options, overwrite: true }),
  );
} finally {
  rmSync(place, { recursive: true, force: true });
}
