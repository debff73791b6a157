// `chunkwise head`: the first elements of an array, or the first rows of nested data. In: a place. Out: text, or JSON; only what is
// shown is computed.

import type { LazyRagged } from "../array/ragged/raggedArrays.ts";
import { shapeText } from "../core/chunks.ts";
import type { LazyArray } from "../lazy/lazyArray.ts";
import { command, JSON_OUT, PATH, print, printJson, SELECT, selectionGiven } from "./command.ts";
import type { Given } from "./commandOptions.ts";
import { arrayAt, openPlace } from "./openPlace.ts";

/** So many elements of the last axis are shown, whatever its length. */
const COLUMNS = 8;

export const headCommand = command({
  name: "head",
  summary: "the first elements or rows",
  places: ["<place>"],
  about: "Shows the first elements along each axis of an array, or the first rows of Parquet and JSON lines.",
  options: [PATH, SELECT, { name: "rows", value: "<n>", unless: "5", text: "how many" }, JSON_OUT],
  async run(given) {
    const rows = given.number("rows", 5, [1, 10_000]);
    const found = await openPlace(given.place(0, "the place"), given.one("path"));
    return found.kind === "rows"
      ? headOfRows(found.rows, rows, given)
      : headOfArray(await arrayAt(given), rows, given);
  },
});

async function headOfArray(array: LazyArray, rows: number, given: Given): Promise<void> {
  const { shape, dtype } = array;
  const isWhole = selectionGiven(given).length > 0;
  const part = shape.map((n, axis) => Math.min(n, axis === shape.length - 1 && axis > 0 ? COLUMNS : rows));
  const first = isWhole || shape.length === 0 ? array : array.get(...part.map((n) => `:${n}`));
  const values = await first.compute();
  if (given.has("json")) return printJson({ dtype, shape, first: values.shape, data: values.toList() });
  print(String(values));
  if (shapeText(values.shape) !== shapeText(shape)) print(`of ${dtype} ${shapeText(shape)}`);
}

interface Rows {
  readonly get: (item: string) => { readonly compute: () => Promise<{ toList(): unknown }> };
}

async function headOfRows(array: LazyRagged, rows: number, given: Given): Promise<void> {
  const first = (await (array as unknown as Rows).get(`:${rows}`).compute()).toList() as readonly unknown[];
  if (given.has("json")) return printJson({ type: array.type, data: first });
  for (const row of first)
    print(JSON.stringify(row, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)));
  print(`of ${array.type}`);
}
