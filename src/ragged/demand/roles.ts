// What an operation does with each of its inputs, as far as demand goes: one of five words, in the operation's record.
// In: nothing. Out: the words and their combinations. Which node of an input a node of the result comes from is not
// said here: it is found by running the operation on marked probes (trace.ts).

/**
 * passed: parts of this input are the result, as they are.
 * moved: values of this input are values of the result, by what its lists, nulls and tags say.
 * computed: the same as far as demand goes; the values of the result are others.
 * structure: offsets and nulls are looked at, values never.
 * data: everything is looked at whenever anything of the result is wanted: the result's structure depends on it.
 */
export type Role = "passed" | "moved" | "computed" | "structure" | "data";

/** The operation without some of the fields that it makes. */
export interface Lesser<A> {
  readonly attrs: A;
  /** Which inputs are left; null for all. */
  readonly inputs: readonly number[] | null;
}

export interface Roles {
  /** By input; the last word is also for inputs after it. */
  readonly roles: readonly Role[];
  /** True when zeros in the place of values can make it fail. */
  readonly failsOnZeros?: () => boolean;
  /** Its first input is its result, where the field that it sets or drops is not wanted. */
  readonly setsField?: boolean;
}

export interface Demand<A> extends Roles {
  /** What of the attributes demand depends on, beside the result's form; all of them unless it says. */
  attrsText?(attrs: A): string;
  /** It makes a record: what it is when only the fields with these numbers are wanted; null when it cannot say. */
  lesser?(attrs: A, kept: readonly number[]): Lesser<A> | null;
}

const only = (...roles: readonly Role[]): Roles => ({ roles });

export const PASSED: Roles = only("passed");
export const MOVED: Roles = only("moved");
export const COMPUTED: Roles = only("computed");
export const STRUCTURE: Roles = only("structure");
export const DATA: Roles = only("data");
/** The first input by what the others say. */
export const MOVED_BY_DATA: Roles = only("moved", "data");
/** Those after the first by what it says. */
export const DATA_THEN_MOVED: Roles = only("data", "moved");
/** A record with one field less than the input. */
export const DROPS_FIELD: Roles = { roles: ["passed"], setsField: true };
/** A record with one field more or another one than the first input. */
export const SETS_FIELD: Roles = { roles: ["moved"], setsField: true };

export const roleOf = ({ roles }: Roles, input: number): Role => roles[Math.min(input, roles.length - 1)]!;
