// Who owns memory (docs/adr/0014), where it is hardest to keep: memory that grows page by page, that is nearly full, and that
// of the application growing beside. In checked mode, in processes of their own, on the built package.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "../built.ts";

const DOOR = pathToFileURL(join(import.meta.dirname, "..", "..", "dist", "index.js")).href;
const CHILD = join(import.meta.dirname, "ownership-child.mjs");

async function digests(checked: string, executor: string, beside = "nothing"): Promise<string[]> {
  const env = { ...process.env, CHUNKWISE_CHECKED: checked };
  const { stdout } = await promisify(execFile)(process.execPath, [CHILD, DOOR, executor, beside], { env });
  return stdout.trim().split("\n");
}

let usual: string[];
beforeAll(async () => {
  await ensureBuilt();
  usual = await digests("", "inline");
}, 120_000);

describe.each(["inline", "threads"])("%s", (executor) => {
  test("a shared memory of the application grows beside it", async () =>
    expect(await digests("1", executor, "growth")).toEqual(usual));

  test("memory grows page by page", async () => expect(await digests("growth=1", executor)).toEqual(usual));

  // 300 pages are 19 MB: what finds no room lies outside, and its tasks run where it can be seen.
  test("there is hardly any memory to share", async () =>
    expect(await digests("growth=1,maximum=300", executor)).toEqual(usual));
});

test("five results, all of them different", () => expect(new Set(usual).size).toBe(5));
