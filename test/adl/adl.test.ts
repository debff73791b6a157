// The eight ADL queries of examples/adl beside DuckDB's SQL on the same file: the same bins. What they read of the file is exactly
// what they need, and each is a dozen lines at most.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as rg from "chunkwise/ragged";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeEvents } from "../../examples/adl/events.ts";
import * as adl from "../../examples/adl/queries.ts";
import { type Duck, openDuck } from "../parquet/support.ts";

const folder = mkdtempSync(join(tmpdir(), "chunkwise-adl-test-"));
const path = join(folder, "events.parquet");
const duck = await openDuck();
let events: rg.LazyRagged;
beforeAll(async () => {
  await writeEvents(path, 4000, 3);
  events = await rg.fromParquet(path, { name: "events" });
});
afterAll(() => rmSync(folder, { recursive: true }));

const XYZT = (j: string): string =>
  `${j}.pt::double * cos(${j}.phi::double) x, ${j}.pt::double * sin(${j}.phi::double) y,
   ${j}.pt::double * sinh(${j}.eta::double) z,
   sqrt(${j}.mass::double ** 2 + (${j}.pt::double * cosh(${j}.eta::double)) ** 2) t`;
const MASS = (...v: readonly string[]): string => {
  const total = (c: string): string => `(${v.map((name) => `${name}.${c}`).join("+")})`;
  return `sqrt(greatest(0, ${total("t")}**2 - ${total("x")}**2 - ${total("y")}**2 - ${total("z")}**2))`;
};
const TURNED = (a: string): string => `atan2(sin(${a}), cos(${a}))`;
const VECTORS = (list: string): string =>
  `v AS (SELECT id, met0, phi0, i, j.*, ${XYZT("j")} FROM
   (SELECT id, met0, phi0, generate_subscripts(l, 1) i, unnest(l) j FROM (SELECT id, met0, phi0, ${list} l FROM e)))`;
const LEPTONS = `list_concat([{pt: a.pt, eta: a.eta, phi: a.phi, mass: a.mass, charge: a.charge, kind: 0} for a in Electron],
  [{pt: a.pt, eta: a.eta, phi: a.phi, mass: a.mass, charge: a.charge, kind: 1} for a in Muon])`;

/** Each gives the values that are counted, as v. */
const SQL: { readonly [name: string]: string } = {
  q1: "SELECT MET.pt v FROM e",
  q2: "SELECT unnest(Jet).pt v FROM e",
  q3: "SELECT j.pt v FROM (SELECT unnest(Jet) j FROM e) WHERE abs(j.eta) < 1",
  q4: "SELECT MET.pt v FROM e WHERE len([j for j in Jet if j.pt > 40]) >= 2",
  q5: `WITH ${VECTORS("Muon")} SELECT any_value(a.met0) v FROM v a JOIN v b ON a.id = b.id AND a.i < b.i
    WHERE a.charge <> b.charge AND ${MASS("a", "b")} BETWEEN 60 AND 120 GROUP BY a.id`,
  q6: `WITH ${VECTORS("Jet")}, m AS (SELECT a.id, ${MASS("a", "b", "c")} m, sqrt((a.x+b.x+c.x)**2 + (a.y+b.y+c.y)**2) pt,
    greatest(a.btag, b.btag, c.btag) btag FROM v a JOIN v b ON a.id = b.id AND a.i < b.i JOIN v c ON b.id = c.id AND b.i < c.i)
    SELECT arg_min(pt, abs(m - 172.5)) v, arg_min(btag, abs(m - 172.5)) w FROM m GROUP BY id`,
  q7: `WITH l AS (SELECT id, unnest(${LEPTONS}) l FROM e), j AS (SELECT id, unnest(Jet) j FROM e),
    free AS (SELECT id, j FROM j WHERE j.pt > 30 AND NOT EXISTS (SELECT 1 FROM l WHERE l.id = j.id AND l.pt > 10 AND
      sqrt((j.eta::double - l.eta::double)**2 + (${TURNED("j.phi::double - l.phi::double")})**2) < 0.4))
    SELECT coalesce(sum(free.j.pt), 0) v FROM e LEFT JOIN free ON e.id = free.id GROUP BY e.id`,
  q8: `WITH ${VECTORS(LEPTONS)}, p AS (SELECT a.id, a.i i, b.i k, abs(${MASS("a", "b")} - 91.2) d FROM v a JOIN v b
      ON a.id = b.id AND a.i < b.i WHERE a.kind = b.kind AND a.charge <> b.charge AND (SELECT count(*) FROM v c WHERE c.id = a.id) >= 3),
    best AS (SELECT id, arg_min(i, d) i, arg_min(k, d) k FROM p GROUP BY id),
    o AS (SELECT v.id, any_value(met0) met0, any_value(phi0) phi0, arg_max(pt, pt) pt, arg_max(phi, pt) phi FROM v JOIN best ON v.id = best.id
      AND v.i <> best.i AND v.i <> best.k GROUP BY v.id)
    SELECT sqrt(2 * pt::double * met0 * (1 - cos(phi::double - phi0))) v FROM o`,
};

/** What SQL's values count, with the flow. */
function counted(values: readonly number[], stop: number): number[] {
  const bins = new Array<number>(102).fill(0);
  for (const value of values)
    bins[value >= stop ? 101 : value < 0 ? 0 : 1 + Math.floor(value / (stop / 100))]! += 1;
  return bins;
}

const names = Object.keys(SQL);
const queries = new Map<string, (events: rg.LazyRagged) => unknown>(Object.entries(adl));
const histsOf = (name: string): readonly rg.LazyHist[] =>
  [queries.get(name)!(events)].flat() as readonly rg.LazyHist[];

describe.runIf(typeof duck !== "string")("DuckDB counts the same", () => {
  test.each(names)("%s", async (name) => {
    const db = duck as Duck;
    await db.run(
      `CREATE OR REPLACE VIEW e AS SELECT *, row_number() OVER () id, MET.pt::double met0, MET.phi::double phi0 FROM '${path}'`,
    );
    const rows = await db.rows(SQL[name]!);
    const hists = await rg.compute(histsOf(name));
    const columns = ["v", "w"].slice(0, hists.length);
    expect(rows.length).toBeGreaterThan(100);
    hists.forEach((hist, at) => {
      const values = rows.map((row) => Number(row[columns[at]!]));
      const stop = hist.axes[0]!.edges[100]!;
      expect(hist.values({ flow: true }).toList()).toEqual(counted(values, stop));
    });
  });
});

const all = (list: string, fields: string): string[] => fields.split(" ").map((name) => `${list}.${name}`);
const FOUR = "pt eta phi mass";
const READ: { readonly [name: string]: readonly (readonly string[])[] } = {
  q1: [["MET.pt"]],
  q2: [["Jet.pt"]],
  q3: [all("Jet", "pt eta")],
  q4: [["MET.pt", "Jet.pt"]],
  q5: [["MET.pt", ...all("Muon", `${FOUR} charge`)]],
  q6: [all("Jet", FOUR), all("Jet", `${FOUR} btag`)],
  q7: [["Jet", "Muon", "Electron"].flatMap((list) => all(list, "pt eta phi"))],
  q8: [[...all("MET", "pt phi"), ...["Muon", "Electron"].flatMap((list) => all(list, `${FOUR} charge`))]],
};

test.each(names)("%s reads what it needs and nothing else", (name) => {
  expect(histsOf(name).map((hist) => hist.necessaryColumns()["events"])).toEqual(READ[name]);
});

test("each is a dozen lines at most", () => {
  const text = readFileSync(new URL("../../examples/adl/queries.ts", import.meta.url), "utf8");
  const bodies = text.split(/^export /m).slice(1);
  expect(bodies.length).toBe(8);
  for (const body of bodies) expect(body.split("\n}\n")[0]!.split("\n").length - 1).toBeLessThanOrEqual(12);
});
