// Windows and grids: filters, rolling statistics, differences, interpolation.

export type { BorderMode, BorderOptions } from "./borders.ts";
export * from "./comparing.ts";
export { type ConvolveOptions, convolve, correlate } from "./convolution.ts";
export { type GradientOptions, gradient, type Spacing, type UnwrapOptions, unwrap } from "./differences.ts";
export {
  type GaussianFilterOptions,
  gaussianFilter,
  maximumFilter,
  medianFilter,
  minimumFilter,
  rankFilter,
  uniformFilter,
  type WindowFilterOptions,
} from "./filters.ts";
export {
  type Coarsening,
  type CoarsenOptions,
  coarsen,
  type PyramidOptions,
  pyramid,
  type SlidingWindowOptions,
  slidingWindowView,
} from "./grids.ts";
export { type InterpOptions, interp } from "./interpolation.ts";
export { type Rolling, type RollingOptions, rolling, type SpreadOptions } from "./rolling.ts";
