// How near stabilizing rules come to the true values: for each, the largest error of the formula as it is written and of what
// the rule makes of it, in ulps of the correctly rounded value, over thousands of points of the domain; and by how much it is
// worse at the point where it is most so. Writes the table of docs/accuracy.md. True values are mpmath's.
// Run: node scripts/ulps.mjs [points] [rule …] (after npm run build; needs Python with mpmath).

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as cw from "chunkwise";
import { optimize, pipeline } from "chunkwise/rewrite";
import { pointsOf } from "./ulps/points.mjs";
import { CASES } from "./ulps/rules.mjs";

const ROOT = process.env.ULPS_ROOT ?? join(import.meta.dirname, "..");
const PYTHON = "/usr/bin/python3";
const COUNT = Number(process.argv[2] ?? 4000);
const ONLY = process.argv.slice(3);
/** What a rule may be worse by, anywhere. */
export const MARGIN = 1;

const names = ONLY.length > 0 ? ONLY : Object.keys(CASES);

/** One operand of all points; rows of one length at a time would be many computations, so each row is one. */
const operandsOf = (points) => points[0].map((_, i) => points.map((point) => point[i]));
const numbers = (array) =>
  [...array.data].map((x) =>
    Number.isNaN(x) ? null : x === Infinity ? "inf" : x === -Infinity ? "-inf" : x,
  );

function evaluate(build, points, options) {
  if (!Array.isArray(points[0][0]))
    return numbers(
      build(...operandsOf(points).map((list) => cw.asarray(Float64Array.from(list)))).computeSync(options),
    );
  return points.map(([row]) => {
    const found = numbers(build(cw.asarray(Float64Array.from(row))).computeSync(options));
    return found.length === 1 ? found[0] : found;
  });
}

const cases = {};
for (const [i, name] of names.entries()) {
  const [build, formula, sampler] = CASES[name];
  const points = pointsOf(sampler, COUNT, i + 1);
  const probe = build(...points[0].map((value) => cw.asarray(Float64Array.from([value].flat()))));
  const { report } = optimize([probe.expr], { mode: "none", include: [name] });
  const fired = report.stages.some(({ applied }) => name in applied);
  if (!fired) throw new Error(`${name} does not fire on its formula`);
  cases[name] = {
    formula,
    points,
    results: {
      before: evaluate(build, points, { mode: "none" }),
      after: evaluate(build, points, { mode: "none", include: [name] }),
    },
  };
}

const python = spawnSync(PYTHON, [join(ROOT, "scripts/ulps/truth.py")], {
  input: JSON.stringify(cases),
  maxBuffer: 2 ** 30,
  encoding: "utf8",
});
if (python.status !== 0) throw new Error(python.stderr);
const found = JSON.parse(python.stdout);

const value = (error) => (error === "inf" ? Infinity : error);
const text = (error) => (error === Infinity ? "∞" : error >= 1e4 ? error.toExponential(0) : String(error));
const rules = new Map(pipeline.rules.map((rule) => [rule.name, rule]));
const rows = names.map((name) => {
  const { before, after } = found[name];
  let [most, least, worse, at, beyond] = [0, 0, 0, -1, 0];
  before.forEach((error, i) => {
    if (error === null && after[i] === null) return;
    const [was, is] = [value(error) ?? Infinity, value(after[i]) ?? Infinity];
    most = Math.max(most, was);
    least = Math.max(least, is);
    const by = is === was ? 0 : is - was;
    if (by > worse) [worse, at] = [by, i];
    if (by > MARGIN) beyond++;
  });
  return {
    name,
    before: most,
    after: least,
    worse,
    beyond,
    count: before.length,
    at,
    on: rules.get(name).tags.includes("fastRun"),
  };
});
for (const row of rows) {
  const { points, results } = cases[row.name];
  const places = points.flatMap((point, i) => [results.after[i]].flat().map(() => point));
  const point = row.at < 0 ? "" : JSON.stringify(places[row.at]);
  console.log(
    `${row.on ? "on " : "off"} ${row.name}: before ${text(row.before)}, after ${text(row.after)}, worse by ${text(row.worse)} (${row.beyond} of ${row.count} beyond) ${row.worse > MARGIN ? `!! ${point}` : ""}`,
  );
}

if (ONLY.length === 0) {
  const path = join(ROOT, "docs/accuracy.md");
  const [begin, end] = ["<!-- ulps: begin -->", "<!-- ulps: end -->"];
  const cell = (s) => `\`${s}\``;
  const lines = rows.map(
    ({ name, before, after, worse, on }) =>
      `| ${cell(name)} | ${rules.get(name).equation.replaceAll("|", "\\|")} | ${text(before)} | ${text(after)} | ${text(worse)} | ${on ? "on" : "off"} |`,
  );
  const table = [
    "| rule | equation | as written | by the rule | worse by at most | |",
    "| --- | --- | --- | --- | --- | --- |",
    ...lines,
  ].join("\n");
  const page = readFileSync(path, "utf8");
  const from = page.indexOf(begin);
  if (from >= 0)
    writeFileSync(
      path,
      `${page.slice(0, from + begin.length)}\n\n${table}\n\n${page.slice(page.indexOf(end))}`,
    );
}
