// Plots as SVG, of a few numbers: a grid of colours with its scale, and lines with axes. In: rows of numbers, and what they are. Out:
// the text of a file.

const WIDTH = 520;
const HEIGHT = 300;
/** Where data are drawn; around them is room for words. */
const AREA = { left: 56, top: 34, wide: 384, high: 230 } as const;
const INK = "#333";

const text = (x: number, y: number, words: string, anchor: "start" | "middle" | "end" = "middle"): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" fill="${INK}">${words}</text>`;

function page(title: string, body: readonly string[]): string {
  const head = `<text x="${AREA.left}" y="20" font-size="14" font-weight="bold" fill="${INK}">${title}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="11">`,
    `<title>${title}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
    head,
    ...body,
    "</svg>\n",
  ].join("\n");
}

/** Few digits, and no more than matter. */
const short = (value: number): string => String(Number(value.toPrecision(3)));

/** From blue over white to red; grey where there is no number. */
function colour(at: number): string {
  if (!Number.isFinite(at)) return "#ccc";
  const part = (low: number, high: number): number => Math.round(low + (high - low) * Math.abs(2 * at - 1));
  return at < 0.5
    ? `rgb(${part(247, 33)},${part(247, 102)},${part(247, 172)})`
    : `rgb(${part(247, 178)},${part(247, 24)},${part(247, 43)})`;
}

/** What is along the axes, and what colours or heights are. */
export interface Labels {
  readonly across?: string;
  readonly up?: string;
  readonly value?: string;
  /** What the first and the last place along each axis are. */
  readonly fromTo?: { readonly across: readonly [number, number]; readonly up: readonly [number, number] };
}

function axes({ across = "", up = "", fromTo }: Labels): string[] {
  const { left, top, wide, high } = AREA;
  const bottom = top + high;
  const parts = [
    `<rect x="${left}" y="${top}" width="${wide}" height="${high}" fill="none" stroke="${INK}"/>`,
    text(left + wide / 2, bottom + 28, across),
    `<g transform="rotate(-90 14 ${top + high / 2})">${text(14, top + high / 2, up)}</g>`,
  ];
  if (fromTo === undefined) return parts;
  parts.push(text(left, bottom + 14, short(fromTo.across[0])));
  parts.push(text(left + wide, bottom + 14, short(fromTo.across[1])));
  parts.push(text(left - 6, bottom, short(fromTo.up[0]), "end"));
  parts.push(text(left - 6, top + 9, short(fromTo.up[1]), "end"));
  return parts;
}

/** Colours from the least to the most. */
function scale(least: number, most: number, value = ""): string[] {
  const [x, steps] = [AREA.left + AREA.wide + 14, 23];
  const high = AREA.high / steps;
  const boxes = Array.from({ length: steps }, (_, i) => {
    const y = AREA.top + AREA.high - (i + 1) * high;
    return `<rect x="${x}" y="${y.toFixed(1)}" width="12" height="${(high + 0.5).toFixed(1)}" fill="${colour(i / (steps - 1))}"/>`;
  });
  return [
    ...boxes,
    text(x + 16, AREA.top + AREA.high, short(least), "start"),
    text(x + 16, AREA.top + 9, short(most), "start"),
    `<g transform="rotate(-90 ${x + 26} ${AREA.top + AREA.high / 2})">${text(x + 26, AREA.top + AREA.high / 2, value)}</g>`,
  ];
}

/** One rectangle for each number, the first row at the top. */
export function heatmap(title: string, rows: readonly (readonly number[])[], labels: Labels = {}): string {
  const found = rows.flat().filter(Number.isFinite);
  const [least, most] = [Math.min(...found), Math.max(...found)];
  const [high, wide] = [AREA.high / rows.length, AREA.wide / rows[0]!.length];
  const cells = rows.flatMap((row, i) =>
    row.map((value, j) => {
      const [x, y] = [(AREA.left + j * wide).toFixed(1), (AREA.top + i * high).toFixed(1)];
      const at = most === least ? 0.5 : (value - least) / (most - least);
      // A little wider than they are, so that no gaps show.
      return `<rect x="${x}" y="${y}" width="${(wide + 0.4).toFixed(1)}" height="${(high + 0.4).toFixed(1)}" fill="${colour(at)}"/>`;
    }),
  );
  return page(title, [...cells, ...axes(labels), ...scale(least, most, labels.value)]);
}

/** A line for each row, with its name at its end. */
export function lines(
  title: string,
  rows: readonly (readonly number[])[],
  labels: Labels = {},
  names: readonly string[] = [],
): string {
  const found = rows.flat().filter(Number.isFinite);
  const [least, most] = [Math.min(...found), Math.max(...found)];
  const { left, top, wide, high } = AREA;
  const y = (value: number): number => top + high - 6 - ((high - 12) * (value - least)) / (most - least);
  const paths = rows.flatMap((row, i) => {
    const ink = `hsl(${(210 + i * 77) % 360},60%,45%)`;
    const points = row.map(
      (value, j) => `${(left + (wide * j) / (row.length - 1)).toFixed(1)},${y(value).toFixed(1)}`,
    );
    const end = y(row.at(-1)!) + 4;
    return [
      `<polyline fill="none" stroke="${ink}" stroke-width="1.5" points="${points.join(" ")}"/>`,
      `<text x="${left + wide + 6}" y="${end.toFixed(1)}" fill="${ink}">${names[i] ?? ""}</text>`,
    ];
  });
  const across = labels.fromTo?.across ?? ([0, rows[0]!.length - 1] as const);
  return page(title, [...paths, ...axes({ ...labels, fromTo: { across, up: [least, most] } })]);
}
