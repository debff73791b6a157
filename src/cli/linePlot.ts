// Lines. In: numbers of one axis and a range. Out: the line as letters of a terminal, each of which has two by four dots (Braille), or
// as SVG. Must hold: what is not finite is a gap.

import { element, svgDocument, textElement } from "../core/svg.ts";
import { type Drawn, numberText, shareOf, type TerminalSize } from "./drawn.ts";

/** The letter without dots; the bits of its dots, from the top, of the left and of the right half. */
const BRAILLE = 0x2800;
const DOTS = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
] as const;

export function lineInTerminal(
  { values, range, title, lengths }: Drawn,
  { rows: height }: TerminalSize,
): string {
  const width = Math.ceil(values.length / 2);
  const letters = Array.from({ length: height }, () => new Uint16Array(width).fill(BRAILLE));
  let before: number | null = null;
  values.forEach((value, at) => {
    const share = shareOf(value, range);
    const dot = share === null ? null : Math.round((1 - share) * (4 * height - 1));
    if (dot !== null)
      for (const y of between(before ?? dot, dot)) letters[y >> 2]![at >> 1]! |= DOTS[at & 1]![y & 3]!;
    before = dot;
  });
  const [high, low] = [numberText(range[1]), numberText(range[0])];
  const margin = Math.max(high.length, low.length);
  const lines = letters.map((row, at) => {
    const label = at === 0 ? high : at === height - 1 ? low : "";
    return `${label.padStart(margin)} ${String.fromCharCode(...row)}`;
  });
  return [...lines, `${" ".repeat(margin)} 0 … ${lengths[0]}   ${title}`].join("\n");
}

/** From beside one dot to the other, so that the line has no gaps. */
function* between(from: number, to: number): Generator<number> {
  const step = Math.sign(to - from);
  for (let y = from === to ? to : from + step; y !== to; y += step) yield y;
  yield to;
}

const [WIDTH, HEIGHT, MARGIN] = [720, 280, 60];

export function lineSvg({ values, range, title, lengths }: Drawn): string {
  const x = (at: number): number => MARGIN + (WIDTH * (at + 0.5)) / values.length;
  const y = (share: number): number => 36 + HEIGHT * (1 - share);
  const parts: string[] = [];
  let isDown = false;
  values.forEach((value, at) => {
    const share = shareOf(value, range);
    if (share !== null) parts.push(`${isDown ? "L" : "M"}${x(at).toFixed(2)} ${y(share).toFixed(2)}`);
    isDown = share !== null;
  });
  const small = { "font-size": 11, fill: "#333333" };
  return svgDocument(WIDTH + 2 * MARGIN, HEIGHT + 80, title, [
    textElement(title, { x: MARGIN, y: 20, "font-size": 13, fill: "#111111" }),
    element("rect", { x: MARGIN, y: 36, width: WIDTH, height: HEIGHT, fill: "none", stroke: "#bbbbbb" }),
    element("path", { d: parts.join(""), fill: "none", stroke: "#0072b2", "stroke-width": 1.5 }),
    textElement(numberText(range[1]), { x: MARGIN - 6, y: 44, "text-anchor": "end", ...small }),
    textElement(numberText(range[0]), { x: MARGIN - 6, y: 36 + HEIGHT, "text-anchor": "end", ...small }),
    textElement("0", { x: MARGIN, y: HEIGHT + 54, ...small }),
    textElement(String(lengths[0]), { x: MARGIN + WIDTH, y: HEIGHT + 54, "text-anchor": "end", ...small }),
  ]);
}
