// Statistics of nested data, types enforced, arrays compared, data frames, JSON.

import * as rg from "chunkwise/ragged";

const show = (value: unknown): void => console.log(JSON.stringify(value));

const x = rg.fromIter([[1, 2, 4], [], [7, 9, null]]);
const y = rg.fromIter([[2, 3, 6], [], [0, 8, 1]]);

// Along an axis or over all; what is null in any does not count. Weights are arrays that broadcast.
show(rg.moment(x, 2, { axis: 1 }));
show(rg.covar(x, y));
show(rg.mean(x, { weight: [1, 1, 3] }));
show(rg.linearFit(x, y));
show(rg.softmax([[0, 0], [1]]));
show(rg.max(x, { axis: 1, initial: 5, maskIdentity: false }));

// Lazily the same: a value to be computed.
const lazy = rg.lazy(rg.zip({ x, y }), { npartitions: 3 });
const correlation = await rg.corr(lazy.field("x"), lazy.field("y")).compute();
console.log(Number(correlation).toFixed(6));

// Made to have a type; compared.
const typed = rg.enforceType(x, "var * ?float32");
console.log(typed.type);
show(rg.almostEqual(typed, x));
show(rg.almostEqual(typed, x, { exactTypes: false }));

// A row for each innermost element.
console.log(
  rg.toColumns([
    { id: 7, jets: [{ pt: 1.5 }, { pt: 2 }] },
    { id: 8, jets: [] },
  ]),
);

// JSON as a list or as lines, compressed or not, of a type.
const text = rg.toJson(
  [
    { a: [1], b: "x" },
    { a: [], b: null },
  ],
  { lines: true },
);
console.log((await rg.fromJson(text, { lines: true, type: "{a: var * float32, b: ?string}" })).type);
