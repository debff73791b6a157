// One of six programs, at a size of some megabytes, for the test that kills them: node killed-program.mjs <program> <folder>
// <address of the folder> <executor>. Says when its tasks begin, and how many an earlier run has left.

import { join } from "node:path";
import * as cw from "../../dist/index.js";

const [name, folder, address, executor] = process.argv.slice(2);
const source = join(folder, "x.zarr");
const target = join(folder, "out.zarr");

/** 8 MB in 64 chunks. */
const N = 1024;
const made = () =>
  cw
    .arange(0, N * N, 1, { dtype: "float64" })
    .multiply(7.3)
    .sin()
    .reshape([N, N]);

const PROGRAMS = {
  scan: (x) => [x.cumulativeSum({ axis: 0 }), {}],
  sort: (x) => [x.rechunk([64, N]).sort({ axis: 1 }), { codecs: ["crc32c"] }],
  rechunk: (x) => [x.rechunk([16, N]).rechunk([N, 16]), { codecs: [] }],
  sharded: (x) => [x.multiply(2).add(1), { chunks: [64, 64], shards: [128, 128] }],
  compressed: (x) => [x.cumulativeSum({ axis: 1 }).exp().log1p(), { codecs: ["zstd"] }],
  http: (x) => [x.subtract(x.mean({ axis: 0 })), {}],
};

if (name === "source") await made().rechunk([128, 128]).toZarr(source, { executor: "inline" });
else {
  const x = await cw.fromZarr(name === "http" ? `${address}/x.zarr` : source);
  const [y, options] = PROGRAMS[name](x);
  const spec = new cw.Spec({
    workDir: join(folder, "work"),
    allowedMem: "112MB",
    reservedMem: "100MB",
    threads: 2,
  });
  await y.toZarr(target, {
    ...options,
    ...{ spec, executor },
    onEvent(event) {
      if (event.type === "computeStart") process.stdout.write(`begin ${event.tasksDone} ${event.tasks}\n`);
    },
  });
}
