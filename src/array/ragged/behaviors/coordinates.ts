// Coordinates of vectors: what is stored, and what follows from it. In: records with fields in any of the usual systems, under any of
// the usual names. Out: columns. A coordinate is made of the fewest stored ones, so that no other is read: pt of (pt, phi, eta) is pt.
// Stored values are given as they are; what is computed is computed in float64, for masses are small differences of large squares.

import { ValueError } from "../../../core/errors.ts";
import type { Column } from "./vectorColumns.ts";

/** What a coordinate may be called, besides itself. */
const NAMES = {
  ...{ x: ["x", "px"], y: ["y", "py"], rho: ["rho", "pt"], phi: ["phi"] },
  ...{ z: ["z", "pz"], theta: ["theta"], eta: ["eta"] },
  ...{ t: ["t", "E", "e", "energy"], tau: ["tau", "M", "m", "mass"] },
} as const;
export type Coordinate = keyof typeof NAMES;

/** Under which name it is stored; null where it is not. */
export const storedName = (v: Column, coordinate: Coordinate): string | null =>
  NAMES[coordinate].find((name) => v.fields.includes(name)) ?? null;

/** In float64; null where it is not stored. */
function stored(v: Column, coordinate: Coordinate): Column | null {
  const name = storedName(v, coordinate);
  return name === null ? null : v.field(name).valuesAstype("float64");
}

function missing(v: Column, what: string, wanted: string): ValueError {
  return new ValueError({
    what: `there is no ${what} in records of ${v.fields.join(", ")}`,
    cure: `Use vectors with ${wanted}`,
  });
}

const AROUND = "x and y, or pt and phi";
const ALONG = "z, eta or theta";
const IN_TIME = "t (energy) or mass";

/** x = ρ cos φ */
export function xOf(v: Column): Column {
  const own = stored(v, "x");
  if (own !== null) return own;
  const [rho, phi] = [stored(v, "rho"), stored(v, "phi")];
  if (rho === null || phi === null) throw missing(v, "x", AROUND);
  return rho.multiply(phi.cos());
}

/** y = ρ sin φ */
export function yOf(v: Column): Column {
  const own = stored(v, "y");
  if (own !== null) return own;
  const [rho, phi] = [stored(v, "rho"), stored(v, "phi")];
  if (rho === null || phi === null) throw missing(v, "y", AROUND);
  return rho.multiply(phi.sin());
}

/** ρ = √(x² + y²) */
export function rhoOf(v: Column): Column {
  const own = stored(v, "rho");
  if (own !== null) return own;
  const [x, y] = [stored(v, "x"), stored(v, "y")];
  if (x === null || y === null) throw missing(v, "pt", AROUND);
  return x.hypot(y);
}

/** φ = atan2(y, x) */
export function phiOf(v: Column): Column {
  const own = stored(v, "phi");
  if (own !== null) return own;
  const [x, y] = [stored(v, "x"), stored(v, "y")];
  if (x === null || y === null) throw missing(v, "phi", AROUND);
  return y.atan2(x);
}

/** z = ρ sinh η = ρ / tan θ */
export function zOf(v: Column): Column {
  const own = stored(v, "z");
  if (own !== null) return own;
  const [eta, theta] = [stored(v, "eta"), stored(v, "theta")];
  if (eta !== null) return rhoOf(v).multiply(eta.sinh());
  if (theta !== null) return rhoOf(v).divide(theta.tan());
  throw missing(v, "z", ALONG);
}

/** η = asinh(z / ρ) = −log tan(θ / 2) */
export function etaOf(v: Column): Column {
  const own = stored(v, "eta");
  if (own !== null) return own;
  const theta = stored(v, "theta");
  if (theta !== null) return theta.multiply(0.5).tan().log().negative();
  return zOf(v).divide(rhoOf(v)).asinh();
}

/** θ = 2 atan e^−η = atan2(ρ, z) */
export function thetaOf(v: Column): Column {
  const own = stored(v, "theta");
  if (own !== null) return own;
  const eta = stored(v, "eta");
  if (eta !== null) return eta.negative().exp().atan().multiply(2);
  return rhoOf(v).atan2(zOf(v));
}

/** |p|² = ρ² + z² = ρ² cosh² η */
export const mag2Of = (v: Column): Column => magOf(v, true);

/** |p| = √(ρ² + z²) = ρ cosh η = ρ / sin θ, or its square. */
export function magOf(v: Column, isSquare = false): Column {
  const [eta, theta] = [stored(v, "eta"), stored(v, "theta")];
  const isCartesian = storedName(v, "z") !== null || (eta === null && theta === null);
  if (isCartesian) {
    const square = rho2Of(v).add(zOf(v).square());
    return isSquare ? square : square.sqrt();
  }
  const length = eta === null ? rhoOf(v).divide(theta!.sin()) : rhoOf(v).multiply(eta.cosh());
  return isSquare ? length.square() : length;
}

/** ρ² = x² + y² */
export function rho2Of(v: Column): Column {
  const own = stored(v, "rho");
  return own === null ? xOf(v).square().add(yOf(v).square()) : own.square();
}

/** t = √(τ|τ| + |p|²); τ may be below 0 where the vector is spacelike. */
export function tOf(v: Column): Column {
  const own = stored(v, "t");
  if (own !== null) return own;
  const tau = stored(v, "tau");
  if (tau === null) throw missing(v, "energy", IN_TIME);
  return tau.multiply(tau.abs()).add(mag2Of(v)).maximum(0).sqrt();
}

/** τ² = t² − |p|² */
export function tau2Of(v: Column): Column {
  const tau = stored(v, "tau");
  if (tau !== null) return tau.multiply(tau.abs());
  return tOf(v).square().subtract(mag2Of(v));
}

/** τ = √|τ²|, with its sign */
export function tauOf(v: Column): Column {
  const own = stored(v, "tau");
  if (own !== null) return own;
  const square = tau2Of(v);
  return square.abs().sqrt().copysign(square);
}
