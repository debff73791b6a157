// Bodies of loops and conditions, planned once: what a loop's node calls. In: plans, and how they go together; then blocks. Out:
// what the loop gives. A body is data: it has the same name in every process for the same plans, and goes wherever plans go.
// Must hold: however often a body runs, it takes the memory of one run, of what is carried twice, and of what is collected.

import { type Block, newBlock, Resource } from "../core/block.ts";
import { sameShape, shapeText } from "../core/chunks.ts";
import { ValueError } from "../core/errors.ts";
import type { Backend } from "../kernel/backend.ts";
import { KEPT_BYTES, takenBlock } from "../kernel/blockProgram.ts";
import { referenceBackend } from "../kernel/interpret/backend.ts";
import { type RoutineMeans, Trap } from "../kernel/routine.ts";
import { copyElements } from "../kernel/routines/stridedWalk.ts";
import { type BlockInfo, Callable, type Expected } from "../kernel/routines/userCall.ts";
import type { DensePlanArray, PlanData } from "../plan/plan.ts";
import { type Json, planToJson, type Referable } from "../plan/planJson.ts";
import { digest } from "./runKey.ts";
import { StandingRun } from "./standingRun.ts";

/** A function of blocks as a plan. */
export interface BodyPlan {
  readonly plan: PlanData;
  /** For each argument the plan's source that it is; null for one that is not needed. */
  readonly inputs: readonly (string | null)[];
  /** For each value that the function gives, which of the plan's results it is. */
  readonly places: readonly number[];
}

/** How plans go together. */
export type Control =
  /** plans: the condition of what is carried, and the next of it. At most so many times; null: as often as it takes. */
  | { readonly kind: "whileLoop"; readonly carried: number; readonly most: number | null }
  /** plans: from what is carried and a place of each sequence, the next of what is carried and a place of what is collected. */
  | { readonly kind: "scan"; readonly carried: number; readonly sequences: number; readonly length: number }
  /** plans: if true, if not. The first argument says which. */
  | { readonly kind: "cond" };

/** What a plan is bound to until it runs. */
class Argument extends Resource {
  fingerprint(): string {
    return `argument ${this.id}`;
  }
}

/** A body that is more than a few tasks. */
export const CUT = "the body of a loop is cut into several tasks, or is very long";
export const CUT_CURE = "Leave rechunk out of it, and give it arrays that are whole";

/** A body on a backend, ready to run. */
class ReadyBody {
  readonly #body: BodyPlan;
  readonly #backend: Backend;
  readonly #standing: StandingRun;

  constructor(body: BodyPlan, backend: Backend) {
    const inputs = body.inputs.map(() => new Argument());
    const sources = new Map(
      body.inputs.flatMap((name, i) => (name === null ? [] : [[name, inputs[i]!] as const])),
    );
    this.#body = body;
    this.#backend = backend;
    const { plan } = body;
    // Whoever runs the loop watches over the functions in it.
    const parts = { plan, sources, inputs, backend, limit: Number.POSITIVE_INFINITY, isWatched: false };
    const standing = StandingRun.of(parts);
    if (standing === null) throw new Trap(CUT, CUT_CURE);
    this.#standing = standing;
  }

  /** Its values: in the blocks of `into`, or in some that the next run overwrites. */
  run(given: readonly Block[], into: readonly Block[] = []): Block[] {
    const results = this.#standing.run(given, into, 1);
    return this.#body.places.map((at) => results[at]!);
  }

  /** Blocks for all that a run makes. */
  blocks(): Block[] {
    const arrays = new Map(this.#body.plan.arrays.map((array) => [array.name, array as DensePlanArray]));
    return this.#body.plan.results.map((name) => {
      const { dtype, shape } = arrays.get(name)!;
      return takenBlock(this.#backend, dtype, shape);
    });
  }
}

export class LoopBody extends Callable implements Referable {
  readonly control: Control;
  readonly plans: readonly BodyPlan[];
  readonly #ready = new WeakMap<Backend, readonly ReadyBody[]>();
  #text: string | null = null;

  constructor(control: Control, plans: readonly BodyPlan[]) {
    super();
    this.control = control;
    this.plans = plans;
  }

  reference(): Json {
    const plans = this.plans.map(({ plan, inputs, places }) => ({ plan: planToJson(plan), inputs, places }));
    return { loop: { control: { ...this.control }, plans } };
  }

  /** Without the lines that the user wrote: the same loop written elsewhere is the same. */
  fingerprint(): string {
    this.#text ??= `loop ${digest(JSON.stringify(this.reference(), withoutLines))}`;
    return this.#text;
  }

  override call(
    blocks: readonly Block[],
    _: BlockInfo,
    expected: readonly Expected[],
    { backend = referenceBackend }: RoutineMeans = {},
  ): readonly Block[] {
    this.#check(blocks);
    const ready = this.#readyOn(backend);
    const brought = blocks.map((block) => broughtIn(block, backend));
    try {
      return this.#run(ready, brought, expected, backend);
    } finally {
      brought.forEach((block, i) => {
        if (block !== blocks[i]) backend.free(block);
      });
    }
  }

  #readyOn(backend: Backend): readonly ReadyBody[] {
    const known = this.#ready.get(backend) ?? this.plans.map((body) => new ReadyBody(body, backend));
    this.#ready.set(backend, known);
    return known;
  }

  #run(
    ready: readonly ReadyBody[],
    blocks: readonly Block[],
    expected: readonly Expected[],
    backend: Backend,
  ): Block[] {
    const { control } = this;
    switch (control.kind) {
      case "cond":
        return copies(ready[isTrue(blocks[0]!) ? 0 : 1]!.run(blocks.slice(1)));
      case "whileLoop":
        return repeated(ready, blocks, control, backend);
      case "scan":
        return scanned(ready[0]!, blocks, control, { expected, backend });
      default:
        throw control satisfies never;
    }
  }

  /** Of plans from elsewhere too: what a body is given is what it was planned for. */
  #check(blocks: readonly Block[]): void {
    const { control } = this;
    const skipped = control.kind === "cond" ? 1 : 0;
    const isPlace = (i: number): boolean =>
      control.kind === "scan" && i >= control.carried && i < control.carried + control.sequences;
    for (const { plan, inputs } of this.plans) {
      const arrays = new Map(plan.arrays.map((array) => [array.name, array as DensePlanArray]));
      inputs.forEach((name, i) => {
        if (name === null) return;
        const { dtype, shape } = arrays.get(name)!;
        const block = blocks[i + skipped];
        const given = isPlace(i) ? block?.shape.slice(1) : block?.shape;
        if (block?.dtype === dtype && sameShape(given!, shape)) return;
        throw new Trap(
          `${control.kind} is given ${block?.dtype} ${shapeText(given ?? [])} where ${dtype} ${shapeText(shape)} belongs`,
        );
      });
    }
  }
}

const withoutLines = (name: string, value: unknown): unknown =>
  name === "line" || name === "call" ? undefined : value;

const isTrue = ({ data, offset }: Block): boolean => data[offset] !== 0;

/** Small blocks where kernels work on them without copying them each time. */
function broughtIn(block: Block, backend: Backend): Block {
  if (block.place !== undefined || block.data.byteLength > KEPT_BYTES) return block;
  const inside = backend.allocate(block.dtype, block.shape);
  if (inside === null) return block;
  copyElements(block, inside);
  return inside;
}

/** In memory that is nobody else's. */
const copies = (blocks: readonly Block[]): Block[] =>
  blocks.map((block) => {
    const copy = newBlock(block.dtype, block.shape);
    copyElements(block, copy);
    return copy;
  });

/** Two sets of blocks, of which a run reads one and fills the other. */
class Turns {
  readonly #sets: readonly (readonly Block[])[];
  readonly #backend: Backend;
  #at = 0;

  constructor(body: ReadyBody, backend: Backend) {
    this.#backend = backend;
    this.#sets = [body.blocks(), body.blocks()];
  }

  next(): readonly Block[] {
    this.#at = 1 - this.#at;
    return this.#sets[this.#at]!;
  }

  giveBack(): void {
    for (const block of this.#sets.flat()) this.#backend.free(block);
  }
}

function repeated(
  [condition, body]: readonly ReadyBody[],
  blocks: readonly Block[],
  { carried, most }: Extract<Control, { kind: "whileLoop" }>,
  backend: Backend,
): Block[] {
  const turns = new Turns(body!, backend);
  const captured = blocks.slice(carried);
  let state = blocks.slice(0, carried);
  try {
    for (let step = 0; isTrue(condition!.run([...state, ...captured])[0]!); step++) {
      if (step === most)
        throw new Trap(
          `the loop goes on after ${most} steps`,
          "Allow more with maxSteps, or see why it does not end",
        );
      state = body!.run([...state, ...captured], turns.next());
    }
    return copies(state);
  } finally {
    turns.giveBack();
  }
}

function scanned(
  body: ReadyBody,
  blocks: readonly Block[],
  { carried, sequences, length }: Extract<Control, { kind: "scan" }>,
  { expected, backend }: { readonly expected: readonly Expected[]; readonly backend: Backend },
): Block[] {
  const turns = new Turns(body, backend);
  const captured = blocks.slice(carried + sequences);
  const along = blocks.slice(carried, carried + sequences);
  const collected = expected.slice(carried).map(({ dtype, shape }) => newBlock(dtype, shape));
  let state = blocks.slice(0, carried);
  try {
    for (let step = 0; step < length; step++) {
      const places = along.map((block) => placeOf(block, step));
      const made = body.run([...state, ...places, ...captured], turns.next());
      state = made.slice(0, carried);
      for (let k = 0; k < collected.length; k++)
        copyElements(made[carried + k]!, placeOf(collected[k]!, step));
    }
    return [...copies(state), ...collected];
  } finally {
    turns.giveBack();
  }
}

/** One place along the first axis. */
const placeOf = (block: Block, at: number): Block => ({
  ...block,
  offset: block.offset + at * block.strides[0]!,
  shape: block.shape.slice(1),
  strides: block.strides.slice(1),
});

// A body from its reference, as it came with a plan. In: what was read of it. Out: the body, or an error where it is none.

/** Reads the plan of a body; what is wrong with it is an error. */
export type ReadPlan = (json: Json) => PlanData;

export function loopFrom(reference: Json, read: ReadPlan): LoopBody {
  const { control, plans } = ((reference as { loop?: Json }).loop ?? {}) as {
    control?: Control;
    plans?: readonly Json[];
  };
  const counts =
    control === undefined || control === null
      ? []
      : Object.entries(control).filter(([name]) => name !== "kind");
  const areCounts = counts.every(
    ([name, n]) => (name === "most" && n === null) || (Number.isSafeInteger(n) && (n as number) >= 0),
  );
  if (!Array.isArray(plans) || PLANS[control?.kind as string] !== plans.length || !areCounts) throw noLoop();
  return new LoopBody(
    control!,
    plans.map((plan) => bodyFrom(plan as Json, read)),
  );
}

/** How many plans each kind has. */
const PLANS: { readonly [kind: string]: number } = { whileLoop: 2, scan: 1, cond: 2 };

function bodyFrom(json: Json, read: ReadPlan): BodyPlan {
  const { plan, inputs, places } = (json ?? {}) as {
    plan?: Json;
    inputs?: readonly (string | null)[];
    places?: readonly number[];
  };
  const data = read(plan ?? null);
  const sources = new Set(data.arrays.flatMap(({ name, role }) => (role === "source" ? [name] : [])));
  const isBound = Array.isArray(inputs) && [...sources].every((name) => inputs.includes(name));
  const isKnown = isBound && inputs.every((name) => name === null || sources.has(name as string));
  const isMade =
    Array.isArray(places) &&
    places.every((at) => Number.isInteger(at) && data.results[at as number] !== undefined);
  if (!isKnown || !isMade || data.arrays.some(({ kind }) => kind !== "dense")) throw noLoop();
  return { plan: data, inputs, places };
}

const noLoop = (): ValueError =>
  new ValueError({
    where: "plan",
    what: "a loop in the plan is not as loops are",
    cure: "Save the plan again",
  });
