// A format as a module that every thread can import, for examples/own-format.ts: a grid of float32 as it is, row by row, in
// "x.grid", and its shape in "x.grid.json".

const head = (path) => `${path}.json`;

/** What tasks write with, on whichever thread they are: rows go to where they belong in the file that was reserved. */
const writer = (store, { reserved, columns }) => ({
  write: ({ start }, elements) =>
    store.setRange(reserved, 4 * start[0] * columns, new Uint8Array(elements.buffer)),
});

export default {
  kind: "dense",
  // What is read: the type, how it is best cut, and the elements of a box that is no larger than that.
  async open({ store, path }) {
    const bytes = await store.get(head(path));
    if (bytes === undefined) throw new Error(`there is no ${head(path)}`);
    const { shape, rows } = JSON.parse(new TextDecoder().decode(bytes));
    return {
      dtype: "float32",
      shape,
      chunks: [rows, shape[1]],
      async read({ start, shape: [count, width] }) {
        const offset = 4 * start[0] * shape[1];
        const lines = await store.getRange(path, { offset, length: 4 * count * shape[1] });
        const all = new Float32Array(lines.slice().buffer);
        return Float32Array.from({ length: count * width }, (_, i) => {
          const row = Math.floor(i / width);
          return all[row * shape[1] + start[1] + (i % width)];
        });
      },
    };
  },
  // What is written: `unit` is one task's. Nothing is changed before `begin`, and nobody sees anything before `finish`.
  prepare({ store, path }, { dtype, shape, chunks }) {
    if (dtype !== "float32" || shape.length !== 2) throw new Error("a grid has float32 on two axes");
    const rows = chunks[0];
    return {
      unit: [rows, shape[1]],
      async begin() {
        const reserved = await store.reserve(path, 4 * shape[0] * shape[1]);
        const sent = { reserved, columns: shape[1] };
        return {
          ...writer(store, sent),
          sent, // plain data, of which `writerAt` makes the same writer elsewhere
          async finish() {
            await store.publish(reserved, path);
            await store.set(head(path), new TextEncoder().encode(JSON.stringify({ shape, rows })));
          },
          abandon: () => store.delete(reserved),
        };
      },
    };
  },
  writerAt: ({ store }, sent) => writer(store, sent),
};
