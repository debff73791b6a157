// docs/command-line.md, run as it stands there: each command of its console blocks by the built command line, in one folder after another
// as on the page, and what it prints compared with what the page shows.

import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import * as cw from "chunkwise";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../built.ts";

const ROOT = resolve(import.meta.dirname, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "chunkwise-cli-"));
const page = readFileSync(join(ROOT, "docs", "command-line.md"), "utf8");

interface Shown {
  readonly command: string;
  readonly output: string;
}

const shown: Shown[] = [...page.matchAll(/^```console\n([\s\S]*?)^```$/gm)].flatMap(([, block]) =>
  block!
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command, ...lines] = part.split("\n");
      return { command: command!, output: lines.join("\n") };
    }),
);

beforeAll(async () => {
  await ensureBuilt();
  mkdirSync(join(folder, "bin"));
  chmodSync(join(ROOT, "dist", "cli.js"), 0o755);
  symlinkSync(join(ROOT, "dist", "cli.js"), join(folder, "bin", "chunkwise"));
  const y = cw.linspace(-3, 3, 400).reshape([400, 1]);
  const x = cw.linspace(-4, 4, 600).reshape([1, 600]);
  const wave = cw.exp(x.multiply(x).add(y.multiply(y)).negative().divide(4)).multiply(x.multiply(3).sin());
  const store = join(folder, "data.zarr");
  const group = new cw.FileStore(store);
  await group.set("/zarr.json", new TextEncoder().encode(GROUP));
  await wave.rechunk([100, 200]).toZarr(store, {
    ...{ path: "wave", attributes: { units: "K" }, dimensionNames: ["lat", "lon"] },
  });
  await cw.arange(1000).toZarr(store, { path: "line" });
  writeFileSync(join(folder, "rows.jsonl"), '{"a": 1, "b": [1, 2]}\n{"a": 2, "b": []}\n');
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const GROUP = JSON.stringify({ zarr_format: 3, node_type: "group", attributes: { title: "two fields" } });

interface Ended {
  readonly output: string;
  readonly code: number;
}

const run = (command: string): Promise<Ended> =>
  new Promise((done) => {
    const env = { ...process.env, PATH: `${join(folder, "bin")}${delimiter}${process.env["PATH"]}` };
    execFile("bash", ["-c", `${command} 2>&1`], { cwd: folder, env }, (error, output) =>
      done({ output, code: (error?.code as number | undefined) ?? 0 }),
    );
  });

test.each(shown)("$command", { timeout: 60_000 }, async ({ command, output }) => {
  expect((await run(command)).output).toBe(output);
});

test("exit codes tell words that cannot be understood from what failed", async () => {
  const codes = await Promise.all(
    ["chunkwise info rows.jsonl", "chunkwise info nowhere.zarr", "chunkwise info", "chunkwise info a b"].map(
      async (command) => (await run(command)).code,
    ),
  );
  expect(codes).toEqual([0, 1, 2, 2]);
});

test("who stops reading the output is no error", async () => {
  expect(await run("chunkwise completions fish | head -1 >/dev/null; exit $PIPESTATUS")).toEqual({
    output: "",
    code: 0,
  });
});

test("pictures are whole files", async () => {
  await run("chunkwise plot data.zarr --path line -o line.svg; chunkwise plot root.zarr -o root.png");
  expect(readFileSync(join(folder, "line.svg"), "utf8")).toMatch(/^<svg [\s\S]*<path d="M[\s\S]*<\/svg>\n$/);
  const png = readFileSync(join(folder, "root.png"));
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  // Of 400 × 600 elements as they are.
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([600, 400]);
});

test("JSON is for programs", async () => {
  const { output } = await run("chunkwise info data.zarr --json");
  const { members } = JSON.parse(output) as { members: { wave: object } };
  expect(members.wave).toMatchObject({ kind: "array", shape: [400, 600], dimensions: ["lat", "lon"] });
  const { output: doctor } = await run("chunkwise doctor --json");
  expect(JSON.parse(doctor)).toMatchObject({ vectors: true, onThreads: true });
});

test("a saved plan is shown and computed", async () => {
  const line = await cw.fromZarr(join(folder, "data.zarr"), { path: "line" });
  writeFileSync(join(folder, "plan.json"), cw.savePlan(line.sum().plan()));
  expect((await run(`chunkwise plan show plan.json --allow-stores ${folder}`)).output).toContain("sum");
  expect((await run(`chunkwise plan run plan.json --quiet --allow-stores ${folder}`)).output).toBe(
    "499500\nint64 []\n",
  );
  expect((await run("chunkwise plan run plan.json")).code).toBe(1);
});
