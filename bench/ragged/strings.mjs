// Functions of texts beside DuckDB's, on the same million texts in memory: processor time of this process, the best of some runs, one
// after the other. Run: npm run build && node bench/ragged/strings.mjs

import { DuckDBInstance } from "@duckdb/node-api";
import * as rg from "../../dist/ragged.js";

const ROWS = 1_000_000;
const WORDS = [
  "alpha",
  "Beta",
  "gamma ray",
  "delta_01",
  "epsilon.zeta",
  "eta",
  "theta-iota",
  "https://example.org/a?b=1",
];
const texts = Array.from({ length: ROWS }, (_, i) => `${WORDS[i % 8]} ${WORDS[(i * 7) % 5]} ${i % 1000}`);
const x = rg.valuesAstype(texts, "string");

const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
const db = await instance.connect();
await db.run(`CREATE TABLE t AS SELECT list_extract(${JSON.stringify(WORDS).replaceAll('"', "'")}, 1 + i % 8) || ' ' ||
  list_extract(${JSON.stringify(WORDS).replaceAll('"', "'")}, 1 + (i * 7) % 5) || ' ' || (i % 1000) s FROM range(${ROWS}) r(i)`);

const { str } = rg;
const CASES = [
  ["length", () => str.length(x), "length(s)"],
  ["upper", () => str.upper(x), "upper(s)"],
  ["lower", () => str.lower(x), "lower(s)"],
  ["reverse", () => str.reverse(x), "reverse(s)"],
  ["slice", () => str.slice(x, 2, 7), "substring(s, 3, 5)"],
  ["startsWith", () => str.startsWith(x, "alpha"), "starts_with(s, 'alpha')"],
  ["matchSubstring", () => str.matchSubstring(x, "delta"), "contains(s, 'delta')"],
  ["matchLike", () => str.matchLike(x, "%ray%1"), "s LIKE '%ray%1'"],
  ["matchSubstringRegex", () => str.matchSubstringRegex(x, "[0-9]{3}$"), "regexp_matches(s, '[0-9]{3}$')"],
  ["findSubstring", () => str.findSubstring(x, "a"), "instr(s, 'a') - 1"],
  ["replaceSubstring", () => str.replaceSubstring(x, "a", "bb"), "replace(s, 'a', 'bb')"],
  ["trimWhitespace", () => str.trimWhitespace(x), "trim(s)"],
  ["lpad", () => str.lpad(x, 40), "lpad(s, 40, ' ')"],
  ["splitPattern", () => str.splitPattern(x, " "), "string_split(s, ' ')"],
  ["isIn", () => str.isIn(x, texts.slice(0, 8)), `s IN (${texts.slice(0, 8).map((t) => `'${t}'`)})`],
];

const cpuOf = async (run) => {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

console.log("function              ours ms   DuckDB ms   ratio");
for (const [name, ours, sql] of CASES) {
  const [a, b] = [[], []];
  for (let k = 0; k < 5; k++) {
    a.push(await cpuOf(async () => ours()));
    // The result is made, and not handed out.
    b.push(await cpuOf(() => db.run(`CREATE OR REPLACE TEMP TABLE o AS SELECT ${sql} v FROM t`)));
  }
  const [own, theirs] = [Math.min(...a), Math.min(...b)];
  console.log(
    `${name.padEnd(20)} ${own.toFixed(1).padStart(8)} ${theirs.toFixed(1).padStart(11)} ${(own / theirs).toFixed(2).padStart(7)}`,
  );
}
