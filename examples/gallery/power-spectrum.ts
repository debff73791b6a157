// The power spectrum of a signal in parts that overlap by half, as Welch has it: windows as an axis, a taper, transforms, and the mean of
// their powers. Two tones show above the rest.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import * as cw from "chunkwise";
import { lines } from "./plots/plot.ts";

const [rate, length] = [1000, 256];
const t = cw.arange(0, 16_384, 1, { dtype: "float64", chunks: 4096 }).divide(rate);
const tone = (hertz: number): cw.LazyArray => t.multiply(2 * Math.PI * hertz).sin();
const drift = t.multiply(t).multiply(0.9).sin();
const signal = tone(125).add(tone(310).multiply(0.3)).add(drift);

const parts = cw.slidingWindowView(signal, length).get(`::${length / 2}`);
const place = cw.arange(0, length, 1, { dtype: "float64" });
const taper = place
  .multiply((2 * Math.PI) / length)
  .cos()
  .multiply(-0.5)
  .add(0.5);
const centred = parts.subtract(parts.mean({ axis: -1, keepdims: true }));
const power = cw.square(cw.abs(cw.fft.rfft(centred.multiply(taper))));
// Frequencies between the first and the last stand for two each.
const sides = cw.asarray(
  Float64Array.from({ length: length / 2 + 1 }, (_, k) => (k % (length / 2) === 0 ? 1 : 2)),
);
const spectrum = power.mean({ axis: 0 }).multiply(sides).divide(taper.square().sum().multiply(rate));
const [found, at] = await cw.compute(spectrum, cw.fft.rfftfreq(length, { d: 1 / rate }));

const loudest = [...found.data].indexOf(Math.max(...(found.data as Float64Array)));
console.log("the loudest:", Number(at.data[loudest]).toFixed(1), "Hz");
const { powerSpectrum: expected } = JSON.parse(
  readFileSync(new URL("expected.json", import.meta.url), "utf8"),
);
expected.forEach((each: number, k: number) =>
  assert.ok(Math.abs(Number(found.data[k]) - each) < 1e-9 * Math.max(...expected)),
);

const decibels = [...found.data].map((x) => 10 * Math.log10(Number(x)));
const plot = lines("Power spectrum", [decibels], {
  across: "Hz",
  up: "dB",
  fromTo: { across: [0, rate / 2], up: [0, 0] },
});
writeFileSync(new URL("plots/power-spectrum.svg", import.meta.url), plot);
