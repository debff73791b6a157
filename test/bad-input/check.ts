// What every mistake must look like, and how a test makes one without fighting the types.
// In: a call with wrong input. Out: the typed error it threw, after the checks that hold for all of them.

import * as cw from "chunkwise";
import { expect } from "vitest";

/** A value where the types forbid it: what a JavaScript user, or JSON, can hand over all the same. */
export const wrong = (value: unknown): never => value as never;

/** No message may drown the reader, however large the input. */
export const LONGEST_MESSAGE = 600;

/** What a call did: its value, or what it threw. */
export type Outcome =
  | { readonly threw: false; readonly value: unknown }
  | { readonly threw: true; readonly error: unknown };

export function attempt(call: () => unknown): Outcome {
  try {
    return { threw: false, value: call() };
  } catch (error) {
    return { threw: true, error };
  }
}

/** Why an error is not the kind of error that this library promises; null when it is. */
export function fault(error: unknown): string | null {
  if (error instanceof cw.InvariantError) return `our own contract broke: ${error.message}`;
  if (!(error instanceof cw.ChunkwiseError)) return `a raw error: ${describeError(error)}`;
  if (error.what === "") return "it does not say what is wrong";
  if (error.cure === undefined || error.cure === "") return `it has no cure: ${shorten(error.message)}`;
  if (error.where === undefined) return `it names no function: ${shorten(error.message)}`;
  if (!error.message.startsWith(`${error.where}: ${error.what}. ${error.cure}`))
    return `its parts and its message differ: ${shorten(error.message)}`;
  if (error.message.length > LONGEST_MESSAGE) return `its message has ${error.message.length} characters`;
  if (error.message.includes("[object ")) return `it prints a value badly: ${shorten(error.message)}`;
  return null;
}

/** The error of a call with wrong input: typed and complete. */
export function mistake(call: () => unknown): cw.ChunkwiseError {
  const outcome = attempt(call);
  if (!outcome.threw) throw new Error(`nothing was thrown; the call gave ${describeValue(outcome.value)}`);
  expect(fault(outcome.error)).toBeNull();
  return outcome.error as cw.ChunkwiseError;
}

/** The same, of a class, with these words in its message. */
export function expectMistake(
  call: () => unknown,
  kind: new (...args: never[]) => cw.ChunkwiseError,
  ...words: readonly (string | RegExp)[]
): void {
  const error = mistake(call);
  expect(error).toBeInstanceOf(kind);
  for (const word of words) expect(error.message).toMatch(word);
}

export function describeError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${shorten(error.message)}` : String(error);
}

export function describeValue(value: unknown): string {
  if (value instanceof cw.LazyArray) return `a LazyArray ${value.dtype} [${value.shape.join(", ")}]`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

const shorten = (text: string): string => (text.length > 160 ? `${text.slice(0, 160)}…` : text);

/** A list that contains itself. */
export function endlessList(): unknown[] {
  const list: unknown[] = [];
  list.push(list);
  return list;
}
