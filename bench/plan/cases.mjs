// One case with Chunkwise, in a process of its own: prints seconds and peak memory as JSON. The clock starts when all is
// imported, and nothing has been opened or started: threads, expressions, plans and kernels are in the figure.
// Arguments: the case, the folder of the inputs, the folder for outputs.

import { join } from "node:path";

const dist = process.env.CHUNKWISE_DIST ?? join(import.meta.dirname, "../../dist");
const cw = await import(join(dist, "index.js"));

const [name, inputs, outputs] = process.argv.slice(2);
const open = (file) => cw.fromZarr(join(inputs, file));
const at = (file) => join(outputs, file);
const plain = { codecs: [], overwrite: true };
const spec = new cw.Spec({ allowedMem: process.env.ALLOWED_MEM ?? "2GB", reservedMem: "150MB" });
let projected = 0;
const onEvent = (event) => {
  if (event.type === "computeStart")
    projected = Math.max(0, ...event.operations.map(({ projectedMem }) => projectedMem));
};
const run = { spec, onEvent };

const CASES = {
  async a() {
    const [x, y] = [await open("x.zarr"), await open("y.zarr")];
    await cw.expr`(${x} * 2 + ${y} * 3) / (1 + ${x} * ${x})`.toZarr(at("a.zarr"), { ...plain, ...run });
  },
  async b() {
    const [x, y] = [await open("x.zarr"), await open("y.zarr")];
    return (await cw.expr`sum(sqrt(${x} * ${x} + ${y} * ${y}))`.compute(run)).item();
  },
  async c() {
    const x = await open("rows.zarr");
    await x.rechunk([8000, 1000]).toZarr(at("c.zarr"), { ...plain, ...run });
  },
  async d() {
    const [a, b] = [await open("p.zarr"), await open("q.zarr")];
    await a.matmul(b).toZarr(at("d.zarr"), { ...plain, ...run });
  },
  async e() {
    await cw
      .ones([10_000], { chunks: 1 })
      .add(1)
      .toZarr(at("e.zarr"), { ...plain, ...run });
  },
  /** The same where nothing is known beforehand: every chunk is a file, written, read, and written again. */
  async stored() {
    const files = { ...plain, writeEmptyChunks: true };
    await cw.ones([10_000], { chunks: 1 }).toZarr(at("e0.zarr"), { ...files, ...run });
    await (await cw.fromZarr(at("e0.zarr"))).add(1).toZarr(at("e.zarr"), { ...plain, ...run });
  },
  async vorticity() {
    const [u, v, dx, dy] = [
      await open("u.zarr"),
      await open("v.zarr"),
      await open("dx.zarr"),
      await open("dy.zarr"),
    ];
    return (await cw.expr`mean(${u} * ${dx} - ${v} * ${dy})`.compute(run)).item();
  },
  async means() {
    const [u, v] = [await open("u.zarr"), await open("v.zarr")];
    const arrays = [u.mean({ axis: 0 }), v.mean({ axis: 0 }), u.multiply(v).mean({ axis: 0 })];
    const results = await cw.compute(arrays, run);
    return Number(results[2].data[0]);
  },
};

const start = performance.now();
const value = await CASES[name]();
const seconds = (performance.now() - start) / 1000;
console.log(
  JSON.stringify({ seconds, mb: process.resourceUsage().maxRSS / 1000, projected, value: value ?? null }),
);
