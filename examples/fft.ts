// Fourier transforms: of any length, along any axes; the loudest frequency of a noisy signal.

import assert from "node:assert/strict";
import * as cw from "chunkwise";

console.log(await cw.fft.rfft([1, 2, 3, 4]).compute());

// Eight seconds, a thousand samples each: 50 Hz and noise.
const t = cw.arange(8000).divide(1000);
const signal = t
  .multiply(2 * Math.PI * 50)
  .sin()
  .add(cw.random(3).normal(8000));
const power = cw.square(cw.abs(cw.fft.rfft(signal)));
const loudest = cw.fft.rfftfreq(8000, { d: 1 / 1000 }).get(Number((await power.argmax().compute()).item()));
console.log(Number((await loudest.compute()).item()), "Hz");

// There and back again.
const image = cw.random(4).uniform([30, 53]);
const again = cw.fft.irfftn(cw.fft.rfftn(image), { s: [30, 53] });
const off = await cw.max(cw.abs(again.subtract(image))).compute();
assert(Number(off.item()) < 1e-14);
