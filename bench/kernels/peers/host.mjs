// Runs one JavaScript library as a contestant: `node host.mjs chunkwise`. A peer module exports `open()`, which gives
// { version, load, unload, forms, read, drop }: `forms[variant][case](threads)` computes, `read` gives what came out as
// { length, at }, `drop` lets go of it. Only the form itself is timed.

import { closeSync, openSync, readSync } from "node:fs";
import { createInterface } from "node:readline";

// Standard output carries the answers alone.
console.log = console.error;
const reply = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);

const ARRAYS = { float64: Float64Array, float32: Float32Array, int32: Int32Array };

/** The first `count` numbers of a file. */
function readNumbers(file, dtype, count) {
  const out = new ARRAYS[dtype](count);
  const bytes = new Uint8Array(out.buffer);
  const handle = openSync(file, "r");
  for (let done = 0; done < bytes.length; ) done += readSync(handle, bytes, done, bytes.length - done, null);
  closeSync(handle);
  return out;
}

/** Seventeen numbers out of a result, evenly spread: enough to know whether two results are the same. */
function sampleOf({ length, at }) {
  const places =
    length === 1 ? [0] : Array.from({ length: 17 }, (_, i) => Math.floor((i * (length - 1)) / 16));
  return { length, values: places.map((place) => Number(at(place))) };
}

const peer = await (await import(`./${process.argv[2]}.mjs`)).open();

async function load({ dtype, shape, count, files }) {
  const x = readNumbers(files.x, dtype, count);
  const y = readNumbers(files.y, dtype, count);
  await peer.load(dtype, shape, x, y);
  return {};
}

const formOf = ({ kase, variant }) => peer.forms[variant]?.[kase];

/** The first run: says whether the form works, what comes out and roughly how long it takes. */
async function attempt(request) {
  const form = formOf(request);
  if (form === undefined) return { ok: false, why: "not offered" };
  const start = performance.now();
  const result = await form(request.threads);
  const ms = performance.now() - start;
  const sample = sampleOf(await peer.read(result));
  peer.drop(result);
  return { sample, ms };
}

/** Runs until `budget` ms or `most` runs have passed, at least once. */
async function round(request) {
  const form = formOf(request);
  const ms = [];
  const stop = performance.now() + request.budget;
  do {
    const start = performance.now();
    const result = await form(request.threads);
    ms.push(performance.now() - start);
    peer.drop(result);
  } while (performance.now() < stop && ms.length < request.most);
  return { ms };
}

async function unload() {
  await peer.unload();
  globalThis.gc?.();
  return {};
}

const small = async () => ({ ok: true, ...(await peer.small()) });
const ACTIONS = { load, attempt, round, unload, small };

reply({ ok: true, version: peer.version });
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  try {
    reply({ ok: true, ...(await ACTIONS[request.action](request)) });
  } catch (error) {
    reply({
      ok: false,
      why: String(error?.message ?? error)
        .split("\n")[0]
        .slice(0, 200),
    });
  }
}
process.exit(0);
