// `chunkwise compute`: an expression over named stores. In: a text in the language of cw.expr, and names of places. Out: the result,
// printed or stored. Must hold: the text is parsed, never evaluated as code.

import { store } from "../array/storing.ts";
import { expr } from "../array/template.ts";
import type { LazyArray } from "../lazy/lazyArray.ts";
import { command, JSON_OUT, print, printJson, RUN_OPTIONS, runOptions } from "./command.ts";
import { UsageError } from "./commandOptions.ts";
import { openPlace } from "./openPlace.ts";

export const computeCommand = command({
  name: "compute",
  summary: "computes an expression over named stores",
  places: ["<expression>", "<name=place>…"],
  about:
    'Computes: chunkwise compute "mean(t - 273.15, axis=0)" t=temperature.zarr -o mean.zarr\n' +
    "The language is that of cw.expr: arithmetic, comparisons, functions of the library by name, indexes. Of an array in a group:\n" +
    "t=data.zarr:temperature",
  options: [
    {
      name: "output",
      short: "o",
      value: "<place>",
      text: "where the result is stored; printed unless given",
    },
    { name: "overwrite", text: "what is there is replaced" },
    { name: "plan", text: "shows what would be done, and does nothing" },
    JSON_OUT,
    ...RUN_OPTIONS,
  ],
  async run(given) {
    const text = given.place(0, "the expression");
    const result = expressionOf(text, await arraysNamed(given.places.slice(1)));
    const run = runOptions(given);
    const output = given.one("output");
    if (given.has("plan")) return print(String(result.plan({ spec: run.spec! })));
    if (output !== undefined) {
      await store([result], [{ store: output, ...(given.has("overwrite") ? { overwrite: true } : {}) }], run);
      return print(output);
    }
    const values = await result.compute(run);
    if (given.has("json")) printJson({ dtype: values.dtype, shape: values.shape, data: values.toList() });
    else print(String(values));
  },
});

/** Names and what they stand for. */
async function arraysNamed(words: readonly string[]): Promise<ReadonlyMap<string, LazyArray>> {
  const arrays = new Map<string, LazyArray>();
  for (const word of words) {
    const [, name, place] = /^([A-Za-z_]\w*)=([\s\S]+)$/.exec(word) ?? [];
    if (name === undefined || place === undefined)
      throw new UsageError({
        what: `${JSON.stringify(word)} gives no name to a place`,
        cure: "Write t=data.zarr",
      });
    arrays.set(name, await arrayNamed(name, place));
  }
  return arrays;
}

/** A path in the store stands behind the last colon that is not the address's own. */
async function arrayNamed(name: string, word: string): Promise<LazyArray> {
  const [, place, path] = /^(.*[^:]):(?!\/\/)([^:\\]+)$/.exec(word) ?? [undefined, word, ""];
  const found = await openPlace(place!, path);
  if (found.kind === "array") return found.array;
  throw new UsageError({
    what: `${name} is ${found.kind === "group" ? "a group" : "rows of nested data"}, not an array`,
    cure: "Name an array of a group behind a colon: t=data.zarr:temperature",
  });
}

/** Names in the text are holes of the template. */
function expressionOf(text: string, arrays: ReadonlyMap<string, LazyArray>): LazyArray {
  const [strings, holes] = [[""], [] as LazyArray[]];
  // Texts in quotes, numbers and names of keywords and methods are left as they are.
  for (const [word] of text.matchAll(
    /"[^"]*"|'[^']*'|\d[\w.]*|\.?\s*[A-Za-z_]\w*(?=\s*=[^=])|\.?\s*[A-Za-z_]\w*|[\s\S]/g,
  )) {
    const array = arrays.get(word.trim());
    if (array === undefined) strings[strings.length - 1] += word;
    else {
      holes.push(array);
      strings.push("");
    }
  }
  return expr(Object.assign(strings, { raw: strings }) as unknown as TemplateStringsArray, ...holes);
}
