// Histograms of nested data: axes, filling in memory and lazily, parts and sums, pictures.

import assert from "node:assert/strict";
import * as rg from "chunkwise/ragged";

const show = (value: unknown): void => console.log(JSON.stringify(value));
const { axis } = rg;

const events = rg.fromIter([
  { met: 12.5, kind: "signal", weight: 0.5, jets: [{ pt: 40 }, { pt: 25 }] },
  { met: null, kind: "data", weight: 1, jets: [] },
  { met: 80, kind: "data", weight: 1, jets: [{ pt: 90 }, { pt: 60 }, { pt: 210 }] },
]);

// Axes, and what lies where on them. A histogram never changes: fill gives another one.
const h = rg
  .hist(axis.regular(4, 0, 100, { name: "pt", label: "pt [GeV]" }))
  .fill(events.field("jets", "pt"));
console.log(String(h));
show(h.values().toList());
show(h.values({ flow: true }).toList());
show([...h.axis("pt").edges]);

// Lazily: filled partition by partition, and only what is counted is read.
console.log("\nLazily\n");
const lazy = rg.lazy(events, { npartitions: 3 });
const spectrum = rg.hist(
  axis.strCategory([], { growth: true, name: "kind" }),
  axis.variable([0, 50, 100, 500], { name: "pt" }),
);
const filled = spectrum.fill({
  kind: lazy.field("kind"),
  pt: lazy.field("jets", "pt"),
  weight: lazy.field("weight"),
});
assert.deepEqual(Object.values(filled.necessaryColumns()), [["kind", "weight", "jets.pt"]]);
const both = await filled.compute();
console.log(String(both));
show(both.values().toList());
show(both.variances().toList());

// With arrays and other histograms in one computation.
const [most, again] = await rg.compute([lazy.field("met").max(), filled]);
show([most, again.sum()]);

// Parts: a bin, a place, a label; ranges; fewer bins; sums.
console.log("\nParts\n");
show(both.get({ kind: "data" }).values().toList());
show(
  both
    .get({ pt: rg.loc(60) })
    .values()
    .toList(),
);
show(
  h
    .get({ pt: [rg.loc(50), null] })
    .values({ flow: true })
    .toList(),
);
show(
  h
    .get({ pt: rg.rebin(2) })
    .values()
    .toList(),
);
show(
  both
    .get({ kind: [null, null, "sum"] })
    .values()
    .toList(),
);
show(both.project("pt").values().toList());

// Sums of histograms; times a number; of area 1.
show(h.add(h.scale(0.5)).values().toList());
show(h.density().toList());

// Time: so many bins, or calendar units.
console.log("\nTime\n");
const days = rg.valuesAstype(["2024-01-31", "2024-02-01", "2024-02-29", null], "date");
const months = rg.hist(axis.datetime("month", "2024-01-01", "2024-04-01", { name: "day" })).fill(days);
show(months.axis("day").labels);
show(months.values().toList());

// A picture, rows for tables and plots, and what Observable Plot takes: Plot.plot(h.toPlot(Plot)).
const svg = h.toSVG({ title: "Jets", width: 480, height: 320 });
assert.match(svg, /^<svg/);
show(h.toRows()[1]);
