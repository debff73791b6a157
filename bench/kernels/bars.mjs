// The bars of the kernels, held against what was measured. A bar is passed when both the best and the median pass it.

import { percentOf, ratioOf, timeOf } from "./ratios.mjs";

const LARGE = { E1: 2, E2: 2.5, E3: 4, E4: 1.8, E5: 1.3, E6: 4 };
const OTHER = { "E8.sum0": 1.2, "E8.sum1": 1.2, "E8.transpose": 3, "E9.cumsum": 1.5, "E9.sort": 0.5 };
const FROM_OUTSIDE = 0.6;
const MILLION = 1.2;

const dtypeOf = (id) => (id === "E5" ? "int32" : "float64");

const find = (rows, id, count) =>
  rows.find(
    (row) => row.kase.id === id && row.dtype === dtypeOf(id) && (count === null || row.count === count),
  );

/** `atLeast`: larger is better; otherwise smaller is. */
function judge(text, bar, unit, best, median, atLeast = true) {
  const holds = (value) => (atLeast ? value >= bar : value <= bar);
  if (best === null || best === undefined) return { text, bar, unit, atLeast, verdict: "not measured" };
  const verdicts = [holds(best), holds(median)];
  const verdict = verdicts.every(Boolean) ? "pass" : verdicts.some(Boolean) ? "in part" : "MISS";
  return { text, bar, unit, atLeast, best, median, verdict };
}

function ratioBar(rows, id, count, entry, bar, label) {
  const row = find(rows, id, count);
  const [best, median] =
    row === undefined ? [null, null] : ["best", "median"].map((measure) => ratioOf(row, entry, 2, measure));
  return judge(label, bar, "×", best, median);
}

function sizedBars(rows) {
  const out = [];
  for (const [id, bar] of Object.entries(LARGE)) {
    out.push(ratioBar(rows, id, 2e7, "cw2", bar, `${id}, 2e7`));
    out.push(ratioBar(rows, id, 2e7, "cw2 outside", bar * FROM_OUTSIDE, `${id}, 2e7, from outside`));
    out.push(ratioBar(rows, id, 1e6, "cw2", MILLION, `${id}, 1e6`));
    out.push(ratioBar(rows, id, 1e6, "cw2 outside", MILLION * FROM_OUTSIDE, `${id}, 1e6, from outside`));
  }
  return out;
}

function bandwidthBars(rows, bandwidth) {
  return Object.entries({ E1: 80, E2: 60 }).map(([id, bar]) => {
    const row = find(rows, id, 2e7);
    const [best, median] =
      row === undefined
        ? [null, null]
        : ["best", "median"].map((measure) => percentOf(row, "cw2", bandwidth, measure));
    return judge(`${id}, 2e7, of the bandwidth`, bar, "%", best, median);
  });
}

/** Single-threaded, at most four times the time of OpenBLAS. */
function matmulBars(rows, hasOpenBlas) {
  return rows
    .filter((row) => row.kase.id === "E7")
    .map((row) => {
      const [best, median] = ["best", "median"].map((measure) => {
        const ours = timeOf(row, "cw1", measure);
        const theirs = timeOf(row, "numpy", measure);
        return hasOpenBlas && ours !== undefined && theirs !== undefined ? ours / theirs : null;
      });
      return judge(`E7 ${row.dtype}, time beside OpenBLAS, one thread`, 4, "×", best, median, false);
    });
}

/** Every bar with its figure and its verdict. */
export function barsOf({ rows, bandwidth, small, hasOpenBlas }) {
  const others = Object.entries(OTHER).map(([id, bar]) => ratioBar(rows, id, null, "cw2", bar, id));
  const { scalar, fresh } = small ?? {};
  return [
    ...sizedBars(rows),
    ...others,
    ...matmulBars(rows, hasOpenBlas),
    ...bandwidthBars(rows, bandwidth),
    judge("a scalar-sized expression, warm", 50, "µs", scalar?.compute, scalar?.compute, false),
    judge("a fresh kernel", 3, "ms", fresh?.median, fresh?.median, false),
  ];
}
