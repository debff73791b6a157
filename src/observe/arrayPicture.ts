// Pictures of chunk grids as SVG: a bar, a rectangle or a box with the lines between chunks; arrays of four and more
// dimensions as several of them side by side. In: shape and chunks. Out: SVG text. Must hold: at most a few dozen
// lines per axis, whatever the number of chunks.

import { type ChunkShape, type Shape, shapeText } from "../core/chunks.ts";
import { coordinate, element, textElement, titleElement } from "../core/svg.ts";

/** The longest edge in pixels. */
const EDGE = 150;
const MARGIN = 14;
/** How far the depth of a box goes to the right and down, per pixel of its length. */
const SLANT = 0.55;
const MOST_LINES = 24;
const FILL = "#dbe9f6";
/** There are more chunks than lines. */
const DENSE_FILL = "#a9c8e6";

interface Axis {
  readonly length: number;
  /** In pixels. */
  readonly edge: number;
  /** Where the lines are, in pixels, with both ends. */
  readonly lines: readonly number[];
  readonly isDense: boolean;
}

interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly content: string;
}

export function chunkPicture(shape: Shape, chunks: ChunkShape): string {
  const longest = Math.max(1, ...shape);
  const axes = shape.map((length, at) => axisOf(length, chunks[at]!, longest));
  const drawings = groupsOf(axes).map(drawingOf);
  let x = 0;
  const placed = drawings.map(({ width, content }) => {
    const part = element("g", { transform: `translate(${coordinate(x)} 0)` }, content);
    x += width;
    return part;
  });
  const height = Math.max(...drawings.map((drawing) => drawing.height));
  const size = { xmlns: "http://www.w3.org/2000/svg", width: x, height };
  const look = {
    viewBox: `0 0 ${coordinate(x)} ${coordinate(height)}`,
    "font-family": "sans-serif",
    "font-size": 11,
  };
  const title = titleElement(`an array of shape ${shapeText(shape)} in chunks of ${shapeText(chunks)}`);
  return element("svg", { ...size, ...look, role: "img" }, title + placed.join(""));
}

/** Threes from the end; what is left over comes first. */
function groupsOf(axes: readonly Axis[]): Axis[][] {
  if (axes.length === 0) return [[]];
  const first = axes.length % 3;
  const groups = first === 0 ? [] : [axes.slice(0, first)];
  for (let at = first; at < axes.length; at += 3) groups.push(axes.slice(at, at + 3));
  return groups;
}

function axisOf(length: number, chunk: number, longest: number): Axis {
  const edge = edgeOf(length, longest);
  const count = Math.max(1, Math.ceil(length / chunk));
  const isDense = count > MOST_LINES;
  const lines = isDense
    ? Array.from({ length: MOST_LINES + 1 }, (_, i) => (i / MOST_LINES) * edge)
    : Array.from({ length: count + 1 }, (_, i) => (Math.min(i * chunk, length) / Math.max(1, length)) * edge);
  // An axis of length 0 is drawn as a thin line, and still has two ends.
  if (length === 0) lines[lines.length - 1] = edge;
  return { length, edge, lines, isDense };
}

/** True to scale up to about 3 to 1; beyond that by the logarithm, so that short axes can still be seen. */
function edgeOf(length: number, longest: number): number {
  if (length === 0) return 4;
  const ratio = longest / length;
  return EDGE / (ratio < Math.E ? ratio : Math.min(ratio, Math.log(Math.min(ratio, 1000) + 12.4)));
}

function drawingOf(axes: readonly Axis[]): Drawing {
  if (axes.length === 3) return box(axes as [Axis, Axis, Axis]);
  if (axes.length === 2) return rectangle(axes as [Axis, Axis]);
  return axes.length === 1 ? bar(axes[0]!) : dot();
}

const dot = (): Drawing => ({
  width: 2 * MARGIN,
  height: 2 * MARGIN,
  content: element("circle", { cx: MARGIN, cy: MARGIN, r: 4, fill: FILL, stroke: "#333333" }),
});

const BAR: Axis = { length: 1, edge: 26, lines: [0, 26], isDense: false };

function bar(axis: Axis): Drawing {
  const left = sideMargin(axis);
  const bottom = MARGIN + BAR.edge;
  return {
    width: left + axis.edge + left,
    height: bottom + 2 * MARGIN,
    content: face([left, MARGIN], BAR, axis, [0, 1], [1, 0]) + below(axis, left, bottom),
  };
}

function rectangle([rows, columns]: readonly [Axis, Axis]): Drawing {
  const left = sideMargin(columns);
  const right = left + columns.edge;
  const bottom = MARGIN + rows.edge;
  return {
    width: right + Math.max(left, besideWidth(rows)),
    height: bottom + 2 * MARGIN,
    content:
      face([left, MARGIN], rows, columns, [0, 1], [1, 0]) +
      below(columns, left, bottom) +
      beside(rows, right, MARGIN),
  };
}

/** The first axis goes into the depth: top and left faces, and the front that the last two make. */
function box([depth, rows, columns]: readonly [Axis, Axis, Axis]): Drawing {
  const slant: Direction = [SLANT, SLANT];
  const shift = depth.edge * SLANT;
  const left = Math.max(sideMargin(columns), textWidth(depth) + 6 - shift / 2);
  const front: Direction = [left + shift, MARGIN + shift];
  const right = front[0] + columns.edge;
  const bottom = front[1] + rows.edge;
  const label = { x: left + shift / 2 - 4, y: MARGIN + rows.edge + shift / 2 + 10, "text-anchor": "end" };
  return {
    width: right + Math.max(sideMargin(columns), besideWidth(rows)),
    height: bottom + 2 * MARGIN,
    content:
      face([left, MARGIN], depth, columns, slant, [1, 0]) +
      face([left, MARGIN], depth, rows, slant, [0, 1]) +
      face(front, rows, columns, [0, 1], [1, 0]) +
      below(columns, front[0], bottom) +
      beside(rows, right, front[1]) +
      textElement(String(depth.length), label),
  };
}

type Direction = readonly [number, number];

/** A parallelogram with the lines of two axes, that go along `alongA` and `alongB`. */
function face(origin: Direction, a: Axis, b: Axis, alongA: Direction, alongB: Direction): string {
  const point = (i: number, j: number): string => {
    const x = origin[0] + i * alongA[0] + j * alongB[0];
    const y = origin[1] + i * alongA[1] + j * alongB[1];
    return `${coordinate(x)} ${coordinate(y)}`;
  };
  const outline = `M${point(0, 0)}L${point(a.edge, 0)}L${point(a.edge, b.edge)}L${point(0, b.edge)}z`;
  const inner = (axis: Axis): readonly number[] => axis.lines.slice(1, -1);
  const lines = [
    ...inner(a).map((i) => `M${point(i, 0)}L${point(i, b.edge)}`),
    ...inner(b).map((j) => `M${point(0, j)}L${point(a.edge, j)}`),
  ].join("");
  const fill = a.isDense || b.isDense ? DENSE_FILL : FILL;
  return (
    element("path", { d: outline, fill, stroke: "#333333", "stroke-width": 1.5 }) +
    (lines === "" ? "" : element("path", { d: lines, stroke: "#333333", "stroke-width": 0.6 }))
  );
}

const below = ({ length, edge }: Axis, x: number, bottom: number): string =>
  textElement(String(length), { x: x + edge / 2, y: bottom + 15, "text-anchor": "middle" });

const beside = ({ length, edge }: Axis, right: number, top: number): string =>
  textElement(String(length), { x: right + 6, y: top + edge / 2 + 4 });

const textWidth = ({ length }: Axis): number => 7 * String(length).length;
const besideWidth = (axis: Axis): number => 12 + textWidth(axis);
/** A length below its edge may be wider than the edge. */
const sideMargin = (axis: Axis): number => Math.max(MARGIN, (textWidth(axis) - axis.edge) / 2 + 2);
