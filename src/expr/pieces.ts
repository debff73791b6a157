// What a move is made of: strided copies of parts of its inputs, and the seams between which they are made in one way. Plain data.

import type { Scalar } from "../core/numbers.ts";

/** An axis of a piece: how far one step goes in the output and in the input (axis −1: nowhere). */
export interface PieceAxis {
  readonly length: number;
  readonly outAxis: number;
  readonly outStep: number;
  readonly inAxis: number;
  readonly inStep: number;
  /** How far each of its places is from the piece's start, where they are no regular walk; of one axis of a piece at most. */
  readonly places?: { readonly out: readonly number[]; readonly in: readonly number[] } | undefined;
}

/** A part of an output that is a strided copy of a part of one input, or filled with one value. */
export interface Piece {
  readonly from: { readonly input: number; readonly start: readonly number[] } | { readonly fill: Scalar };
  /** Where the piece begins in the output. */
  readonly start: readonly number[];
  readonly axes: readonly PieceAxis[];
}

/**
 * Where an output is made in another way, along one of its axes. A box of it that is moved by d places needs boxes of the
 * inputs, and pieces, that are moved by d times something fixed: as long as it crosses no seam; and where d is a multiple
 * of a period, the seams of that period may be crossed. A seam x lies between the places x − 1 and x.
 */
export interface AxisSeams {
  /** A box that begins before `to` and ends behind `from` is made in a way of its own. */
  readonly zones?: readonly (readonly [from: number, to: number])[] | undefined;
  /** Seams that come again after `every` places. */
  readonly periods?: readonly Period[] | undefined;
}

export interface Period {
  readonly every: number;
  /** So many places behind each multiple of it; "all": before each place. */
  readonly at: readonly number[] | "all";
}

/** Made in one way from one end to the other. */
export const SEAMLESS: AxisSeams = {};
