// Memory per operation as SVG: what was stated for a task (an outline) and the most that was measured (a bar), with the
// budget as a line. In: a history. Out: the text of the picture. What is over the budget is red; what was measured
// above the statement, orange.

import { countText } from "../core/counts.ts";
import { element, FAILURE_COLOUR, svgDocument, textElement, titleElement } from "../core/svg.ts";
import type { HistoryData } from "./history.ts";
import { aboutBytes, cutText, displayWidth } from "./shortTexts.ts";
import type { OperationSummary } from "./summary.ts";
import { byteTicks } from "./ticks.ts";

/** Options of `memorySvg`. */
export interface MemoryPlotOptions {
  /** In pixels: 1000. */
  readonly width?: number | undefined;
  /** Above the picture. */
  readonly title?: string | undefined;
}

const TOP = 52;
const ROW = 24;
const RIGHT = 150;
const MOST_ROWS = 60;
const WITHIN = "#0072b2";
const ABOVE_STATED = "#e69f00";
/** A budget beyond so many times the highest bar is told in words: on the axis it would make all bars tiny. */
const FAR = 4;

interface Frame {
  readonly width: number;
  readonly left: number;
  readonly most: number;
  readonly bottom: number;
  readonly budget: number | null;
}

/**
 * A picture of the memory that tasks used, and were stated to need: `await save("memory.svg", memorySvg(past))`.
 * `history` is one, or its data as JSON has them.
 */
export function memorySvg(
  history: HistoryData,
  { width = 1000, title = "Memory per task" }: MemoryPlotOptions = {},
): string {
  const { operations, computations } = history;
  const budgets = computations.flatMap(({ allowedMem }) => (allowedMem === null ? [] : [allowedMem]));
  const budget = budgets.length === 0 ? null : Math.min(...budgets);
  const shown = highest(operations);
  const names = namesOf(shown);
  const frame = frameOf(Math.max(400, width), shown, names, budget);
  const rest = operations.length - shown.length;
  const note = `${countText(rest, "operation")} with less memory not shown.`;
  return svgDocument(frame.width, frame.bottom + (rest > 0 ? 62 : 46), title, [
    textElement(cutText(title, 100), { x: 16, y: 20, "font-size": 15, "font-weight": "bold" }),
    ...legend(),
    ...axis(frame),
    ...shown.flatMap((operation, at) => bars(operation, names[at]!, at, frame)),
    ...budgetLine(frame),
    ...(rest > 0 ? [textElement(note, { x: 16, y: frame.bottom + 50, fill: "#555555" })] : []),
  ]);
}

const needOf = ({ projectedMem, measuredMem }: OperationSummary): number =>
  Math.max(projectedMem, measuredMem ?? 0);

/** Those that need most, in the order of the plan. */
function highest(operations: readonly OperationSummary[]): OperationSummary[] {
  const first = [...operations].sort((a, b) => needOf(b) - needOf(a)).slice(0, MOST_ROWS);
  const chosen = new Set(first);
  return operations.filter((operation) => chosen.has(operation));
}

function namesOf(operations: readonly OperationSummary[]): string[] {
  const severalRuns = operations.some(({ computation }) => computation !== operations[0]!.computation);
  return operations.map(({ computation, operation, label }) => {
    const name = label === operation || label === "" ? operation : `${operation} ${label}`;
    return cutText(severalRuns ? `${computation}: ${name}` : name, 36);
  });
}

function frameOf(
  width: number,
  shown: readonly OperationSummary[],
  names: readonly string[],
  budget: number | null,
): Frame {
  const need = shown.reduce((most, operation) => Math.max(most, needOf(operation)), 0);
  const longest = names.reduce((most, name) => Math.max(most, displayWidth(name)), 0);
  const isNear = budget !== null && (need === 0 || budget <= FAR * need);
  return {
    width,
    left: Math.min(width / 2 - 60, 24 + 7 * longest),
    most: Math.max(1, need, isNear ? budget : 0) * 1.02,
    bottom: TOP + Math.max(1, shown.length) * ROW,
    budget,
  };
}

const xOf = ({ left, width, most }: Frame, bytes: number): number =>
  left + (bytes / most) * (width - left - RIGHT);

function axis(frame: Frame): string[] {
  const wanted = Math.max(2, Math.floor((frame.width - frame.left - RIGHT) / 100));
  return byteTicks(frame.most, wanted).flatMap(({ value, text }) => {
    const x = xOf(frame, value);
    return [
      element("path", { d: `M${x.toFixed(1)} ${TOP - 4}V${frame.bottom + 4}`, stroke: "#dddddd" }),
      textElement(text, { x, y: frame.bottom + 18, "text-anchor": "middle", fill: "#555555" }),
    ];
  });
}

function bars(operation: OperationSummary, name: string, at: number, frame: Frame): string[] {
  const { projectedMem, measuredMem } = operation;
  const y = TOP + at * ROW + 3;
  const height = ROW - 7;
  const colour = colourFor(operation, frame.budget);
  const isStatedOver = frame.budget !== null && projectedMem > frame.budget;
  const widthOf = (bytes: number): number => xOf(frame, bytes) - frame.left;
  const measured = measuredMem === null ? "not measured" : aboutBytes(measuredMem);
  const title = titleElement(`${name}: measured ${measured}, stated ${aboutBytes(projectedMem)}`);
  const shapes = [
    ...(measuredMem === null
      ? []
      : [
          element("rect", {
            x: frame.left,
            y: y + 3,
            width: widthOf(measuredMem),
            height: height - 6,
            fill: colour,
          }),
        ]),
    element("rect", {
      x: frame.left,
      y,
      width: widthOf(projectedMem),
      height,
      fill: "none",
      stroke: isStatedOver ? FAILURE_COLOUR : "#444444",
    }),
  ];
  const end = xOf(frame, needOf(operation)) + 6;
  return [
    textElement(name, { x: frame.left - 8, y: y + 13, "text-anchor": "end" }),
    element("g", {}, title + shapes.join("")),
    textElement(`${measured} of ${aboutBytes(projectedMem)}`, { x: end, y: y + 13, fill: "#555555" }),
  ];
}

function colourFor({ measuredMem, projectedMem }: OperationSummary, budget: number | null): string {
  if (budget !== null && Math.max(measuredMem ?? 0, projectedMem) > budget) return FAILURE_COLOUR;
  return (measuredMem ?? 0) > projectedMem ? ABOVE_STATED : WITHIN;
}

function budgetLine(frame: Frame): string[] {
  const { budget, most, bottom, width } = frame;
  if (budget === null) return [];
  const text = `budget ${aboutBytes(budget)}`;
  if (budget > most) {
    const words = { x: width - 16, y: bottom + 36, "text-anchor": "end", fill: FAILURE_COLOUR };
    return [textElement(`${text}, beyond the axis`, words)];
  }
  const x = xOf(frame, budget);
  return [
    element("path", {
      d: `M${x.toFixed(1)} ${TOP - 8}V${bottom + 8}`,
      stroke: FAILURE_COLOUR,
      "stroke-dasharray": "5 3",
    }),
    textElement(text, { x, y: bottom + 36, "text-anchor": "middle", fill: FAILURE_COLOUR }),
  ];
}

function legend(): string[] {
  const entries = [
    { text: "measured", fill: WITHIN },
    { text: "measured more than stated", fill: ABOVE_STATED },
    { text: "over the budget", fill: FAILURE_COLOUR },
  ];
  const places = [110, 210, 410];
  return [
    element("rect", { x: 16, y: 31, width: 12, height: 10, fill: "none", stroke: "#444444" }),
    textElement("stated", { x: 34, y: 40 }),
    ...entries.flatMap(({ text, fill }, i) => [
      element("rect", { x: places[i]!, y: 31, width: 12, height: 10, fill }),
      textElement(text, { x: places[i]! + 18, y: 40 }),
    ]),
  ];
}
