// Programs that every remote pool computes: what is in memory, in files and in nested lists, with everything that is between tasks.
// Each gives arrays to compute; their bits are those that the inline executor gives.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import * as cw from "chunkwise";
import * as rg from "chunkwise/ragged";

const blocks = new URL("./blocks.js", import.meta.url);

const wave = (shape: readonly number[], chunks: readonly number[]): cw.LazyArray => {
  const size = shape.reduce((product, length) => product * length, 1);
  const data = Float64Array.from({ length: size }, (_, i) => Math.sin(i * 12.9898) * 43758.5453);
  return cw
    .asarray(data)
    .reshape([...shape])
    .rechunk([...chunks]);
};

export interface DenseProgram {
  readonly name: string;
  readonly arrays: () => cw.LazyArray[];
}

export const DENSE: readonly DenseProgram[] = [
  { name: "a scan", arrays: () => [wave([40, 60], [7, 16]).cumulativeSum({ axis: 1 }).multiply(2)] },
  {
    name: "a sort",
    arrays: () => [cw.sort(wave([600], [50])), cw.argsort(wave([30, 20], [7, 20]), { axis: 1 })],
  },
  {
    name: "rechunk and reduce",
    arrays: () => [
      wave([48, 36], [5, 36]).rechunk([48, 4]).cumulativeSum({ axis: 0 }).rechunk([6, 36]).mean({ axis: 1 }),
    ],
  },
  {
    name: "several results that share work",
    arrays: () => {
      const x = wave([50, 40], [9, 11]);
      const centred = x.subtract(x.mean({ axis: 0 }));
      return [
        centred,
        centred.multiply(centred).sum(),
        cw.max(centred, { axis: 1 }),
        centred.sum({ axis: 0 }),
      ];
    },
  },
  {
    name: "a product of matrices",
    arrays: () => [
      wave([30, 24], [8, 7]).matmul(wave([24, 18], [7, 5])),
      cw.arange(100, { chunks: 9 }).sum(),
    ],
  },
  {
    name: "integers, booleans, complex numbers, single values",
    arrays: () => [
      cw.arange(50, { chunks: 8, dtype: "int64" }).multiply(3).cumulativeSum(),
      cw.greater(wave([30], [7]), 0),
      wave([20], [6]).astype("complex128").multiply(new cw.Complex(0, 1)),
      wave([6, 5], [4, 4]).sum(),
      cw.zeros([0, 3]),
    ],
  },
  {
    name: "lengths that depend on data",
    arrays: () => {
      const x = wave([400], [60]);
      const large = x.get(x.greater(x.mean()));
      return [large, large.sort().get("5:"), cw.uniqueCounts(x.round().remainder(7)).counts];
    },
  },
  {
    name: "a user's function of a module",
    arrays: () => {
      const double = cw.moduleFunction(blocks, "double");
      return [cw.mapBlocks(double, wave([40], [7])).cumulativeSum()];
    },
  },
];

/** Through Zarr, in and out: sources of a folder, several targets. */
export async function throughStores(folder: string, run: cw.AsyncComputeOptions): Promise<cw.NDArray[]> {
  mkdirSync(folder, { recursive: true });
  const source = await wave([60, 20], [16, 20]).toZarr(join(folder, "in.zarr"), { executor: "inline" });
  const sorted = cw.sort(source, { axis: 0 });
  const [a, b] = await cw.store(
    [sorted, source.cumulativeSum({ axis: 0 })],
    [join(folder, "sorted.zarr"), { store: join(folder, "sums.zarr"), shards: [20, 20], chunks: [10, 10] }],
    run,
  );
  return [...(await cw.compute([a!, b!], { executor: "inline" }))];
}

/** Nested data, from lists in memory. */
export const NESTED: readonly { readonly name: string; readonly array: () => rg.LazyRagged }[] = [
  {
    name: "sums of lists",
    array: () => rg.sum(lists(), { axis: 1 }) as rg.LazyRagged,
  },
  { name: "sorted lists", array: () => rg.sort(rg.multiply(lists(), 2) as rg.LazyRagged, { axis: 1 }) },
  { name: "a sum over everything", array: () => rg.sum(lists(), { axis: 0 }) as rg.LazyRagged },
];

const lists = (): rg.LazyRagged =>
  rg.lazy(
    rg.fromIter(
      Array.from({ length: 60 }, (_, i) => Array.from({ length: i % 7 }, (__, k) => Math.cos(i * 7 + k))),
    ),
    { npartitions: 5 },
  );
