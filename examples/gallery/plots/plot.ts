// Plots as SVG, of a few numbers: a grid of colours, and lines. In: rows of numbers. Out: the text of a file.

const WIDTH = 480;
const HEIGHT = 240;

const page = (title: string, body: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}"><title>${title}</title>\n${body}\n</svg>\n`;

/** From blue over white to red; grey where there is no number. */
function colour(value: number, least: number, most: number): string {
  if (!Number.isFinite(value)) return "#bbb";
  const at = most === least ? 0.5 : (value - least) / (most - least);
  const fade = (x: number): number => Math.round(255 * Math.min(1, 2 * x));
  return `rgb(${fade(at)},${fade(Math.min(at, 1 - at))},${fade(1 - at)})`;
}

/** One rectangle for each number, the first row at the top. */
export function heatmap(title: string, rows: readonly (readonly number[])[]): string {
  const found = rows.flat().filter(Number.isFinite);
  const [least, most] = [Math.min(...found), Math.max(...found)];
  const [high, wide] = [HEIGHT / rows.length, WIDTH / rows[0]!.length];
  const cells = rows.flatMap((row, i) =>
    row.map((value, j) => {
      const [x, y] = [(j * wide).toFixed(1), (i * high).toFixed(1)];
      return `<rect x="${x}" y="${y}" width="${wide.toFixed(1)}" height="${high.toFixed(1)}" fill="${colour(value, least, most)}"/>`;
    }),
  );
  return page(title, cells.join("\n"));
}

/** A line for each row. */
export function lines(title: string, rows: readonly (readonly number[])[]): string {
  const found = rows.flat().filter(Number.isFinite);
  const [least, most] = [Math.min(...found), Math.max(...found)];
  const y = (value: number): string =>
    (HEIGHT - 10 - ((HEIGHT - 20) * (value - least)) / (most - least)).toFixed(1);
  const paths = rows.map((row, i) => {
    const points = row.map((value, j) => `${((WIDTH * j) / (row.length - 1)).toFixed(1)},${y(value)}`);
    return `<polyline fill="none" stroke="hsl(${(i * 77) % 360},60%,45%)" points="${points.join(" ")}"/>`;
  });
  return page(title, paths.join("\n"));
}
