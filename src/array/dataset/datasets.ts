// Datasets: arrays that share coordinates, as xarray has them. In: variables and coordinates with names for their axes, and the
// labels of dimensions in memory. Out: the same, selected by place or by label. Must hold: variables are lazy; a dimension is as
// long in every variable as in any other.

import { countText } from "../../core/counts.ts";
import { ShapeError, ValueError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/labels.ts";
import { closest } from "../../core/suggest.ts";
import { asLazy, LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import type { NDArray } from "../../lazy/ndarray.ts";
import type { StoreArgument } from "../../storage/location.ts";
import { get } from "../functions/indexing.ts";
import { take } from "../functions/taking.ts";
import type { SelectionItem } from "../selection.ts";
import { LabelIndex, type LabelSelection, type Places, type SelOptions } from "./labelIndex.ts";
import { type DatasetToZarrOptions, writeDataset } from "./writeDataset.ts";

/** Arrays by name. */
export interface Variables {
  readonly [name: string]: LazyArray;
}

/** What a dataset is made of. */
export interface DatasetParts {
  /** What is measured. */
  readonly variables: Variables;
  /** Along or over which axes; one that is called as its only axis has the labels of that. */
  readonly coords?: Variables | undefined;
  /** What is said of all of it. */
  readonly attributes?: JsonObject | undefined;
}

/** A selection by label for each dimension. */
export interface LabelSelections {
  readonly [dim: string]: LabelSelection;
}

/** A selection by place for each dimension, each by itself: lists do not pair up. */
export interface PlaceSelections {
  readonly [dim: string]: SelectionItem;
}

/**
 * Variables with shared coordinates, lazily: `cw.openDataset` and `cw.dataset` give a `Dataset`, and `ds.get("t2m")` an array
 * of it.
 */
export class Dataset {
  /** What is measured, by name. */
  readonly variables: Variables;
  /** Along or over which axes, by name. */
  readonly coords: Variables;
  /** What is said of all of it. */
  readonly attributes: JsonObject;
  readonly #indexes: ReadonlyMap<string, LabelIndex>;

  constructor(parts: DatasetParts, indexes: Iterable<LabelIndex> = []) {
    this.variables = parts.variables;
    this.coords = parts.coords ?? {};
    this.attributes = parts.attributes ?? {};
    this.#indexes = new Map([...indexes].map((index) => [index.name, index]));
    checkLengths(this.#all());
  }

  #all(): [string, LazyArray][] {
    return [...Object.entries(this.coords), ...Object.entries(this.variables)];
  }

  /** How long each dimension is. */
  get dims(): { readonly [dim: string]: number } {
    return checkLengths(this.#all());
  }

  /** The labels of a dimension, in memory; null where it has none. */
  labels(dim: string): NDArray | null {
    return this.#indexes.get(dim)?.values ?? null;
  }

  /** A variable or a coordinate: `ds.get("t2m").mean({axis: "time"})`. */
  get(name: string): LazyArray {
    const found = Object.hasOwn(this.variables, name) ? this.variables[name] : undefined;
    const array = found ?? (Object.hasOwn(this.coords, name) ? this.coords[name] : undefined);
    if (array !== undefined) return array;
    throw new ValueError({
      where: "Dataset",
      what: `there is no variable ${JSON.stringify(name)}`,
      cure: closest(String(name), [...Object.keys(this.variables), ...Object.keys(this.coords)]),
    });
  }

  /** By place, along each dimension by itself: `ds.isel({time: "0:10", lat: [3, 5]})`. */
  isel(selection: PlaceSelections): Dataset {
    this.#check(selection);
    return this.#selected((dim) => selection[dim]);
  }

  /**
   * By label: `ds.sel({time: "2020-07", lat: [30, 60]})`. One label drops its dimension; a date that says less than the
   * coordinate does is all that lies in it; `[from, to]` is a range with both ends, `{labels: […]}` each of a list.
   */
  sel(selection: LabelSelections, options: SelOptions = {}): Dataset {
    this.#check(selection);
    const places = new Map<string, SelectionItem>();
    for (const [dim, labels] of Object.entries(selection)) {
      const index = this.#indexes.get(dim);
      if (index === undefined)
        throw new ValueError({
          where: "sel",
          what: `the dimension ${JSON.stringify(dim)} has no labels`,
          cure: "Select it by place: isel",
        });
      places.set(dim, itemOf(index.places(labels, options)));
    }
    return this.#selected((dim) => places.get(dim));
  }

  #check(selection: object): void {
    const { dims } = this;
    const wrong = Object.keys(selection).find((dim) => !Object.hasOwn(dims, dim));
    if (wrong === undefined) return;
    throw new ValueError({
      what: `there is no dimension ${JSON.stringify(wrong)}`,
      cure: closest(wrong, Object.keys(dims)),
    });
  }

  #selected(itemFor: (dim: string) => SelectionItem | undefined): Dataset {
    const part = (array: LazyArray): LazyArray => selectedFrom(array, itemFor);
    const indexes = [...this.#indexes.values()].flatMap((index) => {
      const item = itemFor(index.name);
      if (item === undefined) return [index];
      const values = selectedFrom(asLazy(index.values), () => item, [index.name]).computeSync();
      return values.ndim === 0 ? [] : [new LabelIndex(index.name, values)];
    });
    return new Dataset(
      {
        variables: mapped(this.variables, part),
        coords: mapped(this.coords, part),
        attributes: this.attributes,
      },
      indexes,
    );
  }

  /** With other variables, or more: `ds.assign({anomaly: t.subtract(t.mean({axis: "time", keepdims: true}))})`. */
  assign(variables: { readonly [name: string]: Operand }): Dataset {
    const added = Object.fromEntries(Object.entries(variables).map(([name, x]) => [name, asLazy(x)]));
    const { coords, attributes } = this;
    return new Dataset(
      { variables: { ...this.variables, ...added }, coords, attributes },
      this.#indexes.values(),
    );
  }

  /** Of these variables alone, with the coordinates that they have: `ds.only("t2m")`. */
  only(...names: readonly string[]): Dataset {
    const variables = Object.fromEntries(names.map((name) => [name, this.get(name)]));
    const used = new Set(Object.values(variables).flatMap(({ dims }) => dims));
    const coords = Object.fromEntries(
      Object.entries(this.coords).filter(([, coord]) => coord.dims.every((dim) => used.has(dim))),
    );
    return new Dataset({ variables, coords, attributes: this.attributes }, this.#indexes.values());
  }

  /**
   * Computes all of it into a Zarr group that xarray opens as it is here, in one computation: `await ds.toZarr("means.zarr")`.
   * `append: "time"` goes on with what is there along a dimension.
   */
  async toZarr(store: StoreArgument, options: DatasetToZarrOptions = {}): Promise<void> {
    await writeDataset(this, store, options);
  }

  toString(): string {
    const dims = Object.entries(this.dims).map(([dim, n]) => `${dim}: ${n}`);
    const line = ([name, x]: [string, LazyArray]): string =>
      `  ${name} (${x.dims.map((dim) => dim ?? "?").join(", ")}) ${x.dtype}`;
    const coords = Object.entries(this.coords).map(line);
    const variables = Object.entries(this.variables).map(line);
    return [
      `Dataset [${dims.join(", ")}], ${countText(variables.length, "variable")}`,
      ...(coords.length === 0 ? [] : ["coordinates:", ...coords]),
      ...(variables.length === 0 ? [] : ["variables:", ...variables]),
    ].join("\n");
  }
}

Object.defineProperty(Dataset.prototype, Symbol.for("nodejs.util.inspect.custom"), {
  value(this: Dataset): string {
    return this.toString();
  },
});

const mapped = (arrays: Variables, part: (array: LazyArray) => LazyArray): Variables =>
  Object.fromEntries(Object.entries(arrays).map(([name, array]) => [name, part(array)]));

/** Axis by axis, the last first, so that those before keep their places. */
function selectedFrom(
  array: LazyArray,
  itemFor: (dim: string) => SelectionItem | undefined,
  dims: LazyArray["dims"] = array.dims,
): LazyArray {
  return dims.reduceRight<LazyArray>((from, dim, axis) => {
    const item = dim === null ? undefined : itemFor(dim);
    if (item === undefined) return from;
    if (Array.isArray(item)) return take(from, item as readonly number[], { axis });
    return get(from, ...dims.slice(0, axis).map(() => ":"), item);
  }, array);
}

/** Places that follow each other at one distance are a range. */
function itemOf(places: Places): SelectionItem {
  if (typeof places === "number") return places;
  if (places.length === 0) return "0:0";
  const step = places.length > 1 ? places[1]! - places[0]! : 1;
  const isRange = step > 0 && places.every((place, i) => place === places[0]! + i * step);
  return isRange ? `${places[0]}:${places.at(-1)! + 1}:${step}` : [...places];
}

/** The lengths of all dimensions; an error where two arrays differ, or one has an axis without a name. */
function checkLengths(arrays: readonly (readonly [string, LazyArray])[]): { [dim: string]: number } {
  const known = new Map<string, { readonly length: number; readonly name: string }>();
  for (const [name, array] of arrays) {
    if (!(array instanceof LazyArray))
      throw new ValueError({
        where: "Dataset",
        what: `${name} is no lazy array`,
        cure: "Wrap it: asarray(x)",
      });
    const { dims } = array;
    dims.forEach((dim, axis) => {
      const length = array.shape[axis]!;
      if (dim === null)
        throw new ValueError({
          where: "Dataset",
          what: `axis ${axis} of ${JSON.stringify(name)} has no name`,
          cure: "Name the axes: x.withDims([…])",
        });
      const other = known.get(dim);
      if (other !== undefined && other.length !== length)
        throw new ShapeError({
          where: "Dataset",
          what: `${dim} is ${length} long in ${JSON.stringify(name)} and ${other.length} in ${JSON.stringify(other.name)}`,
          cure: "A dimension has one length in a dataset",
        });
      known.set(dim, { length, name });
    });
  }
  return Object.fromEntries([...known].map(([dim, { length }]) => [dim, length]));
}

/** The coordinates that label a dimension: those called as their only axis. */
export const indexNames = (coords: Variables): string[] =>
  Object.entries(coords).flatMap(([name, { dims }]) => (dims.length === 1 && dims[0] === name ? [name] : []));

/** Labels of what lies in memory already, by computing them; for coordinates that are small by nature. */
export async function indexesOf(coords: Variables): Promise<LabelIndex[]> {
  const names = indexNames(coords);
  const values = await Promise.all(names.map((name) => coords[name]!.compute()));
  return names.map((name, i) => new LabelIndex(name, values[i] as NDArray));
}

/**
 * A dataset of arrays whose axes have names: `await cw.dataset({variables: {t2m}, coords: {time, lat}})`. Coordinates that
 * label a dimension are computed, so that labels can be selected.
 */
export async function dataset(parts: DatasetParts): Promise<Dataset> {
  const whole = new Dataset(parts);
  return new Dataset(parts, await indexesOf(whole.coords));
}
