// The price of an option by chance: 400,000 paths of 16 steps, each a product of what happened. Numbers are made where they are needed, and
// what is left is a mean and its error. The formula of Black and Scholes knows the answer.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import * as cw from "chunkwise";
import { lines } from "./plots/plot.ts";

const [paths, steps] = [400_000, 16];
const { spot, strike, rate, volatility, years } = {
  spot: 100,
  strike: 105,
  rate: 0.03,
  volatility: 0.2,
  years: 1,
};
const dt = years / steps;
const chance = cw.random(2026).normal([paths, steps], { chunks: [50_000, steps] });
const logs = chance.multiply(volatility * Math.sqrt(dt)).add((rate - volatility ** 2 / 2) * dt);
const last = logs.sum({ axis: 1 }).exp().multiply(spot);
const payoff = cw.maximum(last.subtract(strike), 0).multiply(Math.exp(-rate * years));

const [mean, spread, some] = await cw.compute(
  payoff.mean(),
  payoff.std(),
  logs.get(":6").cumulativeSum({ axis: 1 }).exp().multiply(spot),
);
const error = Number(spread.item()) / Math.sqrt(paths);
console.log(`${Number(mean.item()).toFixed(3)} ± ${error.toFixed(3)}`);
const { monteCarlo: expected } = JSON.parse(readFileSync(new URL("expected.json", import.meta.url), "utf8"));
console.log("the formula:", expected.toFixed(3));
assert.ok(Math.abs(Number(mean.item()) - expected) < 4 * error);

const shown = Array.from({ length: 6 }, (_, i) =>
  Array.from({ length: steps }, (_, j) => Number(Number(some.data[i * steps + j]).toFixed(6))),
);
writeFileSync(
  new URL("plots/monte-carlo.svg", import.meta.url),
  lines("Six of the paths", shown, { across: "step", up: "price" }),
);
