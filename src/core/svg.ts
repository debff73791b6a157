// Pieces of SVG. In: numbers and texts from anywhere. Out: well-formed XML. Must hold: every text and attribute is
// escaped, control characters that XML forbids are gone, numbers are finite; nothing here makes scripts or links.

import { plainText } from "./plainText.ts";

const ENTITIES: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
/** Half of a pair of surrogates, and code points that are no characters, are not XML. */
const FORBIDDEN = /[\ud800-\udfff\ufffe\uffff]/gu;

export const escapeXml = (text: string): string =>
  plainText(text)
    .replace(FORBIDDEN, "\ufffd")
    .replace(/[&<>"']/g, (character) => ENTITIES[character]!);

/** With at most two decimals; no NaN or infinity gets into a picture. */
export function coordinate(value: number): string {
  if (!Number.isFinite(value)) return "0";
  const rounded = Math.round(value * 100) / 100;
  return String(rounded === 0 ? 0 : rounded);
}

export type Attributes = { readonly [name: string]: string | number | undefined };

/** `content` is markup already. */
export function element(name: string, attributes: Attributes, content?: string): string {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined
      ? []
      : [` ${key}="${typeof value === "number" ? coordinate(value) : escapeXml(value)}"`],
  );
  const open = `<${name}${written.join("")}`;
  return content === undefined ? `${open}/>` : `${open}>${content}</${name}>`;
}

export const textElement = (text: string, attributes: Attributes): string =>
  element("text", attributes, escapeXml(text));

export const titleElement = (text: string): string => element("title", {}, escapeXml(text));

/** A rectangle as a part of a path: a quarter of the bytes of an element. */
export const rectPath = (x: number, y: number, width: number, height: number): string =>
  `M${coordinate(x)} ${coordinate(y)}h${coordinate(width)}v${coordinate(height)}h${coordinate(-width)}z`;

export function svgDocument(width: number, height: number, title: string, body: readonly string[]): string {
  const head = {
    xmlns: "http://www.w3.org/2000/svg",
    width,
    height,
    viewBox: `0 0 ${coordinate(width)} ${coordinate(height)}`,
    role: "img",
    "font-family": "system-ui, sans-serif",
    "font-size": 12,
  };
  const background = element("rect", { width, height, fill: "#ffffff" });
  return `${element("svg", head, `\n${[titleElement(title), background, ...body].join("\n")}\n`)}\n`;
}

/** Colours that people with colour blindness can tell apart (Okabe and Ito), then turns of the colour wheel. */
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6d31", "#756bb1"];
export const FAILURE_COLOUR = "#d62728";
export const OTHER_COLOUR = "#9a9a9a";

export const colourOf = (index: number): string =>
  COLOURS[index] ?? `hsl(${Math.round((index * 137.508) % 360)}, 55%, 48%)`;
