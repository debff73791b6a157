// Indexing: get selects, set replaces and gives a new array. The rules are NumPy's.

import assert from "node:assert/strict";
import * as cw from "chunkwise";

const x = cw.arange(12).reshape([3, 4]);
console.log(await x.compute());

const show = async (what: string, selected: cw.LazyArray): Promise<void> => {
  console.log(`${what}\n${await selected.compute()}`);
};

// One item per axis: a whole number drops its axis, a slice keeps it. Axes left out are taken whole.
await show("one row", x.get(1));
await show("the last element of each row", x.get(":", -1));
await show("every other column, backwards", x.get(":", "::-2"));
await show("the same with cw.slice", x.get(":", cw.slice(null, null, -2)));
await show("the last axis after all others", x.get("...", 0));
await show("a new axis", x.get(0, null));
assert.deepEqual(x.get(":", -1).computeSync().toList(), [3, 7, 11]);
assert.deepEqual(x.get(0, null).shape, [1, 4]);

// Integer arrays pick places; several of them broadcast together.
await show("rows 2 and 0", x.get([2, 0]));
await show("two single elements", x.get([0, 2], [1, 3]));
await show("columns 3 and 0 of every row", x.take([3, 0], { axis: 1 }));
assert.deepEqual(x.get([0, 2], [1, 3]).computeSync().toList(), [1, 11]);

// A mask selects, in memory or computed later; where keeps the shape.
const isWanted = [true, false, true];
await show("rows where a mask in memory holds", x.get(isWanted));
const isLarge = x.greater(7);
await show("large ones, the others 0", cw.where(isLarge, x, 0));
await show("large ones alone", x.get(isLarge));
assert.deepEqual(x.get(isLarge).computeSync().toList(), [8, 9, 10, 11]);

// Places of one array applied to another of the same shape.
const scores = cw.asarray([
  [3, 1, 2],
  [7, 9, 8],
]);
const order = scores.argsort({ axis: 1 });
await show("sorted by places", scores.takeAlongAxis(order, { axis: 1 }));
assert.deepEqual(scores.takeAlongAxis(order).computeSync().toList(), [
  [1, 2, 3],
  [7, 8, 9],
]);

// set takes the selection (several items in a list) and a value that broadcasts. x itself stays as it is.
await show("one row replaced", x.set(1, -1));
await show("a block replaced", x.set(["1:", ":2"], [[100], [200]]));
await show("the last element of rows 0 and 2 replaced", x.set([[0, 2], -1], 0));
await show("where a lazy mask holds", x.set(isLarge, 0));
assert.equal(x.set(1, -1).computeSync().item(1, 3), -1);
assert.equal(x.computeSync().item(1, 3), 7);
