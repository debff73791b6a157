// What is measured: the built package, from CHUNKWISE_DIST or dist/.

const DIST = process.env.CHUNKWISE_DIST ?? new URL("../../dist/", import.meta.url).pathname;

export const cw = await import(`${DIST}/index.js`);
/** Chunk by chunk; the public functions stand on this. */
export const storage = await import(`${DIST}/zarr.js`);

/** A block in memory that threads share, as blocks of tasks are. */
export function sharedBlock(shape) {
  const count = shape.reduce((a, b) => a * b, 1);
  const data = new Float64Array(new SharedArrayBuffer(8 * count));
  const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((a, b) => a * b, 1));
  return { dtype: "float64", shape, strides, offset: 0, data };
}
