// Vectors in 2, 3 and 4 dimensions, as scikit-hep's vector knows them: the behaviors of records called Vector2D … Momentum4D. In:
// arrays of such records. Out: their properties, as columns; sums, products, boosts and rotations of them, as vectors.
// Must hold: what is asked for is made of the fewest stored coordinates (coordinates.ts), so that no others are read.

import { ShapeError } from "../../../core/errors.ts";
import type { NestedReduceOptions } from "../../../lazy/functionTypes.ts";
import * as of from "./coordinates.ts";
import type { Column, Operand } from "./vectorColumns.ts";
import {
  along,
  around,
  boosted,
  checkAlike,
  columnsOf,
  combined,
  given,
  inTime,
  lengthOf,
  made,
  mapped,
  products,
  spaceOf,
  turned,
  velocityOf,
} from "./vectorParts.ts";

/** Vectors in a plane: `rg.withName(x, "Vector2D")`, with x and y, or rho (pt) and phi. */
export class Vector2D {
  readonly "~behavior"?: true;

  get dimensions(): number {
    return 2;
  }
  get x(): Column {
    return given(this, "x", of.xOf);
  }
  get y(): Column {
    return given(this, "y", of.yOf);
  }
  get rho(): Column {
    return given(this, "rho", of.rhoOf);
  }
  get rho2(): Column {
    return of.rho2Of(columnsOf(this));
  }
  get phi(): Column {
    return given(this, "phi", of.phiOf);
  }
  get px(): Column {
    return this.x;
  }
  get py(): Column {
    return this.y;
  }
  get pt(): Column {
    return this.rho;
  }
  get pt2(): Column {
    return this.rho2;
  }
  add(other: this): this {
    checkAlike(this, other, "a sum");
    return combined(this, other, (a, b) => a.add(b));
  }
  subtract(other: this): this {
    checkAlike(this, other, "a difference");
    return combined(this, other, (a, b) => a.subtract(b));
  }
  multiply(factor: Operand): this {
    return mapped(this, (value) => value.multiply(factor));
  }
  divide(factor: Operand): this {
    return mapped(this, (value) => value.divide(factor));
  }
  negative(): this {
    return mapped(this, (value) => value.negative());
  }
  /** Of the vectors along an axis. */
  sum(options?: NestedReduceOptions): this {
    return mapped(this, (value) => value.sum(options as never));
  }
  dot(other: this): Column {
    checkAlike(this, other, "a product");
    return products(this, other, "x", "y");
  }
  /** Of angles around z, from −π to π. */
  deltaPhi(other: Vector2D): Column {
    return turned(of.phiOf(columnsOf(this)).subtract(of.phiOf(columnsOf(other))));
  }
  /** Around z. What else there is stays as it is. */
  rotateZ(angle: number): this {
    const v = columnsOf(this);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const [x, y] = [of.xOf(v), of.yOf(v)];
    const turnedBy = {
      x: x.multiply(cos).subtract(y.multiply(sin)),
      y: x.multiply(sin).add(y.multiply(cos)),
    };
    return made(this, this.dimensions, { ...turnedBy, ...along(this), ...inTime(this) });
  }
  /** Of length 1. */
  unit(): this {
    return mapped(this, (value) => value.divide(lengthOf(this)));
  }
  to2D(): Vector2D {
    return made(this, 2, around(this));
  }
}

/** Vectors in space, `rg.withName(x, "Vector3D")`: besides those of Vector2D with z (pz), eta or theta. */
export class Vector3D extends Vector2D {
  override get dimensions(): number {
    return 3;
  }
  get z(): Column {
    return given(this, "z", of.zOf);
  }
  get pz(): Column {
    return this.z;
  }
  get eta(): Column {
    return given(this, "eta", of.etaOf);
  }
  get theta(): Column {
    return given(this, "theta", of.thetaOf);
  }
  /** How long it is in space. */
  get mag(): Column {
    return of.magOf(columnsOf(this));
  }
  get mag2(): Column {
    return of.mag2Of(columnsOf(this));
  }
  get p(): Column {
    return this.mag;
  }
  get p2(): Column {
    return this.mag2;
  }
  override dot(other: this): Column {
    checkAlike(this, other, "a product");
    return products(this, other, "x", "y").add(of.zOf(columnsOf(this)).multiply(of.zOf(columnsOf(other))));
  }
  /** a × b, in space. */
  cross(other: Vector3D): Vector3D {
    const [a, b] = [spaceOf(this), spaceOf(other)];
    const minor = (i: "x" | "y" | "z", k: "x" | "y" | "z"): Column =>
      a[i].multiply(b[k]).subtract(a[k].multiply(b[i]));
    return made(this, 3, { x: minor("y", "z"), y: minor("z", "x"), z: minor("x", "y") });
  }
  deltaEta(other: Vector3D): Column {
    return of.etaOf(columnsOf(this)).subtract(of.etaOf(columnsOf(other)));
  }
  /** ΔR² = Δφ² + Δη² */
  deltaR2(other: Vector3D): Column {
    return this.deltaPhi(other).square().add(this.deltaEta(other).square());
  }
  /** ΔR = √(Δφ² + Δη²) */
  deltaR(other: Vector3D): Column {
    return this.deltaPhi(other).hypot(this.deltaEta(other));
  }
  /** The angle between both, in space: atan2(|a × b|, a · b), which is exact where it is small. */
  deltaAngle(other: Vector3D): Column {
    const [a, b] = [spaceOf(this), spaceOf(other)];
    const dot = a.x.multiply(b.x).add(a.y.multiply(b.y)).add(a.z.multiply(b.z));
    return of.magOf(columnsOf(this.cross(other))).atan2(dot);
  }
  rotateX(angle: number): this {
    return this.rotateAxis({ x: 1, y: 0, z: 0 }, angle);
  }
  rotateY(angle: number): this {
    return this.rotateAxis({ x: 0, y: 1, z: 0 }, angle);
  }
  /** Around an axis, by Rodrigues: v cos α + (k × v) sin α + k (k · v)(1 − cos α). Energy and mass stay as they are. */
  rotateAxis(axis: { readonly x: number; readonly y: number; readonly z: number }, angle: number): this {
    const { x, y, z } = spaceOf(this);
    const length = Math.hypot(axis.x, axis.y, axis.z);
    if (!(length > 0)) throw new ShapeError({ what: "the axis has no length", cure: "Use another axis" });
    const [kx, ky, kz] = [axis.x / length, axis.y / length, axis.z / length];
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const row = (a: number, b: number, c: number): Column =>
      x.multiply(a).add(y.multiply(b)).add(z.multiply(c));
    const rest = 1 - cos;
    const space = {
      x: row(cos + kx * kx * rest, kx * ky * rest - kz * sin, kx * kz * rest + ky * sin),
      y: row(ky * kx * rest + kz * sin, cos + ky * ky * rest, ky * kz * rest - kx * sin),
      z: row(kz * kx * rest - ky * sin, kz * ky * rest + kx * sin, cos + kz * kz * rest),
    };
    return made(this, this.dimensions, { ...space, ...inTime(this) });
  }
  to3D(): Vector3D {
    return made(this, 3, { ...around(this), ...along(this) });
  }
}

/** Vectors in space and time, `rg.withName(x, "Vector4D")`: besides those of Vector3D with t (energy) or tau (mass). */
export class Vector4D extends Vector3D {
  override get dimensions(): number {
    return 4;
  }
  get t(): Column {
    return given(this, "t", of.tOf);
  }
  get energy(): Column {
    return this.t;
  }
  get tau(): Column {
    return given(this, "tau", of.tauOf);
  }
  get tau2(): Column {
    return of.tau2Of(columnsOf(this));
  }
  /** Below 0 where it is spacelike. */
  get mass(): Column {
    return this.tau;
  }
  get mass2(): Column {
    return this.tau2;
  }
  /** Et = E ρ / |p| */
  get et(): Column {
    return of
      .tOf(columnsOf(this))
      .multiply(of.rhoOf(columnsOf(this)))
      .divide(this.mag);
  }
  /** mt² = t² − z² */
  get mt2(): Column {
    return of
      .tOf(columnsOf(this))
      .square()
      .subtract(of.zOf(columnsOf(this)).square());
  }
  get mt(): Column {
    return this.mt2.maximum(0).sqrt();
  }
  /** y = atanh(z / t) */
  get rapidity(): Column {
    return of
      .zOf(columnsOf(this))
      .divide(of.tOf(columnsOf(this)))
      .atanh();
  }
  /** β = |p| / t */
  get beta(): Column {
    return this.mag.divide(of.tOf(columnsOf(this)));
  }
  /** γ = t / τ */
  get gamma(): Column {
    return of.tOf(columnsOf(this)).divide(of.tauOf(columnsOf(this)));
  }
  /** t t′ − x x′ − y y′ − z z′ */
  override dot(other: this): Column {
    return of
      .tOf(columnsOf(this))
      .multiply(of.tOf(columnsOf(other)))
      .subtract(super.dot(other));
  }
  /** The velocity: p / t. */
  toBeta3(): Vector3D {
    const t = of.tOf(columnsOf(this));
    const { x, y, z } = spaceOf(this);
    return made(this, 3, { x: x.divide(t), y: y.divide(t), z: z.divide(t) });
  }
  /** By a velocity, or by that of another vector: to where what was at rest has it. */
  boost(by: Vector3D): this {
    return boosted(this, velocityOf(by), 1);
  }
  /** To where another vector is at rest. */
  boostCMOf(by: Vector3D): this {
    return boosted(this, velocityOf(by), -1);
  }
  to4D(): Vector4D {
    return made(this, 4, { ...around(this), ...along(this), ...inTime(this) });
  }
}

/** By the names of their records. */
export const VECTORS: { readonly [name: string]: new () => Vector2D } = {
  ...{ Vector2D, Vector3D, Vector4D },
  ...{ Momentum2D: Vector2D, Momentum3D: Vector3D, Momentum4D: Vector4D },
};
