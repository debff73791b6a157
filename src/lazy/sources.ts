// Sources: arrays that are computed from coordinates, and arrays that lie in memory.
// Every source has attrs.dtype, attrs.shape and attrs.chunks; the rest is its own.

import { type Attrs, Resource } from "../core/attrs.ts";
import type { Block } from "../core/block.ts";
import type { ChunkShape } from "../core/chunks.ts";
import { type DType, infoOf } from "../core/dtype.ts";
import { Complex, fitScalar, type Scalar } from "../core/numbers.ts";
import { type Shape, sizeOf } from "../core/shape.ts";
import { fingerprintBytes } from "../expr/expr.ts";
import type { SourceOp } from "../expr/op.ts";
import { type DenseType, denseType } from "../expr/type.ts";
import * as s from "../kernel/scalar.ts";
import { castValue } from "./cast.ts";

function source(name: string, body: SourceOp["body"]): SourceOp {
  return {
    name,
    class: "source",
    body,
    infer: (_, attrs) => denseType(attrs["dtype"] as DType, attrs["shape"] as Shape),
    chunks: (attrs) => attrs["chunks"] as ChunkShape,
  };
}

/** A constant of any dtype as a value of the scalar language. */
export function constantValue(value: Scalar, dtype: DType): s.Value {
  const { part } = infoOf(dtype);
  const fitted = fitScalar(value, dtype);
  if (fitted instanceof Complex) return { re: s.constant(part, fitted.re), im: s.constant(part, fitted.im) };
  return s.constant(part, typeof fitted === "boolean" ? Number(fitted) : fitted);
}

/** attrs.value everywhere. */
export const full: SourceOp = source("full", (attrs, { dtype }) =>
  constantValue(attrs["value"] as Scalar, dtype),
);

/** The coordinate along attrs.axis, as int64. */
export const coordinate: SourceOp = source("coordinate", (attrs, { dtype }, index) =>
  castValue(index(attrs["axis"] as number), dtype),
);

/** attrs.start + i · attrs.step, computed in the result's dtype. */
export const arange: SourceOp = source("arange", (attrs, { dtype }, index) => {
  const i = castValue(index(0), dtype) as s.Term;
  const start = constantValue(attrs["start"] as Scalar, dtype) as s.Term;
  const step = constantValue(attrs["step"] as Scalar, dtype) as s.Term;
  return s.add(start, s.mul(i, step));
});

/** Evenly spaced from attrs.start by attrs.step; the last is exactly attrs.last when that is not null. */
export const linspace: SourceOp = source("linspace", (attrs, type, index) => {
  const { part } = infoOf(type.dtype);
  const i = s.convert(index(0), "float64");
  const line = (from: number, by: number): s.Term =>
    s.convert(s.add(s.mul(i, s.constant("float64", by)), s.constant("float64", from)), part);
  const start = complexOf(attrs["start"] as Scalar);
  const step = complexOf(attrs["step"] as Scalar);
  const last = attrs["last"] as Scalar | null;
  const isLast = s.eq(index(0), s.constant("int64", sizeOf(type.shape) - 1));
  const ended = (value: s.Term, end: number): s.Term =>
    last === null ? value : s.select(isLast, s.constant(part, end), value);
  const end = complexOf(last ?? 0);
  const re = ended(line(start.re, step.re), end.re);
  return infoOf(type.dtype).slots === 1 ? re : { re, im: ended(line(start.im, step.im), end.im) };
});

const complexOf = (value: Scalar): Complex =>
  value instanceof Complex ? value : new Complex(Number(value), 0);

/** Elements in memory. They are read when a computation runs, so they must not be changed before. */
export class DataResource extends Resource {
  readonly block: Block;
  /** How much data there was: a buffer can be transferred away before it is read. */
  readonly length: number;
  #fingerprint: string | null = null;

  constructor(block: Block) {
    super();
    this.block = block;
    this.length = block.data.length;
  }

  fingerprint(): string {
    if (this.#fingerprint === null) {
      const { data, dtype, shape, strides, offset } = this.block;
      const bytes = fingerprintBytes(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
      this.#fingerprint = `${dtype}[${shape}](${strides})+${offset}:${bytes}`;
    }
    return this.#fingerprint;
  }
}

/** attrs.data: a DataResource. */
export const data: SourceOp = source("data", null);

export const dataOf = (attrs: Attrs): DataResource => attrs["data"] as DataResource;

/** attrs.data: something that the runtime can read by boxes, as an array in a store. */
export const stored: SourceOp = source("stored", null);

/** What a source without a body is bound to. */
export const resourceOf = (attrs: Attrs): Resource => attrs["data"] as Resource;

export function sourceAttrs(
  type: Pick<DenseType, "dtype" | "shape">,
  chunks: ChunkShape,
): { dtype: DType; shape: Shape; chunks: ChunkShape } {
  return { dtype: type.dtype, shape: type.shape, chunks };
}

export const SOURCES: readonly SourceOp[] = [full, coordinate, arange, linspace, data, stored];
