// A year of hours: temperatures with gaps, their mean of seven days and how far they are apart, in chunks of a month. Windows reach into
// the month before; nothing but the results is stored.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import * as cw from "chunkwise";
import { lines } from "./plots/plot.ts";

const hour = cw.arange(0, 8760, 1, { dtype: "float64", chunks: 720 });
const seasons = hour
  .multiply((2 * Math.PI) / 8760)
  .cos()
  .multiply(-9);
const days = hour
  .multiply((2 * Math.PI) / 24)
  .cos()
  .multiply(-4);
const weather = hour.multiply(0.0137).sin().add(hour.multiply(0.0041).cos()).multiply(3);
const measured = seasons.add(days).add(weather).add(11);
// Every seventh hour of every eleventh day is missing.
const isMissing = hour.remainder(7).equal(0).logicalAnd(hour.floorDivide(24).remainder(11).equal(0));
const temperature = cw.where(isMissing, Number.NaN, measured);

const week = cw.rolling(temperature, 168, { minPeriods: 24 });
const [means, spreads] = await cw.compute(week.mean(), week.std());
const at = [23, 24, 167, 4000, 8759];
console.log("means:", at.map((i) => means.data[i]!.toFixed(3)).join(" "));
console.log("spreads:", at.map((i) => spreads.data[i]!.toFixed(3)).join(" "));

const { rollingMean: expected } = JSON.parse(readFileSync(new URL("expected.json", import.meta.url), "utf8"));
const near = (found: Float64Array, wanted: readonly (number | null)[]): void =>
  wanted.forEach((x, k) => {
    const value = found[97 * k]!;
    assert.ok(x === null ? Number.isNaN(value) : Math.abs(value - x) < 1e-10, `${k}: ${value} and ${x}`);
  });
near(means.data, expected.means);
near(spreads.data, expected.spreads);

const shown = [...means.data].filter((_, i) => i % 24 === 23);
const plot = lines("The mean of seven days", [shown], { across: "day", up: "°C" });
writeFileSync(new URL("plots/rolling-mean.svg", import.meta.url), plot);
