// Does this engine have relaxed SIMD? Its multiply-add rounds once on machines that can, so the last bits of a
// product may differ between machines and engines; nothing but matmul uses it, and matmul can be told not to.

import { moduleOf } from "../module.ts";

function hasRelaxedSimd(): boolean {
  const probe = moduleOf(false, (w) => {
    const sum = w.local("v128");
    w.get(sum).get(sum).get(sum).op("f64x2.relaxed_madd").set(sum);
  });
  return WebAssembly.validate(probe);
}

export const hasFma: boolean = hasRelaxedSimd();
