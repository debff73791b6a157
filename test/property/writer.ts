// Writes a program, call by call, while the values are built beside it, so that a maker sees their types.
// In: sources and options. Out: a Program. Must hold: every call is valid, at definition and when it runs:
// no integer division by zero, negative integer power, negative shift or index out of range.

import * as cw from "chunkwise";
import { DTYPES, type DType, infoOf, isComplex, isFloat, isInteger } from "../../src/core/dtype.ts";
import { hasUnknown } from "../../src/core/unknown.ts";
import { MAX_SIZE } from "./arrays.ts";
import type { Choices } from "./choices.ts";
import { type Arg, Program, Ref, runStep, type Source, type Step, sourceArray } from "./program.ts";

export interface ProgramOptions {
  /**
   * Floats are made small and whole before they are added or multiplied up, so that the order in which that is
   * done (which depends on chunks) does not show. var and std, which are never exact, are left out.
   */
  readonly exact: boolean;
  /** Dtypes that casts and creation may choose. */
  readonly dtypes: readonly DType[];
}

/** Adds calls to a program and tells which value is the result; null: the values at hand do not allow it. */
export type Maker = (writer: ProgramWriter, choices: Choices) => Ref | null;

export const NUMERIC: readonly DType[] = DTYPES.filter((dtype) => dtype !== "bool");
export const REAL: readonly DType[] = NUMERIC.filter((dtype) => !isComplex(dtype));
export const REAL_OR_BOOL: readonly DType[] = ["bool", ...REAL];
export const INTEGERS: readonly DType[] = DTYPES.filter(isInteger);

const MAX_DIMS = 5;
const COMPLEX_UNIT = cw.complex(0, 1);

export class ProgramWriter {
  readonly options: ProgramOptions;
  readonly #sources: readonly Source[];
  readonly #steps: Step[] = [];
  readonly #values: cw.LazyArray[];

  constructor(sources: readonly Source[], options: ProgramOptions) {
    this.options = options;
    this.#sources = sources;
    this.#values = sources.map((source) => sourceArray(source, "cut"));
  }

  get count(): number {
    return this.#values.length;
  }

  /** All values so far whose lengths are known, the last first. */
  get refs(): Ref[] {
    const known = this.#values.flatMap((x, index) => (isLengthKnown(x) ? [new Ref(index)] : []));
    return known.reverse();
  }

  of({ index }: Ref): cw.LazyArray {
    return this.#values[index]!;
  }

  call(name: string, ...args: readonly Arg[]): Ref {
    return this.#push({ call: name, args });
  }

  /** One of the results of a function that gives a list or a record. */
  callItem(item: number | string, name: string, ...args: readonly Arg[]): Ref {
    return this.#push({ call: name, args, item });
  }

  #push(step: Step): Ref {
    this.#values.push(runStep(step, this.#values, "cut"));
    this.#steps.push(step);
    return new Ref(this.#values.length - 1);
  }

  /** Runs a maker; takes back what it wrote where nothing comes of it or the result is too large. */
  attempt(make: Maker, choices: Choices): Ref | null {
    const before = this.#values.length;
    const made = make(this, choices);
    if (made !== null && this.#values.slice(before).every(isSmall)) return made;
    this.#values.length = before;
    this.#steps.length = before - this.#sources.length;
    return null;
  }

  /** A value that fits, if there is one; the latest more often than others. */
  any(choices: Choices, fits: (array: cw.LazyArray) => boolean = () => true): Ref | null {
    const fitting = this.refs.filter((ref) => fits(this.of(ref)));
    if (fitting.length === 0) return null;
    return choices.below(3) === 2 ? choices.pick(fitting) : fitting[0]!;
  }

  /** The value in one of the accepted dtypes: its own if that is one. */
  coerced(ref: Ref, accepted: readonly DType[], choices: Choices): Ref {
    const { dtype } = this.of(ref);
    if (accepted.includes(dtype)) return ref;
    const offered = accepted.filter((name) => this.options.dtypes.includes(name));
    // What operations made may have dtypes that are not offered.
    const target = choices.pick(offered.length > 0 ? offered : accepted);
    const keepsParts = !isComplex(dtype) || isComplex(target) || target === "bool";
    return this.#cast(keepsParts ? ref : this.call("real", ref), target);
  }

  #cast(ref: Ref, dtype: DType): Ref {
    return this.of(ref).dtype === dtype ? ref : this.call("astype", ref, dtype);
  }

  /** A value that can be added up in any order with the same result: floats become whole numbers of ±limit. */
  summable(ref: Ref, limit = 3): Ref {
    const { dtype } = this.of(ref);
    if (!this.options.exact || !isFloat(infoOf(dtype).part)) return ref;
    if (!isComplex(dtype)) return this.#tamed(ref, limit);
    const [re, im] = [this.#tamed(this.call("real", ref), limit), this.#tamed(this.call("imag", ref), limit)];
    return this.call("add", re, this.call("multiply", im, COMPLEX_UNIT));
  }

  #tamed(ref: Ref, limit: number): Ref {
    const whole = this.call("where", this.call("isfinite", ref), this.call("round", ref), 1);
    return this.call("clip", whole, -limit, limit);
  }

  /** Results of steps that no other step uses; where there is no step, the first source. */
  unused(): number[] {
    const used = new Set(this.#steps.flatMap(({ args }) => args.flatMap(refsIn)));
    const results = this.#steps.map((_, i) => this.#sources.length + i);
    return results.length === 0 ? [0] : results.filter((index) => !used.has(index));
  }

  finish(roots: readonly number[]): Program {
    return new Program(this.#sources, this.#steps, roots);
  }
}

function refsIn(arg: Arg): number[] {
  if (arg instanceof Ref) return [arg.index];
  return Array.isArray(arg) ? arg.flatMap((item: Arg) => refsIn(item)) : [];
}

const isLengthKnown = ({ expr }: cw.LazyArray): boolean => !hasUnknown(expr.shape);

/** What depends on data is no longer than what it is made of, or a few times as long. */
const isSmall = (x: cw.LazyArray): boolean =>
  (!isLengthKnown(x) || x.size <= 2 * MAX_SIZE) && x.ndim <= MAX_DIMS;
