// Small plans that are run at once, whatever data they are given: what a plan's structure settles (kernels, windows, where blocks
// lie) is found when it is first run, and the next computation of that structure is copies and kernels. In: a request. Out: the
// results, in memory of their own; null where the plan is larger, reads stores, calls users' functions, or somebody looks on.
// Must hold: all arrays of a run lie on its backend's desk, which is the run's until it ends; nothing of it is handed out.

import { type Block, blockBytes, copyOfRow, Resource } from "../core/block.ts";
import { stridesOf } from "../core/chunks.ts";
import { infoOf, type TypedArray } from "../core/dtype.ts";
import type { Backend } from "../kernel/backend.ts";
import { KEPT_BYTES } from "../kernel/blockProgram.ts";
import { copyElements } from "../kernel/routines/stridedWalk.ts";
import { DataResource } from "../lazy/lazyArray.ts";
import type { DensePlanArray, PlanData } from "../plan/plan.ts";
import { presentBlock, type RunRequest } from "./runArrays.ts";
import { type PlaceOf, StandingRun } from "./standingRun.ts";

/** Of all arrays of a plan: more takes long enough to be run like any other. */
const DESK_BYTES = 1 << 19;
/** Of places on the desk; what begins at equal places of pages waits for unrelated writes. */
const STAGGER = 128;

const placeBytes = ({ dtype, shape }: Pick<Block, "dtype" | "shape">): number =>
  Math.ceil(blockBytes(dtype, shape) / STAGGER + 1) * STAGGER;

/** A place of a backend's memory that its small runs use one after another. */
const desks = new WeakMap<Backend, Block>();

/** Null where the backend has no memory of its own. */
function deskOf(backend: Backend): Block | null {
  const desk = desks.get(backend) ?? backend.keep("uint8", [DESK_BYTES]);
  if (desk !== null) desks.set(backend, desk);
  return desk;
}

/** Blocks on a desk, side by side. */
function placesOn({ data: { buffer, byteOffset }, place }: Block): PlaceOf {
  let at = byteOffset;
  return (dtype, shape) => {
    const { array: ArrayOf, bytes } = infoOf(dtype);
    const length = blockBytes(dtype, shape) / (bytes / infoOf(dtype).slots);
    const data = new ArrayOf(buffer as ArrayBuffer, at, length) as TypedArray;
    at += placeBytes({ dtype, shape });
    return { dtype, shape, strides: stridesOf(shape), offset: 0, data, place };
  };
}

/** What a small plan's source is bound to until it runs. */
class Unbound extends Resource {
  fingerprint(): string {
    return `unbound ${this.id}`;
  }
}

class SmallRun {
  readonly #standing: StandingRun;
  /** The plan's sources, and where their elements are put. */
  readonly #names: readonly string[];
  readonly #inputs: readonly Block[];

  private constructor(standing: StandingRun, names: readonly string[], inputs: readonly Block[]) {
    this.#standing = standing;
    this.#names = names;
    this.#inputs = inputs;
  }

  static of(plan: PlanData, backend: Backend): SmallRun | null {
    const dense = plan.arrays.filter((array): array is DensePlanArray => array.kind === "dense");
    const bytes = dense.reduce((sum, array) => sum + placeBytes(array), 0);
    const isSmall =
      bytes <= DESK_BYTES && dense.every(({ dtype, shape }) => blockBytes(dtype, shape) < KEPT_BYTES);
    if (dense.length < plan.arrays.length || !isSmall || backend.isAsync === true) return null;
    const desk = deskOf(backend);
    if (desk === null) return null;
    const place = placesOn(desk);
    const read = dense.filter(({ role }) => role === "source");
    const inputs = read.map(() => new Unbound());
    const sources = new Map(read.map(({ name }, i) => [name, inputs[i]!]));
    const standing = StandingRun.of({ plan, sources, inputs, backend, limit: DESK_BYTES, place });
    if (standing === null) return null;
    return new SmallRun(
      standing,
      read.map(({ name }) => name),
      read.map(({ dtype, shape }) => place(dtype, shape)),
    );
  }

  run({ sources, backend, threads, withLines }: RunRequest): Block[] {
    for (let i = 0; i < this.#names.length; i++) {
      const name = this.#names[i]!;
      copyElements(presentBlock(backend, name, sources.get(name) as DataResource), this.#inputs[i]!);
    }
    return this.#standing.run(this.#inputs, NOTHING_BROUGHT, threads, withLines).map(copyOfRow);
  }
}

const NOTHING_BROUGHT: readonly Block[] = [];

interface KnownRun {
  readonly backend: Backend;
  readonly run: SmallRun | null;
}

const known = new WeakMap<PlanData, KnownRun>();

/** The results of a small plan. */
export function runSmall(request: RunRequest): Block[] | null {
  const { plan, backend, emit, sources, targets, takers } = request;
  const isWatched = emit !== null && emit !== undefined;
  if (isWatched || targets !== undefined || takers !== undefined) return null;
  for (const resource of sources.values()) if (!(resource instanceof DataResource)) return null;
  let before = known.get(plan);
  if (before?.backend !== backend) {
    before = { backend, run: SmallRun.of(plan, backend) };
    known.set(plan, before);
  }
  return before.run?.run(request) ?? null;
}
