// Events for the benchmark queries, made from a seed: as many rows as are asked for, in three row groups of a Parquet file.

import * as rg from "chunkwise/ragged";

/** Numbers from 0 to 1 that are the same on every machine. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Lists of particles: as many for each event as chance has it, and for each the numbers that `fields` make. */
function particles(
  events: number,
  most: number,
  random: () => number,
  fields: { readonly [name: string]: () => number },
): rg.RaggedArray {
  const counts = Int32Array.from({ length: events }, () => Math.floor((most + 1) * random()));
  const all = counts.reduce((sum, n) => sum + n, 0);
  const columns = Object.entries(fields).map(([name, next]) => [
    name,
    Float32Array.from({ length: all }, next),
  ]);
  return rg.unflatten(rg.zip(Object.fromEntries(columns) as { [name: string]: Float32Array }), counts);
}

export async function writeEvents(path: string, events: number, seed = 7): Promise<void> {
  const random = randomFrom(seed);
  const falling = (mean: number) => (): number => -mean * Math.log(1 - random());
  const between = (least: number, most: number) => (): number => least + (most - least) * random();
  const momentum = (pt: number) => ({
    ...{ pt: falling(pt), eta: between(-2.5, 2.5), phi: between(-Math.PI, Math.PI) },
  });
  const lepton = (mass: number) => ({
    ...momentum(25),
    ...{ mass: () => mass, charge: () => (random() < 0.5 ? -1 : 1), iso: random },
  });
  const column = (next: () => number): Float32Array => Float32Array.from({ length: events }, next);
  const rows = rg.zip(
    {
      MET: rg.zip({ pt: column(falling(40)), phi: column(between(-Math.PI, Math.PI)) }),
      Jet: particles(events, 6, random, { ...momentum(50), mass: falling(10), btag: random, area: random }),
      Muon: particles(events, 3, random, lepton(0.106)),
      Electron: particles(events, 2, random, lepton(0.0005)),
    },
    { depthLimit: 1 },
  );
  await rg.toParquet(rg.lazy(rows, { npartitions: 3 }), path, { codec: "snappy" });
}
