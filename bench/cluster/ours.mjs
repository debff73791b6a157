// The built package, as its users load it.

export const cw = await import("../../dist/index.js");
export const { bullmq } = await import("../../dist/bullmq.js");
