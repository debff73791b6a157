// An array as HTML (a table of figures beside a picture of its chunks) and as text for a terminal. In: a lazy array.
// Out: markup without scripts, every text escaped; or lines. Nothing is computed.

import { plan } from "../array/compute.ts";
import { countChunks, type Shape, shapeText, sizeOf } from "../core/chunks.ts";
import { bytesText, countText } from "../core/counts.ts";
import { infoOf } from "../core/dtype.ts";
import { ChunkwiseError } from "../core/errors.ts";
import { plainText } from "../core/plainText.ts";
import { element, escapeXml } from "../core/svg.ts";
import type { LazyArray } from "../lazy/lazyArray.ts";
import { chunkPicture } from "./arrayPicture.ts";

// What there is to say about an array without computing it. In: a lazy array. Out: the figures, as numbers and as text,
// that its HTML and its terminal representation share.

interface ArrayFigures {
  readonly dtype: string;
  readonly shape: string;
  readonly bytes: string;
  readonly chunks: string;
  readonly chunkBytes: string;
  readonly chunkCount: string;
  readonly tasks: string;
}

function arrayFigures(x: LazyArray): ArrayFigures {
  const { dtype, shape, chunks, nbytes } = x;
  return {
    dtype,
    shape: shapeText(shape),
    bytes: bytesText(nbytes),
    chunks: shapeText(chunks),
    chunkBytes: bytesText(Math.min(nbytes, sizeOf(chunks) * infoOf(dtype).bytes)),
    chunkCount: countText(countChunks(shape, chunks), "chunk"),
    tasks: tasksText(x),
  };
}

/** An array that cannot be planned can still be shown. */
function tasksText(x: LazyArray): string {
  try {
    const { numTasks, numOperations } = plan(x);
    return `${countText(numTasks, "task")} in ${countText(numOperations, "operation")}`;
  } catch (error) {
    if (!(error instanceof ChunkwiseError)) throw error;
    return `cannot be planned: ${error.what}`;
  }
}

/** An array for notebooks and pages, its figures and a picture of its chunks: `arrayHtml(x)`. */
export function arrayHtml(x: LazyArray): string {
  const { dtype, shape, bytes, chunks, chunkBytes, chunkCount, tasks } = arrayFigures(x);
  const rows: readonly (readonly [string, string, string])[] = [
    ["", "Array", "Chunk"],
    ["Shape", shape, chunks],
    ["Bytes", bytes, chunkBytes],
    ["Count", tasks, chunkCount],
    ["Dtype", dtype, ""],
  ];
  const lines = rows.map(([name, array, chunk], at) => {
    const tag = at === 0 ? "th" : "td";
    return element("tr", {}, element("th", {}, name) + cell(tag, array) + cell(tag, chunk));
  });
  const figures = element("table", {}, lines.join(""));
  const outer = { style: "display: flex; align-items: center; gap: 1.5em" };
  return element("div", outer, figures + chunkPicture(x.shape, x.chunks));
}

const cell = (tag: string, text: string): string => element(tag, {}, escapeXml(text));

/** An array for terminals, the figures and the grid of chunks of the last two axes: `console.log(arrayText(x))`. */
export function arrayText(x: LazyArray): string {
  const { dtype, shape, bytes, chunks, chunkBytes, chunkCount, tasks } = arrayFigures(x);
  return [
    `array   ${dtype} ${shape}, ${bytes}`,
    `chunks  ${chunkCount} of ${chunks}, ${chunkBytes} each`,
    `work    ${plainText(tasks)}`,
    ...gridLines(x.numblocks),
  ].join("\n");
}

const MOST_ROWS = 6;
const MOST_COLUMNS = 12;

/** Boxes for the chunks along the last two axes; an ellipsis where there are more; the other axes in words. */
function gridLines(grid: Shape): string[] {
  if (grid.length === 0 || grid.some((count) => count === 0)) return [];
  const columns = grid.at(-1)!;
  const rows = grid.length === 1 ? 1 : grid.at(-2)!;
  const across = Math.min(columns, MOST_COLUMNS);
  const down = Math.min(rows, MOST_ROWS);
  const moreAcross = columns > across ? " …" : "";
  const line = (left: string, joint: string, right: string): string =>
    left + Array<string>(across).fill("──").join(joint) + right;
  const lines = [line("┌", "┬", "┐")];
  for (let row = 0; row < down; row++) {
    if (row > 0) lines.push(line("├", "┼", "┤"));
    lines.push(`│${"  │".repeat(across)}${moreAcross}`);
  }
  lines.push(line("└", "┴", "┘"));
  if (rows > down) lines.push(" …");
  const others = grid.slice(0, -2);
  return [...lines, `${grid.join(" × ")} chunks${others.length > 0 ? ": the last two axes are drawn" : ""}`];
}
