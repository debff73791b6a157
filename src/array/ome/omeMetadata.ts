// What OME-NGFF says of an image: its axes, and how large a pixel of each level is. In: attributes of a group (versions 0.1 to 0.5), or
// axes and scales. Out: one record, or attributes as versions 0.4 and 0.5 have them. Must hold: what is written is valid there.

import { describe } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import type { Json, JsonObject } from "../../core/labels.ts";
import { MetadataError } from "../../storage/errors.ts";
import { isObject } from "../../storage/zarr/zarrJson.ts";

/** An axis of an image: what it is called, what it is along, and in which unit. */
export interface OmeAxis {
  /** "t", "c", "z", "y", "x", or another. */
  readonly name: string;
  /** "time", "channel" or "space"; null where it is not said. */
  readonly type: string | null;
  /** "micrometer", "second"; null where it is not said. */
  readonly unit: string | null;
}

/** Where a level is, how far its pixels lie apart, and where its first pixel is, along each axis. */
export interface OmeLevelMetadata {
  /** In the group. */
  readonly path: string;
  /** How far pixels lie apart along each axis. */
  readonly scale: readonly number[];
  /** Where the first pixel is along each axis. */
  readonly translation: readonly number[];
}

export interface OmeMetadata {
  readonly version: string;
  readonly name: string | null;
  readonly axes: readonly OmeAxis[];
  readonly levels: readonly OmeLevelMetadata[];
}

const TYPES: { readonly [name: string]: string } = {
  ...{ t: "time", c: "channel" },
  ...{ z: "space", y: "space", x: "space" },
};
const USUAL = ["t", "c", "z", "y", "x"];

/** Of an array's names, or the usual ones of so many axes. */
export function axesOf(
  dims: readonly (string | null)[],
  units: { readonly [axis: string]: string },
): OmeAxis[] {
  const names = dims.every((dim) => dim === null) ? USUAL.slice(USUAL.length - dims.length) : dims;
  const axes = names.map((name) => {
    const type = name === null ? undefined : TYPES[name];
    if (name === null || type === undefined)
      throw new ValueError({
        what: `an axis of an image is called ${describe(name)}`,
        cure: 'Name axes "t", "c", "z", "y", "x": x.withDims(["c", "y", "x"])',
      });
    return { name, type, unit: units[name] ?? null };
  });
  checkOrder(axes);
  const wrong = Object.keys(units).find((name) => !names.includes(name));
  if (wrong !== undefined)
    throw new ValueError({
      what: `a unit for the axis ${describe(wrong)}`,
      cure: `There are ${names.join(", ")}`,
    });
  return axes;
}

/** Time, then channels, then two or three axes of space. */
function checkOrder(axes: readonly OmeAxis[]): void {
  const ranks = axes.map(({ name }) => USUAL.indexOf(name));
  const isOrdered = ranks.every((rank, i) => i === 0 || rank > ranks[i - 1]!);
  const space = axes.filter(({ type }) => type === "space").length;
  if (isOrdered && space >= 2 && axes.length <= 5) return;
  throw new ValueError({
    what: `an image with the axes [${axes.map(({ name }) => name).join(", ")}]`,
    cure: "Axes go t, c, z, y, x, of which y and x are always there: x.permuteDims([…])",
  });
}

/** As attributes of the group: of version 0.5 under "ome". */
export function omeAttributes({ version, name, axes, levels }: OmeMetadata): JsonObject {
  const multiscale: JsonObject = {
    ...(version === "0.4" ? { version } : {}),
    ...(name === null ? {} : { name }),
    axes: axes.map(({ name: axis, type, unit }) => ({
      name: axis,
      ...(type === null ? {} : { type }),
      ...(unit === null ? {} : { unit }),
    })),
    datasets: levels.map(({ path, scale, translation }) => ({
      path,
      coordinateTransformations: [
        { type: "scale", scale },
        ...(translation.some((shift) => shift !== 0) ? [{ type: "translation", translation }] : []),
      ],
    })),
    type: "mean",
  };
  return version === "0.4" ? { multiscales: [multiscale] } : { ome: { version, multiscales: [multiscale] } };
}

/** Of a group's attributes; an error where they are no image's. */
export function omeMetadata(attributes: JsonObject, where: string): OmeMetadata {
  const ome = isObject(attributes["ome"]) ? attributes["ome"] : attributes;
  const list = ome["multiscales"];
  const first = Array.isArray(list) ? (list[0] as Json) : undefined;
  if (!isObject(first))
    throw new MetadataError({
      what: "the group has no multiscales",
      where,
      cure: "Open an image of OME-Zarr; arrays of other groups open with openGroup",
    });
  const { datasets, name, version = ome["version"] ?? "0.1" } = first;
  if (!Array.isArray(datasets) || datasets.length === 0)
    throw new MetadataError({ what: "multiscales have no datasets", where });
  const axes = axesFrom(first["axes"], where);
  const common = transformsOf(first["coordinateTransformations"], axes.length, where);
  const levels = datasets.map((dataset: Json) => levelFrom(dataset, axes.length, common, where));
  return { version: String(version), name: typeof name === "string" ? name : null, axes, levels };
}

/** Versions before 0.3 say nothing of axes, and 0.3 names alone. */
function axesFrom(value: Json | undefined, where: string): OmeAxis[] {
  if (value === undefined) return USUAL.map((name) => ({ name, type: TYPES[name]!, unit: null }));
  if (!Array.isArray(value)) throw new MetadataError({ what: `axes are ${describe(value)}`, where });
  return value.map((axis: Json) => {
    const { name, type, unit } = isObject(axis)
      ? axis
      : { name: axis, type: TYPES[String(axis)], unit: null };
    if (typeof name !== "string")
      throw new MetadataError({ what: `the name of an axis is ${describe(name)}`, where });
    return {
      name,
      type: typeof type === "string" ? type : null,
      unit: typeof unit === "string" ? unit : null,
    };
  });
}

type Transform = Pick<OmeLevelMetadata, "scale" | "translation">;

function transformsOf(value: Json | undefined, ndim: number, where: string): Transform {
  let scale: readonly number[] = new Array<number>(ndim).fill(1);
  let translation: readonly number[] = new Array<number>(ndim).fill(0);
  for (const transform of Array.isArray(value) ? (value as Json[]) : []) {
    if (!isObject(transform)) continue;
    if (transform["type"] === "scale") scale = numbersFrom(transform["scale"], ndim, where);
    if (transform["type"] === "translation") translation = numbersFrom(transform["translation"], ndim, where);
  }
  return { scale, translation };
}

function numbersFrom(value: Json | undefined, ndim: number, where: string): number[] {
  if (Array.isArray(value) && value.length === ndim && value.every((x) => typeof x === "number"))
    return value as number[];
  throw new MetadataError({ what: `a transformation of ${ndim} axes is ${describe(value)}`, where });
}

/** The level's own transformation, and then that of all levels. */
function levelFrom(dataset: Json, ndim: number, common: Transform, where: string): OmeLevelMetadata {
  const { path, coordinateTransformations } = isObject(dataset) ? dataset : {};
  if (typeof path !== "string")
    throw new MetadataError({ what: `the path of a level is ${describe(path)}`, where });
  const own = transformsOf(coordinateTransformations, ndim, where);
  return {
    path,
    scale: own.scale.map((scale, axis) => scale * common.scale[axis]!),
    translation: own.translation.map(
      (shift, axis) => shift * common.scale[axis]! + common.translation[axis]!,
    ),
  };
}
