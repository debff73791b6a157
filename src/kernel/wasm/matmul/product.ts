// A product of matrices in the kernels' memory, and the jobs that it becomes. Plain data.

import type { DType } from "../../../core/dtype.ts";
import type { Family } from "./family.ts";

/** Strides in bytes, of any sign; 0 in a or b repeats a line. */
export interface Matrix {
  readonly address: number;
  readonly rowStride: number;
  readonly columnStride: number;
}

export interface Product {
  readonly dtype: DType;
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly a: Matrix;
  readonly b: Matrix;
  readonly c: Matrix;
}

export interface MatrixKernel {
  /** Says all that the bytes depend on but whether memory is shared. */
  readonly key: string;
  readonly bytes: (isShared: boolean) => Uint8Array<ArrayBuffer>;
}

export interface MatrixJob {
  readonly kernel: MatrixKernel;
  readonly parameters: readonly number[];
  readonly units: number;
  /** So many units are worth a turn. */
  readonly part: number;
}

export interface MatrixJobs {
  readonly bufferBytes: number;
  /** Given the address of the buffer. */
  readonly jobs: (buffer: number) => readonly MatrixJob[];
}

export const kernelOf = (
  name: string,
  family: Family,
  write: (family: Family, isShared: boolean) => Uint8Array<ArrayBuffer>,
): MatrixKernel => ({ key: `${name} ${family.name}`, bytes: (isShared) => write(family, isShared) });

export const ceilDiv = (x: number, y: number): number => Math.ceil(x / y);

/** Blocks of nearly equal length, none above `most` unless `step` is, in multiples of `step`. */
export const evenBlock = (length: number, most: number, step: number): number => {
  const blocks = ceilDiv(length, Math.max(step, Math.floor(most / step) * step));
  return Math.max(step, ceilDiv(length, Math.max(1, blocks) * step) * step);
};
