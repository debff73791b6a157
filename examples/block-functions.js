// Functions of blocks that any thread can import, for examples/blocks.ts.

/** The mean of each element and its two neighbours along the last axis. */
export function smooth(block) {
  const { data, shape } = block;
  const columns = shape.at(-1);
  return data.map((value, i) => {
    const column = i % columns;
    const left = data[i - (column > 0 ? 1 : 0)];
    const right = data[i + (column < columns - 1 ? 1 : 0)];
    return (left + value + right) / 3;
  });
}
