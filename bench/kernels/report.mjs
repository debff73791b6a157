// The tables: one per dtype and size, a row per expression, the best time of every entry in ms, and the ratios.

import { isPrecise } from "./data.mjs";
import { bestPeer, percentOf, ratioOf } from "./ratios.mjs";
import { ENTRIES } from "./roster.mjs";

const digits = (value) =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toPrecision(3);
const number = (value, unit = "") =>
  value === null || value === undefined ? "–" : `${digits(value)}${unit}`;

/** Columns padded to their widest cell; the first one to the left. */
export function aligned(lines) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => [...line[column]].length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => {
          const space = " ".repeat(widths[column] - [...cell].length);
          return column === 0 ? cell + space : space + cell;
        })
        .join("  "),
    )
    .join("\n");
}

function cellOf(row, id) {
  const outcome = row.outcomes.find((one) => one.id === id);
  if (outcome?.best === undefined)
    return outcome === undefined || outcome.why === "not offered" ? "–" : "failed";
  return digits(outcome.best) + (outcome.agrees ? "" : "≠");
}

function lineOf(row, ids, bandwidth) {
  return [
    `${row.kase.id}  ${row.kase.text}`,
    ...ids.map((id) => cellOf(row, id)),
    bestPeer(row, 2)?.id ?? "–",
    number(ratioOf(row, "cw2", 2), "×"),
    number(ratioOf(row, "cw1", 1), "×"),
    number(ratioOf(row, "cw2 outside", 2), "×"),
    number(percentOf(row, "cw2", bandwidth), "%"),
  ];
}

function tableOf(title, rows, bandwidth) {
  const measured = ENTRIES.filter(({ id }) =>
    rows.some((row) => row.outcomes.some((one) => one.id === id && one.best !== undefined)),
  );
  const ids = measured.map(({ id }) => id);
  const head = [title, ...ids, "best peer", "2 threads", "1 thread", "outside", "bandwidth"];
  return aligned([head, ...rows.map((row) => lineOf(row, ids, bandwidth))]);
}

function titleOf(row) {
  if (row.kase.shape !== null) return `${row.dtype}, ms`;
  return `${row.dtype}, ${row.count.toExponential().replace("+", "")}, ms`;
}

function tables(rows, bandwidth) {
  const groups = new Map();
  for (const row of rows) {
    const title = titleOf(row);
    groups.set(title, [...(groups.get(title) ?? []), row]);
  }
  return [...groups].map(([title, group]) => tableOf(title, group, bandwidth));
}

/** What did not work, and whose result differs, each once per case. */
function troubles(rows) {
  const lines = [];
  for (const row of rows) {
    for (const outcome of row.outcomes) {
      const where = `${row.kase.id} ${row.dtype} ${row.count}, ${outcome.id}`;
      const apart = outcome.apart?.toExponential(0);
      if (outcome.agrees === false) lines.push(`${where}: differs by ${apart} (≠), not counted as best`);
      else if (outcome.best !== undefined && !isPrecise(outcome.apart, row.dtype)) {
        lines.push(`${where}: good to ${apart} only, counted`);
      } else if (outcome.why !== undefined && outcome.why !== "not offered")
        lines.push(`${where}: ${outcome.why}`);
    }
  }
  return lines;
}

function barLine({ text, bar, unit, atLeast, best, median, verdict }) {
  const sign = atLeast ? "≥" : "≤";
  const figures = best === undefined ? ["–", "–"] : [number(best, ` ${unit}`), number(median, ` ${unit}`)];
  return [text, `${sign} ${+bar.toPrecision(3)} ${unit}`, ...figures, verdict];
}

/** Everything, as text. */
export function reportOf({ rows, bandwidth, gigabytes, small, bars }) {
  const parts = tables(rows, bandwidth);
  const kinds = Object.entries(gigabytes).map(([kind, value]) => `${kind} ${number(value)}`);
  parts.push(`Memory bandwidth, triad, 2 threads, GB/s: ${kinds.join(", ")}; percentages are of the larger.`);
  if (small !== null) {
    const { scalar, fresh } = small;
    parts.push(
      `Scalar-sized: compute ${number(scalar.compute)} µs, computeSync ${number(scalar.computeSync)} µs. ` +
        `Fresh kernel: median ${number(fresh.median)} ms, worst ${number(fresh.worst)} ms.`,
    );
  }
  const wrong = troubles(rows);
  if (wrong.length > 0) parts.push(wrong.join("\n"));
  const judged = bars.filter(({ verdict }) => verdict !== "not measured");
  if (judged.length > 0) {
    parts.push(aligned([["bar", "", "best", "median", ""], ...judged.map(barLine)]));
  }
  if (judged.length < bars.length) parts.push(`${bars.length - judged.length} bars were not measured.`);
  return parts.join("\n\n");
}
