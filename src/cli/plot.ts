// `chunkwise plot`: an array as a picture: a line of one axis, a heat map of two. In: a place. Out: the picture in the terminal, or a
// file (.svg, .png). What is larger than the picture is averaged first, chunk by chunk, so that memory does not grow with the array.

import { writeFileSync } from "node:fs";
import { nanmean } from "../array/functions/index.ts";
import { shapeText } from "../core/chunks.ts";
import type { LazyArray } from "../lazy/lazyArray.ts";
import { command, PATH, print, RUN_OPTIONS, runOptions, SELECT } from "./command.ts";
import { type Given, UsageError } from "./commandOptions.ts";
import { type Drawn, rangeOf, type TerminalSize } from "./drawn.ts";
import { heatMapInTerminal, heatMapPng, heatMapSvg } from "./heatMap.ts";
import { lineInTerminal, lineSvg } from "./linePlot.ts";
import { arrayAt } from "./openPlace.ts";

/** Of files, in points: a line has so many at most, a heat map so many along each axis. */
const MOST_POINTS = 1200;
const MOST_PIXELS = 800;

export const plotCommand = command({
  name: "plot",
  summary: "a heat map or a line, in the terminal or as SVG or PNG",
  places: ["<place>"],
  about:
    "Draws an array of one or two axes; of more, the first place along each but the last two. NaN is left out of means, and is\n" +
    "nothing in the picture.",
  options: [
    ...[PATH, SELECT],
    {
      name: "output",
      short: "o",
      value: "<file>",
      text: "a file that ends in .svg or .png; the terminal unless given",
    },
    {
      name: "range",
      value: "<low,high>",
      text: "what the ends of the scale stand for; the least and the greatest unless given",
    },
    { name: "height", value: "<rows>", text: "in the terminal; as high as it is unless given" },
    { name: "width", value: "<columns>", text: "in the terminal; as wide as it is unless given" },
    ...RUN_OPTIONS,
  ],
  async run(given) {
    const output = given.one("output");
    const ending = output === undefined ? "" : output.slice(output.lastIndexOf("."));
    if (output !== undefined && ending !== ".svg" && ending !== ".png")
      throw new UsageError({ what: `${output} is neither .svg nor .png`, cure: "Write -o picture.svg" });
    const array = flat(await arrayAt(given));
    if (ending === ".png" && array.ndim === 1)
      throw new UsageError({ what: "a line is drawn as text or SVG", cure: "Write -o picture.svg" });
    const drawn = await drawnOf(array, sizesFor(array.ndim, given, output !== undefined), given);
    const picture = pictureOf(drawn, ending, given);
    if (output === undefined) print(picture as string);
    else {
      writeFileSync(output, picture);
      print(output);
    }
  },
});

function pictureOf(drawn: Drawn, ending: string, given: Given): string | Uint8Array {
  const isLine = drawn.shape.length === 1;
  if (ending === ".png") return heatMapPng(drawn);
  if (ending === ".svg") return isLine ? lineSvg(drawn) : heatMapSvg(drawn);
  return isLine ? lineInTerminal(drawn, sizeGiven(given)) : heatMapInTerminal(drawn, hasColours());
}

/** Of more than two axes the first place of those before. */
function flat(array: LazyArray): LazyArray {
  if (array.ndim === 0) throw new UsageError({ what: "this is one number", cure: "chunkwise head shows it" });
  const more = Math.max(0, array.ndim - 2);
  return more === 0 ? array : array.get(...Array.from({ length: more }, () => 0), "...");
}

/** Of the picture: there is room below it for what it shows and for the next command. */
const sizeGiven = (given: Given): TerminalSize => ({
  columns: given.number("width", process.stdout.columns ?? 80, [10, 10_000]),
  rows: given.number("height", Math.max(4, (process.stdout.rows ?? 24) - 4), [2, 10_000]),
});

const hasColours = (): boolean => process.stdout.isTTY === true && process.env["NO_COLOR"] === undefined;

/** The most numbers along each axis that the picture has room for. */
function sizesFor(ndim: number, given: Given, isFile: boolean): readonly number[] {
  if (isFile) return ndim === 1 ? [MOST_POINTS] : [MOST_PIXELS, MOST_PIXELS];
  const { columns, rows } = sizeGiven(given);
  // A letter of the terminal stands for two dots beside each other, or two pixels above each other.
  return ndim === 1 ? [2 * Math.max(4, columns - 12)] : [2 * rows, columns];
}

async function drawnOf(array: LazyArray, most: readonly number[], given: Given): Promise<Drawn> {
  const steps = array.shape.map((n, axis) => Math.max(1, Math.ceil(n / most[axis]!)));
  const { data, shape } = await averaged(array.astype("float64"), steps).compute(runOptions(given));
  const values = data as Float64Array;
  const title = `${array.dtype} ${shapeText(array.shape)}${steps.some((step) => step > 1) ? `, means of ${steps.join(" × ")}` : ""}`;
  return { values, shape, lengths: array.shape, title, range: rangeGiven(given) ?? rangeOf(values) };
}

/** Means of so many elements along each axis; what is left over at the ends is left out. */
function averaged(array: LazyArray, steps: readonly number[]): LazyArray {
  if (steps.every((step) => step === 1)) return array;
  const counts = array.shape.map((n, axis) => Math.floor(n / steps[axis]!));
  const whole = array.get(...counts.map((count, axis) => `:${count * steps[axis]!}`));
  const parts = whole.reshape(counts.flatMap((count, axis) => [count, steps[axis]!]));
  return nanmean(parts, { axis: steps.map((_, axis) => 2 * axis + 1) });
}

function rangeGiven(given: Given): readonly [number, number] | null {
  const text = given.one("range");
  if (text === undefined) return null;
  const [low, high, ...more] = text.split(",").map(Number);
  if (more.length === 0 && Number.isFinite(low) && Number.isFinite(high) && low! < high!)
    return [low!, high!];
  throw new UsageError({
    what: `--range is ${JSON.stringify(text)}`,
    cure: "Write two numbers, the lesser first: --range 250,310",
  });
}
