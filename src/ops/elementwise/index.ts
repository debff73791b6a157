// The elementwise functions, by family. A new one is a line in one of these.

export * from "./arithmetic.ts";
export * from "./choice.ts";
export * from "./exponential.ts";
export * from "./logic.ts";
export * from "./special.ts";
export * from "./stopGradient.ts";
