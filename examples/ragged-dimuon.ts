// An analysis of nested data: the spectrum of masses of muon pairs, from events in a Parquet file to a picture.
// The events are made here, from a seed: pairs from a Z (91 GeV) and from a J/ψ (3.1 GeV) over a falling background.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as rg from "chunkwise/ragged";

const EVENTS = 200_000;
const folder = mkdtempSync(join(tmpdir(), "chunkwise-dimuon-"));
const path = join(folder, "events.parquet");

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
const random = randomFrom(7);
const gauss = (mean: number, width: number): number =>
  mean + width * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

type Muon = readonly [pt: number, eta: number, phi: number, charge: number];
const anyMuon = (): Muon => [
  3 - 12 * Math.log(1 - random()),
  4.8 * random() - 2.4,
  Math.PI * (2 * random() - 1),
  random() < 0.5 ? -1 : 1,
];

/** Two of opposite charge whose mass is given; `spread` is how far apart they fly. */
function pair(mass: number, spread: number): Muon[] {
  const [pt, eta, phi, charge] = anyMuon();
  const [dEta, dPhi] = [spread * (random() - 0.5), spread * (0.3 + 0.7 * random())];
  const other = mass ** 2 / (2 * pt * (Math.cosh(dEta) - Math.cos(dPhi)));
  return [
    [pt, eta, phi, charge],
    [other, eta + dEta, phi + dPhi, -charge],
  ];
}

function muonsOfEvent(): Muon[] {
  const kind = random();
  if (kind < 0.04) return pair(gauss(91.2, 2), 3);
  if (kind < 0.06) return pair(gauss(3.1, 0.05), 0.4);
  return Array.from({ length: Math.floor(7 * random() ** 2) }, anyMuon);
}

// Columns of numbers become lists of records: as many for each event as `counts` says.
const counts = new Int32Array(EVENTS);
const all: Muon[] = [];
for (let i = 0; i < EVENTS; i++) {
  const own = muonsOfEvent();
  counts[i] = own.length;
  all.push(...own);
}
const column = (at: number): Float32Array => Float32Array.from(all, (muon) => muon[at]!);
const muons = rg.zip({
  ...{ pt: column(0), eta: column(1), phi: column(2), charge: rg.valuesAstype(column(3), "int8") },
  ...{ iso: Float32Array.from(all, random), hits: Int16Array.from(all, () => 10 * random()) },
});
const events = rg.zip(
  {
    muons: rg.unflatten(muons, counts),
    met: Float32Array.from(counts, random),
    number: Int32Array.from(counts, (_, i) => i),
  },
  { depthLimit: 1 },
);
console.log(events.type);

// Eight row groups of one file.
await rg.toParquet(rg.lazy(events, { npartitions: 8 }), path, { codec: "snappy" });

// Events with exactly two muons, of opposite charge.
const ds = await rg.fromParquet(path, { name: "events" });
const both = ds.field("muons").get(rg.num(ds.field("muons")).equal(2));
const [a, b] = [both.get(":", 0), both.get(":", 1)];
const isOpposite = a.field("charge").add(b.field("charge")).equal(0);

// m = √(2 p₁ p₂ (cosh Δη − cos Δφ))
const dEta = a.field("eta").subtract(b.field("eta"));
const dPhi = a.field("phi").subtract(b.field("phi"));
const product = a.field("pt").multiply(b.field("pt")).multiply(2);
const mass = product.multiply(dEta.cosh().subtract(dPhi.cos())).sqrt().get(isOpposite);

// What is read of the file: four columns of eight.
console.log(rg.necessaryColumns(mass));
const { bytesRead, bytesInAll } = rg.explainColumns(mass);
console.log(`${Math.round((100 * bytesRead) / bytesInAll)} % of the columns' bytes`);
assert.ok(bytesInAll < statSync(path).size);

// A histogram of each partition, by a function of our own; then the sum over all partitions.
const [LOW, HIGH, BINS] = [Math.log10(1), Math.log10(200), 100];
function histogram(part: rg.RaggedArray): rg.RaggedArray {
  const bins = new Array<number>(BINS).fill(0);
  for (const m of part.toList() as number[]) {
    const bin = Math.floor(((Math.log10(m) - LOW) / (HIGH - LOW)) * BINS);
    if (bin >= 0 && bin < BINS) bins[bin]!++;
  }
  return rg.fromIter([bins]);
}
const perPartition = rg.mapPartitions(histogram, mass, { type: "var * int64" });
const [spectrum, pairs] = await rg.compute([perPartition.sum({ axis: 0 }), mass.count()], {
  onFail: "pass",
});
const heights = spectrum.toList() as number[];
console.log(`${pairs} pairs`);

// Where are the peaks?
const massOf = (bin: number): number => 10 ** (LOW + ((bin + 0.5) / BINS) * (HIGH - LOW));
const isPeak = (bin: number): boolean =>
  [-4, -3, 3, 4].every((d) => heights[bin]! > 2 * (heights[bin + d] ?? 0)) &&
  [-2, -1, 1, 2].every((d) => heights[bin]! >= (heights[bin + d] ?? 0));
const peaks = heights.flatMap((_, bin) => (isPeak(bin) ? [massOf(bin)] : []));
console.log(`peaks: ${peaks.map((m) => `${m.toFixed(1)} GeV`).join(", ")}`);
assert.equal(peaks.length, 2);

/** Steps over a logarithmic axis. */
function picture(): string {
  const [width, height, margin] = [720, 360, 40];
  const x = (bin: number): number => margin + (bin / BINS) * (width - 2 * margin);
  const y = (n: number): number => height - margin - (n / Math.max(...heights)) * (height - 2 * margin);
  const steps = heights.map((n, bin) => `V${y(n).toFixed(1)}H${x(bin + 1).toFixed(1)}`).join("");
  const ticks = [1, 3, 10, 30, 91, 200].map((m) => {
    const at = x(((Math.log10(m) - LOW) / (HIGH - LOW)) * BINS).toFixed(1);
    return `<path d="M${at} ${y(0)}v6" stroke="black"/><text x="${at}" y="${y(0) + 20}">${m}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12"
  text-anchor="middle"><title>Masses of muon pairs</title>
<rect width="100%" height="100%" fill="white"/>
<path d="M${x(0)} ${y(0)}${steps}V${y(0)}Z" fill="#4878a8"/>
<path d="M${x(0)} ${y(0)}H${x(BINS)}" stroke="black"/>${ticks.join("")}
<text x="${width / 2}" y="${height - 4}">mass of the pair [GeV]</text>
<text x="${width / 2}" y="20">${pairs} pairs of opposite charge in ${EVENTS} events</text>
</svg>
`;
}
writeFileSync(join(folder, "dimuon.svg"), picture());
assert.ok(statSync(join(folder, "dimuon.svg")).size > 1000);

rmSync(folder, { recursive: true });
