// Histograms for Observable Plot, which is the user's own: rows of data, and marks over them. In: a histogram. Out: one object for each
// bin, and a specification that `Plot.plot` takes. Nothing of Plot is imported.

import { ShapeError } from "../../../core/errors.ts";
import { isEdged } from "../../../ragged/hist/axes.ts";
import type { HistAxis } from "./histAxis.ts";
import type { HistCounts } from "./histCounts.ts";

/**
 * A bin: `value` and `variance`, and of every axis by its name the label, or with `0` and `1` behind the name from where to where it
 * goes; Dates on axes of time.
 */
export interface PlotRow {
  /** By the name of the axis. */
  readonly [name: string]: number | string | Date;
}

/** What is called of Observable Plot. */
export interface PlotModule {
  /** Rectangles between two values of x and up to y. */
  rectY(data: unknown, options: object): unknown;
  /** Rectangles between two values of x and of y. */
  rect(data: unknown, options: object): unknown;
  /** Bars of labels. */
  barY(data: unknown, options: object): unknown;
  /** Cells of labels. */
  cell(data: unknown, options: object): unknown;
}

function binOf(axis: HistAxis, at: number): PlotRow {
  const { spec, name } = axis;
  if (!isEdged(spec)) return { [name]: spec.labels[at]! };
  const edges = [axis.edges[at]!, axis.edges[at + 1]!];
  const [from, to] = spec.kind === "datetime" ? edges.map((edge) => new Date(edge)) : edges;
  return { [`${name}0`]: from!, [`${name}1`]: to! };
}

export function plotRows(hist: HistCounts): PlotRow[] {
  const [values, variances] = [hist.values(), hist.variances()];
  const { shape } = values;
  const rows: PlotRow[] = [];
  const place = shape.map(() => 0);
  for (let cell = 0; cell < values.size; cell++) {
    let rest = cell;
    for (let k = shape.length - 1; k >= 0; k--) {
      place[k] = rest % shape[k]!;
      rest = Math.floor(rest / shape[k]!);
    }
    const bins = hist.axes.map((axis, k) => binOf(axis, place[k]!));
    rows.push(Object.assign({}, ...bins, { value: values.data[cell]!, variance: variances.data[cell]! }));
  }
  return rows;
}

/** The channels of an axis: a label, or from where to where. */
const channels = ({ spec, name }: HistAxis, as: "x" | "y"): object =>
  isEdged(spec) ? { [`${as}1`]: `${name}0`, [`${as}2`]: `${name}1` } : { [as]: name };

export function plotSpec(hist: HistCounts, plot: PlotModule): object {
  const rows = plotRows(hist);
  const [x, y] = hist.axes;
  if (hist.ndim === 1) {
    const mark = isEdged(x!.spec) ? plot.rectY : plot.barY;
    const options = { ...channels(x!, "x"), y: "value" };
    return { x: scaleOf(x!), y: { label: "value" }, marks: [mark.call(plot, rows, options)] };
  }
  if (hist.ndim !== 2)
    throw new ShapeError({
      what: `there are ${hist.ndim} axes`,
      cure: "Choose one or two of them with project",
    });
  const areLabels = [x!, y!].map(({ spec }) => !isEdged(spec));
  if (areLabels[0] !== areLabels[1])
    throw new ShapeError({
      what: "one axis has edges and the other labels",
      cure: "Use toRows, and facets of Plot",
    });
  const mark = areLabels[0] ? plot.cell : plot.rect;
  const options = { ...channels(x!, "x"), ...channels(y!, "y"), fill: "value" };
  return { x: scaleOf(x!), y: scaleOf(y!), color: { legend: true }, marks: [mark.call(plot, rows, options)] };
}

function scaleOf({ spec, label }: HistAxis): object {
  const type = spec.kind === "regular" && spec.transform !== null ? { type: spec.transform } : {};
  return { label, ...type };
}
