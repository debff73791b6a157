import * as cw from "chunkwise";
import { test, expect } from "vitest";
test("q", () => {
  const x = Float64Array.from({length: 1000}, (_, i) => Math.sin(i*i));
  const s = x.slice().sort();
  for (const chunks of [1000, 64]) {
    const l = cw.asarray(x, {chunks});
    console.log(chunks, l.median().computeSync().item(), (s[499]+s[500])/2, l.quantile([0.1,0.9]).computeSync().toList(), l.quantile(.25,{method:"lower"}).computeSync().item(), s[249]);
    const m = l.reshape([10,100]);
    console.log(m.median({axis:1}).computeSync().toList().slice(0,3), m.quantile([.1,.5],{axis:0}).computeSync().shape, m.nanmedian({axis:0}).computeSync().toList().slice(0,3), m.median({axis:0}).computeSync().toList().slice(0,3));
  }
});
