// A loop as a kernel and its parameters. In: a program over a domain, and where its accesses lie. Out: the kernel that does it,
// and the words that it reads.

import { infoOf } from "../../core/dtype.ts";
import type { Shape } from "../../core/shape.ts";
import type { ScalarProgram } from "../program.ts";
import type { Arranged, Walk } from "./arrange.ts";
import type { WasmKernel } from "./control.ts";
import { textOf } from "./kernelText.ts";
import { type InnerWalk, loopModule } from "./loopKernel.ts";
import type { Kernels } from "./madeKernels.ts";
import type { KernelMemory } from "./memory.ts";

/** A loop over axes in a good order; operands come first, then results. */
export interface Loop extends Arranged {
  readonly program: ScalarProgram;
  /** The first coordinate along each axis. */
  readonly first: readonly number[];
  readonly threads: number;
}

/** Where an access begins and how far it moves along each axis, in bytes. */
export interface AccessPlace {
  readonly address: number;
  readonly strides: readonly number[];
}

export function placeOf(memory: KernelMemory, walk: Walk): AccessPlace {
  const { bytes } = infoOf(walk.dtype);
  return { address: memory.placedAddress(walk), strides: walk.strides.map((stride) => stride * bytes) };
}

/** The words of a loop kernel. */
export function parametersOf(
  domain: Shape,
  first: readonly number[],
  places: readonly AccessPlace[],
): number[] {
  const words = [...domain];
  for (const { address, strides } of places) words.push(address, ...strides);
  for (const start of first) words.push(start | 0, Math.floor(start / 2 ** 32));
  return words;
}

export function loopKernelFor(
  kernels: Kernels,
  program: ScalarProgram,
  dims: number,
  walks: readonly InnerWalk[],
  split: number,
  isBlocked: boolean,
): WasmKernel {
  const key = `loop ${dims} ${split} ${isBlocked} ${walks.join()} ${textOf(program)}`;
  return kernels.get(key, (isShared) => loopModule(program, { dims, walks, split, isBlocked, isShared }));
}
