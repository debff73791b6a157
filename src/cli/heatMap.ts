// Heat maps. In: numbers of two axes and a range. Out: colours, as letters of a terminal, as PNG or as SVG. The colours go from dark to
// bright evenly, as people see it, with and without colour blindness (viridis). Must hold: what is not finite has no colour.

import { element, svgDocument, textElement } from "../core/svg.ts";
import { type Drawn, numberText, shareOf } from "./drawn.ts";
import { pngOf } from "./png.ts";

type Colour = readonly [red: number, green: number, blue: number];

/** Viridis at nine even places. */
const SCALE: readonly Colour[] = [
  ...([[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141]] as const),
  ...([[39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37]] as const),
]; // biome-ignore format: colours
const NOTHING: Colour = [230, 230, 230];
const LETTERS = " .:-=+*#%@";

function colourAt(share: number | null): Colour {
  if (share === null) return NOTHING;
  const place = share * (SCALE.length - 1);
  const at = Math.min(SCALE.length - 2, Math.floor(place));
  const [from, to] = [SCALE[at]!, SCALE[at + 1]!];
  return from.map((part, i) => Math.round(part + (to[i]! - part) * (place - at))) as unknown as Colour;
}

const scaleText = ({ range: [low, high], title }: Drawn): string =>
  `${title}   ${numberText(low)} … ${numberText(high)}`;

/** Two rows of pixels in one of letters: the upper half of a letter has the colour of its ink, the lower that behind it. */
export function heatMapInTerminal(drawn: Drawn, hasColours: boolean): string {
  const { values, shape, range } = drawn;
  const [rows, columns] = shape as readonly [number, number];
  const shares = (row: number, column: number): number | null =>
    row < rows ? shareOf(values[row * columns + column]!, range) : null;
  const lines: string[] = [];
  for (let row = 0; row < rows; row += 2) {
    let line = "";
    for (let column = 0; column < columns; column++) {
      const [upper, lower] = [shares(row, column), shares(row + 1, column)];
      line += hasColours
        ? halves(colourAt(upper), row + 1 < rows ? colourAt(lower) : null)
        : letter(upper, lower);
    }
    lines.push(hasColours ? `${line}\x1b[0m` : line);
  }
  return [...lines, scaleText(drawn)].join("\n");
}

const halves = (upper: Colour, lower: Colour | null): string =>
  `\x1b[38;2;${upper.join(";")}m${lower === null ? "\x1b[49m" : `\x1b[48;2;${lower.join(";")}m`}▀`;

function letter(upper: number | null, lower: number | null): string {
  const there = [upper, lower].filter((share) => share !== null);
  if (there.length === 0) return "?";
  const share = there.reduce((sum, one) => sum + one, 0) / there.length;
  return LETTERS[Math.min(LETTERS.length - 1, Math.floor(share * LETTERS.length))]!;
}

/** Small ones are drawn larger, with the same number of dots for every element. */
const LEAST_EDGE = 320;
const timesFor = (shape: readonly number[]): number =>
  Math.max(1, Math.floor(LEAST_EDGE / Math.max(1, ...shape)));

export function heatMapPng({ values, shape, range }: Drawn, times: number = timesFor(shape)): Uint8Array {
  const [rows, columns] = shape as readonly [number, number];
  const [height, width] = [rows * times, columns * times];
  const pixels = new Uint8Array(3 * height * width);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const value = values[Math.floor(y / times) * columns + Math.floor(x / times)]!;
      pixels.set(colourAt(shareOf(value, range)), 3 * (y * width + x));
    }
  return pngOf(pixels, width, height);
}

const MARGIN = 46;
const BAR = 14;

/** The pixels as a picture in the picture, with what the axes and the colours stand for beside it. */
export function heatMapSvg(drawn: Drawn): string {
  const { shape, lengths, title, range } = drawn;
  const times = timesFor(shape);
  const [height, width] = shape.map((n) => n * times) as [number, number];
  const href = `data:image/png;base64,${Buffer.from(heatMapPng(drawn, 1)).toString("base64")}`;
  const small = { "font-size": 11, fill: "#333333" };
  const right = MARGIN + width + 16;
  const bar = Array.from({ length: 32 }, (_, i) =>
    element("rect", {
      ...{ x: right, y: MARGIN + (height * (31 - i)) / 32, width: BAR, height: height / 32 + 0.5 },
      fill: `rgb(${colourAt(i / 31).join()})`,
    }),
  );
  return svgDocument(right + BAR + 70, height + 2 * MARGIN, title, [
    textElement(title, { x: MARGIN, y: 20, "font-size": 13, fill: "#111111" }),
    element("image", {
      x: MARGIN,
      y: MARGIN,
      width,
      height,
      href,
      style: "image-rendering: pixelated",
      preserveAspectRatio: "none",
    }),
    ...bar,
    textElement(numberText(range[1]), { x: right + BAR + 5, y: MARGIN + 10, ...small }),
    textElement(numberText(range[0]), { x: right + BAR + 5, y: MARGIN + height, ...small }),
    textElement("0", { x: MARGIN - 6, y: MARGIN + 10, "text-anchor": "end", ...small }),
    textElement(String(lengths[0]), { x: MARGIN - 6, y: MARGIN + height, "text-anchor": "end", ...small }),
    textElement("0", { x: MARGIN, y: MARGIN + height + 15, ...small }),
    textElement(String(lengths[1]), {
      x: MARGIN + width,
      y: MARGIN + height + 15,
      "text-anchor": "end",
      ...small,
    }),
  ]);
}
