// Histograms as SVG: of one axis steps with bars of one standard deviation where there are weights, of two axes cells by colour. In: a
// histogram. Out: the text of a picture. Must hold: every text is escaped, no number is infinite (core/svg.ts).

import { describe } from "../../../core/chunks.ts";
import { ShapeError, ValueError } from "../../../core/errors.ts";
import { coordinate, element, rectPath, svgDocument, textElement } from "../../../core/svg.ts";
import { edgesOf, isEdged } from "../../../ragged/hist/axes.ts";
import { edgeText, type HistAxis } from "./histAxis.ts";
import type { HistCounts } from "./histCounts.ts";

/** Options of `Hist.toSVG`. */
export interface HistPictureOptions {
  /** In pixels: 640. */
  readonly width?: number | undefined;
  /** In pixels: 400. */
  readonly height?: number | undefined;
  /** Above the picture, and what a reader for the blind says. */
  readonly title?: string | undefined;
  /** true: counts on a logarithmic scale. */
  readonly log?: boolean | undefined;
}

const MARGIN = { left: 64, right: 24, top: 32, bottom: 48 } as const;
const LEGEND = 72;

/** Where values lie on a picture, from 0 to 1, and what is written there. */
interface Scale {
  readonly at: (value: number) => number;
  readonly ticks: readonly { readonly value: number; readonly text: string }[];
}

export function histSvg(hist: HistCounts, options: HistPictureOptions = {}): string {
  const {
    width = 640,
    height = 400,
    title = hist.axes.map(({ label }) => label).join(" · "),
    log = false,
  } = options;
  for (const size of [width, height])
    if (!(size >= 120 && size <= 10_000))
      throw new ValueError({
        what: `the picture is ${describe(width)} × ${describe(height)}`,
        cure: "Use 120 or more pixels",
      });
  if (hist.ndim !== 1 && hist.ndim !== 2)
    throw new ShapeError({
      what: `there are ${hist.ndim} axes`,
      cure: "Choose one or two of them with project",
    });
  const frame = { width, height, title, log };
  return svgDocument(width, height, title, hist.ndim === 1 ? steps(hist, frame) : cells(hist, frame));
}

type Frame = Required<{ [K in keyof HistPictureOptions]: NonNullable<HistPictureOptions[K]> }>;

const inner = ({ width, height }: Frame, right: number): { width: number; height: number } => ({
  width: width - MARGIN.left - right,
  height: height - MARGIN.top - MARGIN.bottom,
});

/** Round numbers between two, about five. */
function roundTicks(least: number, most: number): Scale["ticks"] {
  const rough = (most - least) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(least / step - 1e-9);
  const count = Math.floor(most / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, i) => {
    const value = Number(((first + i) * step).toPrecision(12));
    return { value, text: String(value) };
  });
}

const powerTicks = (least: number, most: number): Scale["ticks"] => {
  const [from, to] = [Math.ceil(Math.log10(least) - 1e-9), Math.floor(Math.log10(most) + 1e-9)];
  if (to <= from) return roundTicks(least, most).filter(({ value }) => value > 0);
  return Array.from({ length: to - from + 1 }, (_, i) => ({
    value: 10 ** (from + i),
    text: `1e${from + i}`,
  }));
};

function scaleOfAxis(axis: HistAxis): Scale {
  const { spec } = axis;
  if (!isEdged(spec)) {
    const ticks = spec.labels.map((text, i) => ({ value: i + 0.5, text }));
    return { at: (value) => value / axis.size, ticks };
  }
  const edges = edgesOf(spec);
  const [first, last] = [edges[0]!, edges[axis.size]!];
  if (spec.kind === "regular" && spec.transform === "log")
    return {
      at: (value) => Math.log(value / first) / Math.log(last / first),
      ticks: powerTicks(first, last),
    };
  const at = (value: number): number => (value - first) / (last - first);
  if (spec.kind !== "datetime") return { at, ticks: roundTicks(first, last) };
  const every = Math.ceil(axis.size / 5);
  const ticks = [...edges]
    .filter((_, i) => i % every === 0)
    .map((value) => ({ value, text: edgeText(spec, value) }));
  return { at, ticks };
}

function scaleOfValues(least: number, most: number, log: boolean): Scale {
  if (!log) {
    const [from, to] = [Math.min(0, least), Math.max(least, most) === Math.min(0, least) ? 1 : most];
    return { at: (value) => (value - from) / (to - from), ticks: roundTicks(from, to) };
  }
  const from = least > 0 ? least / 2 : 0.5;
  const to = Math.max(most, 2 * from);
  const at = (value: number): number =>
    value <= 0 ? 0 : Math.max(0, Math.log(value / from) / Math.log(to / from));
  return { at, ticks: powerTicks(from, to) };
}

const leastOf = (values: Iterable<number>, log: boolean): number => {
  let least = Number.POSITIVE_INFINITY;
  for (const value of values)
    if (Number.isFinite(value) && (!log || value > 0)) least = Math.min(least, value);
  return Number.isFinite(least) ? least : 0;
};
const mostOf = (values: Iterable<number>): number => {
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) if (Number.isFinite(value)) most = Math.max(most, value);
  return Number.isFinite(most) ? most : 1;
};

/** Lines, ticks and names of both axes. */
function axesOfFrame(
  frame: Frame,
  right: number,
  x: Scale,
  y: Scale,
  labels: readonly [string, string],
): string[] {
  const { width, height } = inner(frame, right);
  const [left, bottom] = [MARGIN.left, MARGIN.top + height];
  const ticks = [
    ...x.ticks.map(({ value, text }) => {
      const at = left + x.at(value) * width;
      return `${element("path", { d: `M${coordinate(at)} ${bottom}v5`, stroke: "#333333" })}${textElement(text, { x: at, y: bottom + 18, "text-anchor": "middle" })}`;
    }),
    ...y.ticks.map(({ value, text }) => {
      const at = bottom - y.at(value) * height;
      return `${element("path", { d: `M${left} ${coordinate(at)}h-5`, stroke: "#333333" })}${textElement(text, { x: left - 8, y: at + 4, "text-anchor": "end" })}`;
    }),
  ];
  return [
    element("path", {
      d: `M${left} ${MARGIN.top}V${bottom}H${coordinate(left + width)}`,
      fill: "none",
      stroke: "#333333",
    }),
    ...ticks,
    textElement(labels[0], { x: left + width / 2, y: bottom + 38, "text-anchor": "middle" }),
    textElement(labels[1], { x: left, y: MARGIN.top - 12, "text-anchor": "start" }),
  ];
}

function steps(hist: HistCounts, frame: Frame): string[] {
  const [axis] = hist.axes;
  const values = hist.values().data;
  const errors = hist.isWeighted ? hist.variances().data.map(Math.sqrt) : new Float64Array(values.length);
  const x = scaleOfAxis(axis!);
  const y = scaleOfValues(
    leastOf(
      values.map((value, i) => value - errors[i]!),
      frame.log,
    ),
    mostOf(values.map((value, i) => value + errors[i]!)),
    frame.log,
  );
  const { width, height } = inner(frame, MARGIN.right);
  const bottom = MARGIN.top + height;
  const across = (value: number): string => coordinate(MARGIN.left + x.at(value) * width);
  const up = (value: number): string => coordinate(bottom - Math.min(1, Math.max(0, y.at(value))) * height);
  const edges = axis!.edges;
  const line = Array.from(values, (value, i) => `V${up(value)}H${across(edges[i + 1]!)}`).join("");
  const outline = `M${across(edges[0]!)} ${up(0)}${line}V${up(0)}`;
  const bars = Array.from(values, (value, i) => {
    const middle = coordinate((Number(across(edges[i]!)) + Number(across(edges[i + 1]!))) / 2);
    return `M${middle} ${up(value - errors[i]!)}V${up(value + errors[i]!)}`;
  }).join("");
  return [
    element("path", { d: `${outline}Z`, fill: "#0072b2", "fill-opacity": 0.25 }),
    element("path", { d: outline, fill: "none", stroke: "#0072b2", "stroke-width": 1.5 }),
    ...(hist.isWeighted ? [element("path", { d: bars, stroke: "#333333" })] : []),
    ...axesOfFrame(frame, MARGIN.right, x, y, [axis!.label, hist.isWeighted ? "sum of weights" : "count"]),
  ];
}

/** Dark to light, as seen: five colours of viridis. */
const COLOURS = [
  [68, 1, 84],
  [59, 82, 139],
  [33, 145, 140],
  [94, 201, 98],
  [253, 231, 37],
] as const;

function colourAt(part: number): string {
  const at = Math.min(1, Math.max(0, Number.isFinite(part) ? part : 0)) * (COLOURS.length - 1);
  const i = Math.min(COLOURS.length - 2, Math.floor(at));
  const mixed = COLOURS[i]!.map((from, c) => Math.round(from + (at - i) * (COLOURS[i + 1]![c]! - from)));
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

function cells(hist: HistCounts, frame: Frame): string[] {
  const [first, second] = hist.axes as [HistAxis, HistAxis];
  const values = hist.values().data;
  const [x, y] = [scaleOfAxis(first), scaleOfAxis(second)];
  const colour = scaleOfValues(leastOf(values, frame.log), mostOf(values), frame.log);
  const { width, height } = inner(frame, LEGEND);
  const bottom = MARGIN.top + height;
  const across = first.edges.map((edge) => MARGIN.left + x.at(edge) * width);
  const up = second.edges.map((edge) => bottom - y.at(edge) * height);
  // One path for each colour: a few hundred instead of as many as there are cells.
  const paths = new Map<string, string[]>();
  values.forEach((value, cell) => {
    if (value === 0) return;
    const [i, k] = [Math.floor(cell / second.size), cell % second.size];
    const fill = colourAt(colour.at(value));
    const path = rectPath(across[i]!, up[k + 1]!, across[i + 1]! - across[i]!, up[k]! - up[k + 1]!);
    paths.set(fill, [...(paths.get(fill) ?? []), path]);
  });
  const drawn = [...paths].map(([fill, list]) => element("path", { d: list.join(""), fill }));
  return [
    ...drawn,
    ...axesOfFrame(frame, LEGEND, x, y, [first.label, second.label]),
    ...legend(frame, colour),
  ];
}

function legend(frame: Frame, colour: Scale): string[] {
  const { width, height } = inner(frame, LEGEND);
  const [left, bottom, rows] = [MARGIN.left + width + 12, MARGIN.top + height, 32];
  const bars = Array.from({ length: rows }, (_, i) =>
    element("path", {
      d: rectPath(left, bottom - ((i + 1) * height) / rows, 12, height / rows),
      fill: colourAt((i + 0.5) / rows),
    }),
  );
  const texts = colour.ticks.map(({ value, text }) =>
    textElement(text, { x: left + 16, y: bottom - colour.at(value) * height + 4 }),
  );
  return [...bars, ...texts];
}
