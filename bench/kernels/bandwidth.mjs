// What the memory gives: a triad, a = b + s·c over 2e7 doubles, 24 bytes counted per element, in GB/s, the best of
// several passes. Once as WASM SIMD in worker threads over one shared memory, once in C where there is a compiler.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { isMainThread, Worker, workerData } from "node:worker_threads";

const COUNT = 2e7;
const ARRAY_BYTES = COUNT * 8;
const PAGES = Math.ceil((3 * ARRAY_BYTES + 128) / 65536);

/** An unsigned number in LEB128. */
function leb(value) {
  const out = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return [...out, rest];
    out.push((rest & 127) | 128);
  }
}
const vec = (items) => [...leb(items.length), ...items.flat()];
const section = (id, body) => [id, ...leb(body.length), ...body];
const name = (text) => [...leb(text.length), ...Buffer.from(text)];

/** One vector of the triad at byte `offset`: locals 0, 1, 2 are a, b, c; 4 is the factor in both lanes. */
const lane = (offset) => [
  ...[0x20, 0, 0x20, 1, 0xfd, 0, 4, offset],
  ...[0x20, 4, 0x20, 2, 0xfd, 0, 4, offset, 0xfd, ...leb(0xf2)],
  ...[0xfd, ...leb(0xf0), 0xfd, 11, 4, offset],
];
const advance = (local) => [0x20, local, 0x41, ...[0xc0, 0], 0x6a, 0x21, local];

/** (a, b, c, end of a): 64 bytes a turn. */
function triadModule() {
  const loop = [0x03, 0x40, ...[0, 16, 32, 48].flatMap(lane), ...[0, 1, 2].flatMap(advance)];
  const again = [0x20, 0, 0x20, 3, 0x49, 0x0d, 0, 0x0b];
  const three = [0x44, 0, 0, 0, 0, 0, 0, 8, 64, 0xfd, 20, 0x21, 4];
  const code = [...vec([[1, 0x7b]]), ...three, ...loop, ...again, 0x0b];
  const memory = [...name("e"), ...name("m"), 2, 3, ...leb(PAGES), ...leb(PAGES)];
  return new Uint8Array([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, vec([[0x60, 4, 0x7f, 0x7f, 0x7f, 0x7f, 0]])),
    ...section(2, vec([memory])),
    ...section(3, vec([[0]])),
    ...section(7, vec([[...name("t"), 0, 0]])),
    ...section(10, vec([[...leb(code.length), ...code]])),
  ]);
}

/** A worker's part: wait for the turn to change, do one share, count oneself done. */
function serve({ module, memory, gate, me, threads }) {
  const { t } = new WebAssembly.Instance(module, { e: { m: memory } }).exports;
  const share = Math.floor(ARRAY_BYTES / threads / 64) * 64;
  const from = me * share;
  for (let turn = 0; ; ) {
    Atomics.wait(gate, 0, turn);
    turn = Atomics.load(gate, 0);
    if (turn < 0) return;
    t(from, from + ARRAY_BYTES, from + 2 * ARRAY_BYTES, from + share);
    Atomics.add(gate, 1, 1);
    Atomics.notify(gate, 1);
  }
}

if (!isMainThread && workerData?.triad === true) serve(workerData);

async function onePass(gate, threads, turn) {
  Atomics.store(gate, 1, 0);
  const start = performance.now();
  Atomics.store(gate, 0, turn);
  Atomics.notify(gate, 0);
  for (let done = 0; done < threads; done = Atomics.load(gate, 1)) Atomics.wait(gate, 1, done, 100);
  return performance.now() - start;
}

async function wasmTriad(threads, passes) {
  const memory = new WebAssembly.Memory({ initial: PAGES, maximum: PAGES, shared: true });
  // Pages that were never written are all one page of zeros, and reading that says nothing.
  new Float64Array(memory.buffer).fill(1);
  const gate = new Int32Array(new SharedArrayBuffer(8));
  const module = new WebAssembly.Module(triadModule());
  const workers = Array.from({ length: threads }, (_, me) => {
    const data = { triad: true, module, memory, gate, me, threads };
    return new Worker(new URL(import.meta.url), { workerData: data });
  });
  await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once("online", resolve))));
  let best = Number.POSITIVE_INFINITY;
  for (let turn = 1; turn <= passes; turn++) best = Math.min(best, await onePass(gate, threads, turn));
  Atomics.store(gate, 0, -1);
  Atomics.notify(gate, 0);
  await Promise.all(workers.map((worker) => worker.terminate()));
  return (COUNT * 24) / best / 1e6;
}

/** GB/s, or null without a compiler. */
function compiledTriad(threads, passes, folder) {
  const program = join(folder, "triad");
  const source = new URL("triad.c", import.meta.url).pathname;
  const built = spawnSync("cc", ["-O3", "-march=native", "-pthread", source, "-o", program]);
  if (built.status !== 0) return null;
  const ran = spawnSync(program, [String(threads), String(passes)], { encoding: "utf8" });
  return ran.status === 0 ? Number(ran.stdout) : null;
}

/** The best of both kinds, in GB/s. */
export async function measureBandwidth({ threads, passes, folder }) {
  return {
    wasm: await wasmTriad(threads, passes),
    c: compiledTriad(threads, passes, folder),
  };
}
