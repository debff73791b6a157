// A sample of `npm run test:elsewhere`: programs of the battery, one with a function of a module, on every pool, with sources in
// files and behind http; a bucket takes longer to start than they take (s3Cluster.test.ts has one). What is not installed is left out.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../built.ts";
import { hasRedis, needsRedis } from "./redisServer.ts";

const SCRIPT = join(import.meta.dirname, "..", "real", "elsewhere.mjs");
const SAMPLE = ["map-blocks-of-scan", "covariance"];

beforeAll(() => ensureBuilt(), 120_000);

test(`the same bits wherever tasks are done, and data lie${needsRedis}`, { timeout: 180_000 }, async () => {
  const words = SAMPLE.flatMap((name) => ["--only", name]).concat("--no-bucket");
  const running = promisify(execFile)(process.execPath, [SCRIPT, ...words], {
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  // One that ends with 1 has said which runs were wrong.
  const { stdout } = await running.catch((error: { readonly stdout: string; readonly stderr: string }) => ({
    stdout: error.stdout + error.stderr,
  }));
  const ways = 2 * (hasRedis ? 4 : 3);
  expect(stdout).toContain(`${SAMPLE.length * ways} runs, 0 wrong`);
});
