// Calls of a compiled function. In: values for its inputs. Out: its outputs, and the states it updates replaced, all at once
// and only when everything is there. Three ways, from the quickest: as a standing run, where the plan is small; as any run of
// the plan, with this call's data as its sources; and as any computation, where a value is lazy or lengths depend on data.
// Must hold: an error leaves every state as it was; results are nobody else's; updates of a state happen one after another.

import type { Block, Resource } from "../../core/block.ts";
import { describe } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import type { StopSignal } from "../../core/platform.ts";
import { substitute } from "../../expr/substitute.ts";
import type { Backend } from "../../kernel/backend.ts";
import { checkNames } from "../../lazy/call.ts";
import { DataResource, LazyArray } from "../../lazy/lazyArray.ts";
import type { NDArray } from "../../lazy/ndarray.ts";
import { Plan } from "../../plan/index.ts";
import { type CheckedRun, RUN_OPTIONS } from "../../runtime/spec.ts";
import type { StandingRun } from "../../runtime/standingRun.ts";
import { computeArrays, computeArraysSync } from "../compute.ts";
import type { Prepared } from "../prepare.ts";
import { run, runSync } from "../settling.ts";
import type { InputSlot } from "./inputs.ts";
import { blockFor, handOut, outArrays, outputBlock, placedBlock, replaceStates, WHERE } from "./results.ts";
import { checkIdle } from "./state.ts";
import { structured, type Traced } from "./traced.ts";

/** What is made of a function once. */
export interface Compiled {
  readonly traced: Traced;
  readonly slots: readonly InputSlot[];
  readonly options: CheckedRun;
  readonly backend: Backend;
  /** Null where lengths depend on data: every call is planned then, stage by stage. */
  readonly prepared: Prepared | null;
  /** Where each root is among the plan's results. */
  readonly places: readonly number[];
  readonly standing: StandingRun | null;
  /** Data that the function uses by itself. */
  readonly constants: readonly Block[];
  /** Calls that wait may be standing runs too: nobody asked for another executor, or looks on. */
  readonly isPlain: boolean;
}

/** What a call brings. */
interface Given {
  readonly values: readonly unknown[];
  /** Arrays for all outputs; null where new ones are made. */
  readonly out: readonly NDArray[] | null;
  readonly signal: StopSignal | undefined;
}

export function callSync(compiled: Compiled, args: readonly unknown[]): unknown {
  const given = readCall(compiled, args);
  const { standing, traced, options, prepared } = compiled;
  for (const { state } of traced.updates) checkIdle(state, WHERE);
  const isInMemory = !given.values.some(isLazy);
  if (standing !== null && isInMemory) return stand(compiled, standing, given);
  if (prepared === null || !isInMemory)
    return finish(compiled, computeArraysSync(lazily(compiled, given.values), options), given);
  return finish(compiled, placed(compiled, runSync(bound(compiled, prepared, given.values), options)), given);
}

export async function callSoon(compiled: Compiled, args: readonly unknown[]): Promise<unknown> {
  const given = readCall(compiled, args);
  const { standing, isPlain, traced, backend } = compiled;
  const { states } = traced;
  const isAtOnce = standing !== null && isPlain && states.every(({ turn }) => turn === null);
  if (isAtOnce && !given.values.some(isLazy) && backend.relieve() === null)
    return stand(compiled, standing, given);
  return states.length === 0 ? runLater(compiled, given) : inTurn(compiled, given);
}

async function runLater(compiled: Compiled, given: Given): Promise<unknown> {
  const { prepared } = compiled;
  const { signal } = given;
  const options = signal === undefined ? compiled.options : { ...compiled.options, signal };
  const blocks =
    prepared === null || given.values.some(isLazy)
      ? await computeArrays(lazily(compiled, given.values), options)
      : placed(compiled, await run(bound(compiled, prepared, given.values), options));
  return finish(compiled, blocks, given);
}

/** After all calls with its states that were made before. One that is stopped while it waits does not hold up its caller. */
function inTurn(compiled: Compiled, given: Given): Promise<unknown> {
  const { states } = compiled.traced;
  const before = Promise.all(states.map(({ turn }) => turn));
  const running = unlessStopped(before, given.signal).then(() => runLater(compiled, given));
  const ended: Promise<void> = Promise.allSettled([before, running]).then(() => {
    for (const state of states) if (state.turn === ended) state.turn = null;
  });
  for (const state of states) state.turn = ended;
  return running;
}

/** Rejects at once where the signal is given first. */
function unlessStopped(waiting: Promise<unknown>, signal: StopSignal | undefined): Promise<unknown> {
  if (signal === undefined) return waiting;
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
    void waiting.then(resolve).finally(() => signal.removeEventListener("abort", stop));
  });
}

const isLazy = (value: unknown): boolean => value instanceof LazyArray;

function readCall({ slots, traced }: Compiled, args: readonly unknown[]): Given {
  const { length } = slots;
  if (args.length === length) return { values: args, out: null, signal: undefined };
  const options = args[length] ?? {};
  if (args.length !== length + 1 || Object.getPrototypeOf(options) !== Object.prototype)
    throw new ValueError({
      where: WHERE,
      what: `${args.length} values where ${length} are taken`,
      cure: `It takes (${slots.map(({ text }) => text).join(", ")}), and options in one object: {out, signal}`,
    });
  try {
    checkNames(options as object, ["out", "signal"]);
  } catch (error) {
    throw (error as ValueError).at(WHERE);
  }
  const { out, signal } = options as { readonly out?: unknown; readonly signal?: unknown };
  return { values: args.slice(0, length), out: outArrays(traced, out), signal: checkedSignal(signal) };
}

function checkedSignal(signal: unknown): StopSignal | undefined {
  if (signal === undefined) return undefined;
  const { accepts, wanted } = RUN_OPTIONS.signal;
  if (!accepts(signal))
    throw new ValueError({
      where: WHERE,
      what: `signal is ${describe(signal)}`,
      cure: `It must be ${wanted}`,
    });
  (signal as StopSignal).throwIfAborted();
  return signal as StopSignal;
}

/** The plan with this call's data in the places of the inputs. */
function bound({ slots }: Compiled, prepared: Prepared, values: readonly unknown[]): Prepared {
  const data = new Map<Resource, DataResource>();
  slots.forEach((slot, i) => {
    data.set(slot.resource, new DataResource(slot.bind(values[i])));
  });
  const sources = new Map<string, Resource>();
  for (const [name, resource] of prepared.plan.sources) sources.set(name, data.get(resource) ?? resource);
  return { ...prepared, plan: new Plan(prepared.plan.data, sources) };
}

/** The expressions with what was brought in the places of the inputs. */
function lazily({ slots, traced }: Compiled, values: readonly unknown[]): LazyArray[] {
  const replacements = new Map(slots.map((slot, i) => [slot.expr, slot.lazily(values[i]).expr]));
  return substitute(traced.roots, replacements).map((expr) => new LazyArray(expr));
}

/** A block for each root. */
const placed = ({ places }: Compiled, blocks: readonly Block[]): Block[] => places.map((at) => blocks[at]!);

/** Of a run whose results are blocks of their own. */
function finish({ traced, backend }: Compiled, found: readonly Block[], { out }: Given): unknown {
  const blocks = found.map((block) => placedBlock(block, backend));
  const handedOut = new Set(out === null ? traced.outputs.map((root) => blocks[root]!) : []);
  const arrays = handOut(traced, blocks, out, () => true, backend);
  replaceStates(traced, blocks, (block) => !handedOut.has(block), backend);
  return structured(traced.structure, arrays);
}

/** Kernels, and little else. */
function stand(compiled: Compiled, standing: StandingRun, { values, out }: Given): unknown {
  const { traced, slots, places, backend, prepared, constants } = compiled;
  const inputs: Block[] = [];
  for (let i = 0; i < slots.length; i++) inputs.push(slots[i]!.bindNow(values[i]));
  for (const { current } of traced.states) inputs.push(current);
  const brought = new Array<Block | undefined>(prepared!.plan.data.results.length);
  for (const { state, root } of traced.updates) brought[places[root]!] ??= blockFor(state, backend);
  const forStates = new Set(brought);
  const read = out === null ? inputs : [...inputs, ...constants];
  for (let i = 0; i < traced.outputs.length; i++) {
    const root = traced.outputs[i]!;
    brought[places[root]!] ??= outputBlock(traced.roots[root]!, out?.[i], read, backend);
  }
  let ran: Block[];
  try {
    ran = standing.run(inputs, brought, compiled.options.threads);
  } catch (error) {
    for (const { state, root } of traced.updates) state.giveSpare(brought[places[root]!]!);
    throw error;
  }
  const blocks = placed(compiled, ran);
  const isNew = (block: Block): boolean => brought.includes(block) && !forStates.has(block);
  const arrays = handOut(traced, blocks, out, isNew, backend);
  replaceStates(traced, blocks, (block) => forStates.has(block), backend);
  return structured(traced.structure, arrays);
}
