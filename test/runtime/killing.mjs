// Kills programs without warning, at random moments, and begins them again until they end. In: how many kills, a seed, and
// where tasks run. Out: what was counted; an error when a result differs in one bit from that of a run that nobody killed, or
// when anything is left over. `npm run test:kills` runs it by itself.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

export const PROGRAMS = ["scan", "sort", "rechunk", "sharded", "compressed", "http"];

const EXECUTOR = process.env.KILL_EXECUTOR ?? "threads";

/** Files of a folder, with tags. */
function serve(folder) {
  return createServer((request, response) => {
    const path = join(folder, decodeURIComponent(request.url));
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile()) return void response.writeHead(404).end();
    const bytes = readFileSync(path);
    const range = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? "");
    response.setHeader("ETag", `"${stat.mtimeMs}-${stat.size}"`);
    const [from, to] =
      range === null
        ? [0, bytes.length]
        : range[1] === ""
          ? [bytes.length - Number(range[2]), bytes.length]
          : [Number(range[1]), Number(range[2]) + 1];
    if (range !== null) response.setHeader("Content-Range", `bytes ${from}-${to - 1}/${bytes.length}`);
    response.setHeader("Content-Length", to - from);
    response.writeHead(range === null ? 200 : 206);
    response.end(request.method === "HEAD" ? undefined : bytes.subarray(from, to));
  });
}

/** Of all that a program wrote, but the mark. */
function digestOf(target) {
  const hash = createHash("sha256");
  const files = readdirSync(target, { recursive: true, encoding: "utf8" }).sort();
  for (const file of files)
    if (!file.endsWith(".chunkwise-run") && statSync(join(target, file)).isFile())
      hash.update(file).update(readFileSync(join(target, file)));
  return hash.digest("hex");
}

class Runs {
  constructor(root, address) {
    this.root = root;
    this.address = address;
  }

  /** How it ended, what it found, and how long its tasks took. `killAfter`: milliseconds from its first task on. */
  async run(program, folder, killAfter = Number.POSITIVE_INFINITY) {
    const args = [join(import.meta.dirname, "killed-program.mjs"), program, folder, this.address, EXECUTOR];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    let [said, began] = ["", 0];
    child.stdout.on("data", (bytes) => {
      said += bytes;
      if (began !== 0 || !said.includes("\n")) return;
      began = performance.now();
      if (Number.isFinite(killAfter)) void setTimeout(killAfter).then(() => child.kill("SIGKILL"));
    });
    const end = await new Promise((resolve) => child.on("exit", (code, signal) => resolve(signal ?? code)));
    const found = Number(said.split(" ")[1] ?? 0);
    return { end, found, ms: performance.now() - began };
  }
}

function checkLeft(program, folder) {
  const left = existsSync(join(folder, "work")) ? readdirSync(join(folder, "work")) : [];
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const partial = files.filter((file) => file.endsWith(".partial"));
  if (left.length + partial.length > 0)
    throw new Error(`${program} left ${[...left, ...partial].join(", ")} behind`);
}

async function killProgram(runs, program, kills, random) {
  const right = join(runs.root, `${program}-right`);
  cpSync(join(runs.root, "x.zarr"), join(right, "x.zarr"), { recursive: true, preserveTimestamps: true });
  const whole = await runs.run(program, right);
  if (whole.end !== 0) throw new Error(`${program} ended with ${whole.end}`);
  const expected = digestOf(join(right, "out.zarr"));
  const told = {
    program,
    executor: EXECUTOR,
    kills: 0,
    completions: 0,
    found: 0,
    ms: Math.round(whole.ms),
  };
  // What others do on the machine makes runs longer now and shorter then.
  let span = whole.ms / 2;
  while (told.kills < kills) {
    const folder = join(runs.root, `${program}-${told.completions}`);
    mkdirSync(folder);
    cpSync(join(runs.root, "x.zarr"), join(folder, "x.zarr"), { recursive: true, preserveTimestamps: true });
    for (let some = 1 + Math.floor(random() * 6); ; some--) {
      const isKilled = some > 0 && told.kills < kills;
      const { end, found, ms } = await runs.run(program, folder, isKilled ? random() * span : undefined);
      told.found += found;
      if (isKilled && end !== "SIGKILL") span = Math.min(span, ms) * 0.8;
      if (end === "SIGKILL") told.kills++;
      else if (end !== 0) throw new Error(`${program} ended with ${end}`);
      else break;
    }
    told.completions++;
    const got = digestOf(join(folder, "out.zarr"));
    if (got !== expected) throw new Error(`${program}: another result after kills (${folder})`);
    checkLeft(program, folder);
    rmSync(folder, { recursive: true });
  }
  return told;
}

/** Numbers from 0 to 1, the same for the same seed. */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export async function killAll({ kills, seed, log = () => {} }) {
  const root = mkdtempSync(join(tmpdir(), "chunkwise-kills-"));
  const server = serve(root);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const runs = new Runs(root, `http://127.0.0.1:${server.address().port}`);
  const random = randomFrom(seed);
  try {
    await runs.run("source", root);
    const told = [];
    for (const [i, program] of PROGRAMS.entries()) {
      const share =
        Math.floor((kills * (i + 1)) / PROGRAMS.length) - Math.floor((kills * i) / PROGRAMS.length);
      told.push(await killProgram(runs, program, share, random));
      log(JSON.stringify(told.at(-1)));
    }
    return told;
  } finally {
    server.close();
    rmSync(root, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  const kills = Number(process.argv[2] ?? 300);
  const seed = Number(process.env.KILL_SEED ?? Date.now() % 1e6);
  console.log(`${kills} kills, seed ${seed}`);
  const told = await killAll({ kills, seed, log: console.log });
  console.log(
    `${told.reduce((sum, one) => sum + one.kills, 0)} kills, ${told.reduce((sum, one) => sum + one.completions, 0)} results, all the same to the bit, nothing left over`,
  );
}
