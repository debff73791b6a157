// What vectors are made of, and made to: coordinates as they are stored, every coordinate of one or two arrays changed, boosts. In:
// arrays of vectors. Out: columns, and arrays of vectors whose records are called as the first one's.

import { ShapeError } from "../../../core/errors.ts";
import { recordName } from "../../../ragged/behaviors.ts";
import * as of from "./coordinates.ts";
import { type Column, MADE } from "./vectorColumns.ts";

/** As many dimensions as a vector has. */
interface Dimensioned {
  readonly dimensions: number;
}

/** Columns by name; the name of the records. */
type Make = (columns: { readonly [field: string]: Column }, name: string) => unknown;

/** What vectors are of the arrays that they are. */
interface OfArray extends Column {
  readonly form: Parameters<typeof recordName>[0];
  readonly [MADE]: Make;
}
export const columnsOf = (v: object): OfArray => v as OfArray;

/** A coordinate as it is stored, or as it follows. */
export function given(v: object, coordinate: of.Coordinate, computed: (v: Column) => Column): Column {
  const name = of.storedName(columnsOf(v), coordinate);
  return name === null ? computed(columnsOf(v)) : columnsOf(v).field(name);
}

/** "Vector" or "Momentum", as the first array's records are called. */
export function made<V>(v: object, dimensions: number, columns: { readonly [field: string]: Column }): V {
  const flavour = recordName(columnsOf(v).form)?.replace(/\dD$/, "") ?? "Vector";
  return columnsOf(v)[MADE](columns, `${flavour}${dimensions}D`) as V;
}

export function dimensionsOf(v: unknown): number {
  const dimensions = v instanceof Object && "dimensions" in v ? v.dimensions : undefined;
  if (typeof dimensions === "number") return dimensions;
  throw new ShapeError({
    what: "this is no array of vectors",
    cure: 'Name its records: rg.withName(x, "Momentum4D")',
  });
}

export function checkAlike(a: object, b: unknown, what: string): void {
  const [own, other] = [dimensionsOf(a), dimensionsOf(b)];
  if (own === other) return;
  throw new ShapeError({
    what: `${what} of vectors in ${own} and in ${other} dimensions`,
    cure: "Use to2D, to3D or to4D",
  });
}

/** Differences of angles, from −π to below π: (Δφ + π) mod 2π − π */
export const turned = (angle: Column): Column =>
  angle
    .add(Math.PI)
    .remainder(2 * Math.PI)
    .subtract(Math.PI);

/** γ = 1 / √(1 − β²) */
export const gammaOf = (beta2: Column): Column => beta2.negative().add(1).sqrt().reciprocal();

// What vectors are made of.

type Columns = { readonly [field: string]: Column };

export const around = (v: object): Columns => ({ x: of.xOf(columnsOf(v)), y: of.yOf(columnsOf(v)) });

/** z, as it is stored. */
export const along = (v: object): Columns => kept(v, ["z", "eta", "theta"]);
/** t or τ, as it is stored. */
export const inTime = (v: object): Columns => kept(v, ["t", "tau"]);

export function kept(v: object, coordinates: readonly of.Coordinate[]): Columns {
  const found = coordinates.find((coordinate) => of.storedName(columnsOf(v), coordinate) !== null);
  if (found === undefined) return {};
  return { [found]: columnsOf(v).field(of.storedName(columnsOf(v), found)!) };
}

export const spaceOf = (v: object): { readonly x: Column; readonly y: Column; readonly z: Column } => ({
  ...{ x: of.xOf(columnsOf(v)), y: of.yOf(columnsOf(v)) },
  z: of.zOf(columnsOf(v)),
});

const COORDINATES: readonly (readonly [name: string, of: (v: Column) => Column])[] = [
  ["x", of.xOf],
  ["y", of.yOf],
  ["z", of.zOf],
  ["t", of.tOf],
];

/** Each of x, y, z, t. */
export const mapped = <V extends Dimensioned>(v: V, change: (value: Column) => Column): V =>
  made(
    v,
    v.dimensions,
    Object.fromEntries(
      COORDINATES.slice(0, v.dimensions).map(([name, get]) => [name, change(get(columnsOf(v)))]),
    ),
  );

export const combined = <V extends Dimensioned>(a: V, b: V, change: (a: Column, b: Column) => Column): V =>
  made(
    a,
    a.dimensions,
    Object.fromEntries(
      COORDINATES.slice(0, a.dimensions).map(([name, get]) => [
        name,
        change(get(columnsOf(a)), get(columnsOf(b))),
      ]),
    ),
  );

export const products = (a: object, b: object, ...[i, k]: readonly ["x", "y"]): Column => {
  const [one, other] = [around(a), around(b)];
  return one[i]!.multiply(other[i]!).add(one[k]!.multiply(other[k]!));
};

/** Of 4 dimensions √|t² − x² − y² − z²|. */
export function lengthOf(v: Dimensioned): Column {
  if (v.dimensions === 2) return of.rhoOf(columnsOf(v));
  return v.dimensions === 3 ? of.magOf(columnsOf(v)) : of.tau2Of(columnsOf(v)).abs().sqrt();
}

/** γ, and u = γβ: of a vector in space and time t/τ and p/τ, which is exact for what is nearly as fast as light. */
interface Velocity {
  readonly gamma: Column;
  readonly u: ReturnType<typeof spaceOf>;
}

export function velocityOf(by: object): Velocity {
  const { x, y, z } = spaceOf(by);
  if (dimensionsOf(by) === 4) {
    const tau = of.tauOf(columnsOf(by));
    const u = { x: x.divide(tau), y: y.divide(tau), z: z.divide(tau) };
    return { gamma: of.tOf(columnsOf(by)).divide(tau), u };
  }
  const gamma = gammaOf(x.square().add(y.square()).add(z.square()));
  return { gamma, u: { x: x.multiply(gamma), y: y.multiply(gamma), z: z.multiply(gamma) } };
}

/** p′ = p + ((u · p) / (γ + 1) + t) u, t′ = γ t + u · p; backwards with −u. */
export function boosted<V extends Dimensioned>(v: V, { gamma, u }: Velocity, sign: 1 | -1): V {
  const { x, y, z } = spaceOf(v);
  const t = of.tOf(columnsOf(v));
  const dot = u.x.multiply(x).add(u.y.multiply(y)).add(u.z.multiply(z));
  const factor = dot.divide(gamma.add(1)).add(t.multiply(sign));
  const time = gamma.multiply(t);
  return made(v, 4, {
    x: x.add(factor.multiply(u.x)),
    y: y.add(factor.multiply(u.y)),
    z: z.add(factor.multiply(u.z)),
    t: sign === 1 ? time.add(dot) : time.subtract(dot),
  });
}
