// Histograms: what is counted on axes, in memory (Hist) and lazily (LazyHist). In: axes, and arrays to count. Out: counts with their
// variances; parts, sums and pictures of them. A histogram never changes: `fill` gives another one. What is counted is a row of
// nested data (ragged/hist/histState.ts), so it is computed, partition by partition and in a tree, as reductions are.

import { describe, stridesOf } from "../../../core/chunks.ts";
import { ShapeError, ValueError } from "../../../core/errors.ts";
import { closest } from "../../../core/suggest.ts";
import { userCall } from "../../../lazy/call.ts";
import { NDArray } from "../../../lazy/ndarray.ts";
import type { Plan } from "../../../plan/index.ts";
import { type AxisSpec, axesText, binsOf, underOf } from "../../../ragged/hist/axes.ts";
import { checkCells } from "../../../ragged/hist/fill.ts";
import {
  grownAxes,
  type HistState,
  labelsOfAxes,
  mergedStates,
  movedCells,
  shapeOfAxes,
  statesOfRows,
} from "../../../ragged/hist/histState.ts";
import type { AsyncComputeOptions, PlanOnlyOptions } from "../../../runtime/spec.ts";
import {
  type ColumnReport,
  explainColumns,
  type NecessaryColumns,
  necessaryColumns,
  type ProjectOptions,
} from "../columns.ts";
import { compute, plan } from "../compute.ts";
import { LazyRagged, type LazyResult, type RaggedArray } from "../raggedArrays.ts";
import { counted, type FillArguments, type FillNames, isNames, lazyRow, sumOf } from "./filling.ts";
import { HistAxis } from "./histAxis.ts";
import { type HistItem, projected, type Selection, selected } from "./histParts.ts";
import { type HistPictureOptions, histSvg } from "./picture.ts";
import { type PlotModule, type PlotRow, plotRows, plotSpec } from "./plotData.ts";

/** Options of counts: with the bins below and above all others, or without (as when nothing is said). */
export interface FlowOptions {
  /** true: with the bins for what lies outside. */
  readonly flow?: boolean | undefined;
}
/** The kind of histogram that filling gives: lazy where anything lazy is among the arrays. */
export type Filled<A extends FillArguments> = true extends { [K in keyof A]: IsLazy<A[K]> }[number]
  ? LazyHist
  : Hist;
type IsLazy<X> = X extends LazyRagged
  ? true
  : X extends FillNames
    ? true extends { [K in keyof X]: X[K] extends LazyRagged ? true : false }[keyof X]
      ? true
      : false
    : false;

/** What Hist and LazyHist have: axes, and ways to count more. */
abstract class Histogram {
  readonly #axes: readonly AxisSpec[];

  constructor(axes: readonly AxisSpec[]) {
    this.#axes = axes;
  }
  get axes(): readonly HistAxis[] {
    return this.#axes.map((spec) => new HistAxis(spec));
  }
  get ndim(): number {
    return this.#axes.length;
  }
  /** The axis of a name. */
  axis(name: string | number): HistAxis {
    return this.axes[this.axisNumber(name)]!;
  }
  protected get specs(): readonly AxisSpec[] {
    return this.#axes;
  }
  protected axisNumber(name: string | number): number {
    const names = this.#axes.map((axis) => axis.name);
    const at = typeof name === "number" ? name : names.indexOf(name);
    if (this.#axes[at] !== undefined) return at;
    throw new ValueError({ what: `there is no axis ${describe(name)}`, cure: closest(String(name), names) });
  }
}

/** A histogram that is computed when it is asked for: `rg.hist(axis).fill(lazy)` is a `LazyHist`, `await h.compute()` a `Hist`. */
export class LazyHist extends Histogram implements LazyResult<Hist> {
  /** Its state: one row. */
  readonly rows: LazyRagged;

  /** `hist` and `fill` make one. */
  constructor(axes: readonly AxisSpec[], rows: LazyRagged) {
    super(axes);
    this.rows = rows;
  }
  /** Counts more. */
  fill(...args: FillArguments): LazyHist {
    return histOf(this.specs, counted(this.specs, this.rows, args)) as LazyHist;
  }
  /** Both together. They must have the same axes. */
  add(other: Hist | LazyHist): LazyHist {
    return addedLazily(this.specs, this, other);
  }
  /** Computes it: takes the options of every run. */
  compute(options?: AsyncComputeOptions): Promise<Hist> {
    return compute(this, options);
  }
  /** How it would be computed. */
  plan(options?: PlanOnlyOptions): Plan {
    return plan(this.rows, options);
  }
  /** Which columns are read of each source. */
  necessaryColumns(options?: ProjectOptions): NecessaryColumns {
    return necessaryColumns(this.rows, options);
  }
  /** The same with reasons, lines and bytes. */
  explainColumns(options?: ProjectOptions): ColumnReport {
    return explainColumns(this.rows, options);
  }
  /** What its row is. */
  resultOf(rows: RaggedArray): Hist {
    return histOfState(this.specs, statesOfRows(rows.layout)[0]!);
  }
  override toString(): string {
    return `LazyHist(${this.axes.join(", ")})`;
  }
}

/**
 * A histogram in memory, as `rg.hist(rg.axis.regular(10, 0, 1)).fill(x)` gives: a `Hist`, with `values()`, `variances()`, parts (`get`,
 * `project`), sums and pictures.
 */
export class Hist extends Histogram {
  readonly #values: Float64Array;
  readonly #variances: Float64Array | null;

  /** Cells are row by row, with the flow. */
  constructor(axes: readonly AxisSpec[], values: Float64Array, variances: Float64Array | null) {
    super(axes);
    this.#values = values;
    this.#variances = variances;
  }
  /** Has it been filled with weights? Without them the variance of a count is the count. */
  get isWeighted(): boolean {
    return this.#variances !== null;
  }
  /** Counts more: arrays in the order of the axes, or by name; weights as `{ weight }`. */
  fill<const A extends FillArguments>(...args: A): Filled<A> {
    return histOf(this.specs, counted(this.specs, this.state, args)) as Filled<A>;
  }
  /** Counts, or sums of weights. */
  values({ flow = false }: FlowOptions = {}): NDArray<"float64"> {
    return this.#shown(this.#values, flow);
  }
  /** Of the values: sums of squares of weights. */
  variances({ flow = false }: FlowOptions = {}): NDArray<"float64"> {
    return this.#shown(this.#variances ?? this.#values, flow);
  }
  /** Values divided by their sum and the size of the bins: the area is 1. */
  density(): NDArray<"float64"> {
    const { shape, data } = this.values();
    const total = data.reduce((sum, value) => sum + value, 0);
    const strides = stridesOf(shape);
    const widths = this.axes.map(({ widths: own }) => own);
    const sizeOfCell = (cell: number): number =>
      widths.reduce((size, own, k) => size * own[Math.floor(cell / strides[k]!) % shape[k]!]!, 1);
    return new NDArray(
      data.map((value, cell) => value / total / sizeOfCell(cell)),
      shape,
    );
  }
  /** All that is counted. */
  sum({ flow = false }: FlowOptions = {}): number {
    return this.values({ flow }).data.reduce((sum, value) => sum + value, 0);
  }
  /** Both together. They must have the same axes; labels of axes that grow are joined. */
  add<H extends Hist | LazyHist>(other: H): H {
    if (other instanceof LazyHist) return addedLazily(this.specs, this, other) as H;
    const axes = sameAxes(this.specs, (other as Hist).specs);
    return histOfState(axes, mergedStates(axes, [this.state, (other as Hist).state])) as H;
  }
  /** All values times a number. */
  scale(factor: number): Hist {
    const scaled = (data: Float64Array, by: number): Float64Array => data.map((value) => value * by);
    const variances = scaled(this.#variances ?? this.#values, factor * factor);
    return new Hist(this.specs, scaled(this.#values, factor), variances);
  }
  /** Some axes, in this order; what lies on the others is summed up. */
  project(...axes: readonly (string | number)[]): Hist {
    return this.#moved(
      projected(
        this.specs,
        axes.map((name) => this.axisNumber(name)),
      ),
    );
  }
  /**
   * Parts: an item for each axis in order, or by name. `h.get({ mass: [rg.loc(60), rg.loc(120), rg.rebin(2)], kind: "data" })`. Where no
   * axis is left it is a number.
   */
  get(...items: readonly (HistItem | { readonly [name: string]: HistItem })[]): Hist {
    const [first] = items;
    const pairs = isNames(first)
      ? Object.entries(first).map(([name, item]) => [this.axisNumber(name), item] as const)
      : items.map((item, k) => [this.axisNumber(k), item as HistItem] as const);
    return this.#moved(selected(this.specs, new Map(pairs as [number, HistItem][])));
  }
  /** The value of the only cell, when no axis is left. */
  item(): number {
    if (this.ndim === 0) return this.#values[0]!;
    throw new ShapeError({ what: `there are ${this.ndim} axes`, cure: "Choose a bin of each, with get" });
  }
  /** Values and the edges of each axis, as NumPy gives them. */
  toNumpy({ flow = false }: FlowOptions = {}): [NDArray<"float64">, ...Float64Array[]] {
    return [this.values({ flow }), ...this.axes.map(({ edges }) => edges)];
  }
  /** A picture of one axis (steps) or of two (colours), as SVG. */
  toSVG(options?: HistPictureOptions): string {
    return histSvg(this, options);
  }
  /** A row for each bin: what it counts, from where to where, its labels. */
  toRows(): PlotRow[] {
    return plotRows(this);
  }
  /** For Observable Plot, which is given: `Plot.plot(h.toPlot(Plot))`. */
  toPlot<P extends PlotModule>(plot: P): { readonly marks: readonly ReturnType<P["rectY"]>[] } {
    return plotSpec(this, plot) as never;
  }
  toJSON(): object {
    return {
      axes: this.specs,
      values: Array.from(this.#values),
      variances: this.#variances === null ? null : Array.from(this.#variances),
    };
  }
  override toString(): string {
    return `Hist(${this.axes.join(", ")}): ${this.sum()}${this.sum() === this.sum({ flow: true }) ? "" : ` (${this.sum({ flow: true })} with the flow)`}`;
  }
  protected get state(): HistState {
    return { labels: labelsOfAxes(this.specs), values: this.#values, variances: this.#variances };
  }
  /** As a lazy row. */
  get rows(): LazyRagged {
    return lazyRow(this.state);
  }
  #moved({ axes, cells }: Selection): Hist {
    const size = shapeOfAxes(axes).reduce((product, n) => product * n, 1);
    const moved = (data: Float64Array): Float64Array => {
      const out = new Float64Array(size);
      data.forEach((value, i) => {
        if (cells[i]! >= 0) out[cells[i]!]! += value;
      });
      return out;
    };
    return new Hist(axes, moved(this.#values), this.#variances === null ? null : moved(this.#variances));
  }
  #shown(data: Float64Array, flow: boolean): NDArray<"float64"> {
    if (flow) return new NDArray(data.slice(), shapeOfAxes(this.specs));
    const shape = this.specs.map(binsOf);
    const places = this.specs.map((axis, k) =>
      Int32Array.from({ length: shape[k]! }, (_, i) => i + underOf(axis)),
    );
    const cells = movedCells(shape, places, stridesOf(shapeOfAxes(this.specs)));
    return new NDArray(
      Float64Array.from(cells, (cell) => data[cell]!),
      shape,
    );
  }
}

const histOfState = (axes: readonly AxisSpec[], { labels, values, variances }: HistState): Hist =>
  new Hist(grownAxes(axes, labels), values, variances);

const histOf = (axes: readonly AxisSpec[], counted: HistState | LazyRagged): Hist | LazyHist =>
  counted instanceof LazyRagged ? new LazyHist(axes, counted) : histOfState(axes, counted);

function addedLazily(axes: readonly AxisSpec[], a: Hist | LazyHist, b: Hist | LazyHist): LazyHist {
  const own = sameAxes(
    axes,
    b.axes.map(({ spec }) => spec),
  );
  return new LazyHist(own, sumOf(own, a.rows, b.rows));
}

/** Labels of axes that grow may differ. */
function sameAxes(a: readonly AxisSpec[], b: readonly AxisSpec[]): readonly AxisSpec[] {
  const text = (axes: readonly AxisSpec[]): string =>
    axesText(
      grownAxes(
        axes,
        axes.map(() => []),
      ),
    );
  if (text(a) === text(b)) return a;
  throw new ShapeError({
    what: `histograms with the axes ${a.map((spec) => new HistAxis(spec)).join(", ")} and ${b.map((spec) => new HistAxis(spec)).join(", ")} are added`,
    cure: "Add those with the same axes",
  });
}

/**
 * A histogram with these axes, empty: `rg.hist(rg.axis.regular(50, 0, 200, { name: "met" })).fill(events.field("met"))`. Filled with
 * something lazy it is lazy.
 */
export const hist: (...axes: readonly HistAxis[]) => Hist = userCall(
  "hist",
  (...axes: readonly HistAxis[]) => {
    const wrong = axes.findIndex((axis) => !(axis instanceof HistAxis));
    if (axes.length === 0 || wrong >= 0)
      throw new ValueError({
        what: axes.length === 0 ? "there are no axes" : `${describe(axes[wrong])} is no axis`,
        cure: "Use axes: rg.hist(rg.axis.regular(50, 0, 200))",
      });
    const specs = axes.map(({ spec }, k) =>
      spec.name === "" ? { ...spec, name: `axis${k}`, label: spec.label || `axis${k}` } : spec,
    );
    const names = specs.map(({ name }) => name);
    const twice = names.find((name, k) => names.indexOf(name) !== k);
    if (twice !== undefined)
      throw new ValueError({
        what: `two axes are called ${JSON.stringify(twice)}`,
        cure: "Name them differently",
      });
    return new Hist(specs, new Float64Array(checkCells(shapeOfAxes(specs))), null);
  },
);
