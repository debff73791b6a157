// Short texts for people: durations, rates, and text that fits a number of terminal columns.
// Must hold: what comes out has no control characters, so that no name can move the cursor or colour the screen.

import { bytesText } from "../core/counts.ts";

/** 850 ms, 12.3 s, 4m 05s, 2h 03m, 3d 04h. */
export function durationText(ms: number): string {
  if (!Number.isFinite(ms)) return "?";
  const whole = Math.max(0, ms);
  if (Math.round(whole) < 1000)
    return `${Number(whole.toPrecision(3)) < 1 ? threeDigits(whole) : Math.round(whole)} ms`;
  if (whole < 59_950) return `${(whole / 1000).toFixed(1)} s`;
  return longText(Math.round(whole / 1000));
}

function longText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const two = (n: number): string => String(n).padStart(2, "0");
  if (hours >= 48) return `${Math.floor(hours / 24)}d ${two(hours % 24)}h`;
  if (hours > 0) return `${hours}h ${two(minutes % 60)}m`;
  return `${minutes}m ${two(seconds % 60)}s`;
}

const threeDigits = (value: number): string => String(Number(value.toPrecision(3)));

/** 0.42, 8.1, 153, 15300: a number of things per second. */
export function perSecond(value: number): string {
  if (value >= 100) return `${Math.round(value)}/s`;
  return `${Number(value.toPrecision(2))}/s`;
}

/** Bytes, of a figure that need not be whole. */
export const aboutBytes = (bytes: number): string => bytesText(Math.round(bytes));

const ZERO_WIDTH = /^[\p{M}\u200b-\u200d\ufeff]$/u;
/** Scripts and symbols that take two columns: the common ranges of East Asian Width, and emoji. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]$/u;

function columnsOf(character: string): number {
  if (character < "\u0300") return 1;
  if (ZERO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** How many columns a text takes on a terminal. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

/** The text, cut with an ellipsis where it is wider. */
export function cutText(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let cut = "";
  let used = 0;
  for (const character of text) {
    used += columnsOf(character);
    if (used > width - 1) break;
    cut += character;
  }
  return width < 1 ? "" : `${cut}…`;
}

/** The text, cut or filled up to exactly this width. */
export function fitText(text: string, width: number): string {
  const cut = cutText(text, width);
  return cut + " ".repeat(Math.max(0, width - displayWidth(cut)));
}

/** A table with two spaces between columns: the first to the left, the others to the right. */
export function tableText(rows: readonly (readonly string[])[]): string {
  const columns = rows[0]?.length ?? 0;
  const widths = Array.from({ length: columns }, (_, at) =>
    rows.reduce((most, row) => Math.max(most, displayWidth(row[at] ?? "")), 0),
  );
  const cell = (text: string, at: number): string => {
    const space = " ".repeat(widths[at]! - displayWidth(text));
    return at === 0 ? text + space : space + text;
  };
  return rows.map((row) => row.map(cell).join("  ").trimEnd()).join("\n");
}
