// Functions of blocks that threads and other processes import.

/** Each element with its neighbours before and behind, as a sum; without the overlap. */
export function neighbours({ data }) {
  return data.map((_, i) => data[i] + (data[i + 1] ?? 0) + (data[i + 2] ?? 0)).slice(0, -2);
}

/** Least and largest of a row. */
export const range = ({ data }) => [Math.min(...data), Math.max(...data)];

/** A block and its negative. */
export const both = ({ data }) => [data.map((x) => -x), data.map((x) => 2 * x)];
