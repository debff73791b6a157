// Random numbers: bits that are a formula of an element's place (kernel/philox.ts), and what is made of them. In: the shape, and in
// attrs the key of a generator and the number of the call. Out: the same numbers however the array is cut and wherever it is computed.
// Must hold: a place's row-major number in the whole array is its counter. Uniform, normal and exponential numbers and integers of
// short ranges take one counter each and are elementwise; those that take an unknown number of draws are routines.

import type { Attrs } from "../core/block.ts";
import { type ChunkShape, type Shape, sameShape, shapeText, stridesOf } from "../core/chunks.ts";
import { type DType, INDEX_DTYPE, infoOf, isFloat } from "../core/dtype.ts";
import { DTypeError, ShapeError } from "../core/errors.ts";
import { broadcastType, denseType, type ElementwiseOp, type RoutineOp, type SourceOp } from "../expr/op.ts";
import { DISTRIBUTIONS, type Distribution } from "../kernel/routines/draws.ts";
import * as s from "../kernel/scalar.ts";
import { wrongAttr } from "./attrChecks.ts";
import { normalQuantile } from "./normalQuantile.ts";

/** Which numbers: those of a generator's call. */
export interface StreamAttrs {
  /** 64 bits. */
  readonly key: bigint;
  /** The number of the call, a word. */
  readonly stream: number;
}

const ofStream = (attrs: Attrs): StreamAttrs => attrs as unknown as StreamAttrs;
const word = (value: number | bigint): s.Term => s.constant("uint64", value);

/** Row-major number of the element; axes of one place have number 0. */
function placeOf(shape: Shape, index: (axis: number) => s.Term): s.Term {
  const strides = stridesOf(shape);
  const terms = shape.flatMap((length, axis) => {
    if (length === 1) return [];
    const at = s.convert(index(axis), "uint64");
    return [strides[axis] === 1 ? at : s.mul(at, word(strides[axis]!))];
  });
  return terms.length === 0 ? word(0) : terms.reduce(s.add);
}

/** The bits of draw d of an element: draws are streams of their own. */
const bitsAt = (place: s.Term, { key, stream }: StreamAttrs, draw: number): s.Term =>
  s.philox(place, word(BigInt(stream) + (BigInt(draw) << 32n)), word(key));

function randomSource(name: string, body: NonNullable<SourceOp["body"]>): SourceOp {
  return {
    name,
    class: "source",
    body,
    infer: (_, attrs) => denseType(attrs["dtype"] as DType, attrs["shape"] as Shape),
    chunks: (attrs) => attrs["chunks"] as ChunkShape,
  };
}

/** 64 bits: uint64. */
export const randomBits: SourceOp = randomSource("randomBits", (attrs, { shape }, index) =>
  bitsAt(placeOf(shape, index), ofStream(attrs), 0),
);

/** So many times more is drawn where a draw would make some numbers likelier: beyond that, with 2⁻⁹⁶, it is taken as it is. */
const REDRAWS = 2;

/**
 * attrs.low + ⌊bits · attrs.count / 2⁶⁴⌋ for counts up to 2³². Draws whose lower word of the product is below 2⁶⁴ mod count are
 * taken again (Lemire, 2019), so that all numbers are equally likely.
 */
export const randomIntegers: SourceOp = randomSource("randomIntegers", (attrs, { dtype, shape }, index) => {
  const place = placeOf(shape, index);
  const count = attrs["count"] as bigint;
  const excess = (1n << 64n) % count;
  const drawn = (draw: number): s.Term => {
    const bits = bitsAt(place, ofStream(attrs), draw);
    const upper = s.mul(s.shr(bits, word(32)), word(count));
    const lower = s.mul(s.and(bits, word(0xffffffff)), word(count));
    const number = s.shr(s.add(upper, s.shr(lower, word(32))), word(32));
    if (excess === 0n || draw === REDRAWS) return number;
    const rest = s.mul(bits, word(count));
    return s.rarely(s.lt(rest, word(excess)), drawn(draw + 1), number);
  };
  const { part } = infoOf(dtype);
  return s.add(
    s.convert(s.convert(drawn(0), "int64"), part),
    s.convert(s.constant("int64", attrs["low"] as bigint), part),
  );
});

/** 1.0 as bits: behind it, as fractions, random bits make a number from 1 up to 2. */
const ONE = 0x3ffn << 52n;
const double = (value: number): s.Term => s.constant("float64", value);
const oneAnd = (bits: s.Term, count: number): s.Term =>
  s.bitcast(s.or(s.shl(s.shr(bits, word(64 - count)), word(52 - count)), word(ONE)), "float64");

/** u − ½ for (0, 1): an odd multiple of 2⁻⁵³, so that no end is ever met. */
const centred = (bits: s.Term): s.Term => s.add(s.sub(oneAnd(bits, 52), double(1.5)), double(2 ** -53));

/** A number made of the bits of one element, of a floating dtype attrs.dtype. */
function ofBits(name: string, work: number, body: (bits: s.Term, dtype: DType) => s.Term): ElementwiseOp {
  return {
    name,
    class: "elementwise",
    arity: 1,
    work,
    infer([bits], attrs) {
      const dtype = attrs["dtype"] as DType;
      if (bits!.dtype !== "uint64" || !isFloat(dtype))
        throw new DTypeError({
          what: `${name} makes ${dtype} of ${bits!.dtype}`,
          cure: "It makes floating numbers of uint64",
        });
      return broadcastType([bits!], dtype);
    },
    body: ([bits], attrs) => {
      const dtype = attrs["dtype"] as DType;
      return s.convert(body(bits as s.Term, dtype), infoOf(dtype).part);
    },
  };
}

/** Digits of a fraction that a dtype holds from 0 up to 1 without rounding. */
const FRACTION: { readonly [dtype: string]: number } = { float16: 11, float32: 24, float64: 52 };

/** From 0 up to 1, all multiples of 2⁻⁵² (2⁻²⁴ of float32) equally likely. */
export const uniformOf: ElementwiseOp = ofBits("uniformOf", 4, (bits, dtype) =>
  s.sub(oneAnd(bits, FRACTION[dtype]!), double(1)),
);

/** Φ⁻¹(u): normal numbers by inversion. */
export const normalOf: ElementwiseOp = ofBits("normalOf", 40, (bits) => normalQuantile(centred(bits)));

/** −log(u): exponential numbers by inversion. */
export const exponentialOf: ElementwiseOp = ofBits("exponentialOf", 20, (bits) =>
  s.neg(s.log(s.add(centred(bits), double(0.5)))),
);

/** drawn(p₀, p₁, …): a number of attrs.distribution for each element, whose parameters are float64 arrays of the result's shape. */
export const drawn: RoutineOp = {
  name: "drawn",
  class: "routine",
  routine: "drawn",
  infer(parameters, attrs) {
    const distribution = DISTRIBUTIONS[attrs["distribution"] as Distribution];
    if (distribution === undefined) throw wrongAttr("drawn", "distribution", attrs["distribution"]!);
    const shape = attrs["shape"] as Shape;
    for (const parameter of parameters)
      if (parameter.dtype !== "float64" || !sameShape(parameter.shape, shape))
        throw new ShapeError({
          what: `a parameter is ${parameter.dtype} ${shapeText(parameter.shape)} and the result has shape ${shapeText(shape)}`,
          cure: "Parameters must be float64 and of the result's shape",
        });
    return denseType(distribution.dtype, shape);
  },
  computes: (out) => out,
  demand: (out, inputs) => inputs.map(() => out),
  chunks: (_, __, attrs) => attrs["chunks"] as ChunkShape,
};

/** permuted(places): where a random permutation of attrs.length numbers sends each; nothing else is read or kept. */
export const permuted: RoutineOp = {
  name: "permuted",
  class: "routine",
  routine: "permuted",
  infer([places], attrs) {
    if (places!.dtype !== INDEX_DTYPE) throw wrongAttr("permuted", "places", places!.dtype);
    if (!Number.isSafeInteger(attrs["length"])) throw wrongAttr("permuted", "length", attrs["length"]!);
    return denseType(INDEX_DTYPE, places!.shape);
  },
  computes: (out) => out,
  demand: (out) => [out],
  chunks: ([places]) => places!,
};

export const RANDOM_SOURCES: readonly SourceOp[] = [randomBits, randomIntegers];
export const RANDOM_OPS = [uniformOf, normalOf, exponentialOf, drawn, permuted] as const;
