// Functions of a user's module, which every thread can import. In: a block with its elements in a row. Out: a new one.

export const doubled = (block) => block.data.map((value) => 2 * value);

/** Half the distance of the neighbours; the ends, which are cut off afterwards, stay as they are. */
export function neighbours(block) {
  const { data } = block;
  return data.map((value, i) => (i === 0 || i === data.length - 1 ? value : (data[i + 1] - data[i - 1]) / 2));
}
