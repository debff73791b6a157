// What an expression is evaluated with, and the three ways in which evaluation speaks to it.
// Must hold: names reach the context as plain strings, which it looks up in a Map, never on an object;
// a name it does not know becomes an error that points at that name.

import type { KeywordNode } from "./ast.ts";
import { ExprSyntaxError, quote } from "./syntaxError.ts";
import type { IndexItem } from "./templateSelection.ts";

export interface EvaluationContext<V> {
  hole(index: number): unknown;
  /** `undefined` if there is no such constant. */
  constant(name: string): unknown | undefined;
  /** Keywords stay in a Map, because a hostile one may be called `__proto__`. */
  call(name: string, args: unknown[], keywords: Map<string, unknown>): unknown;
  method(target: unknown, name: string, args: unknown[], keywords: Map<string, unknown>): unknown;
  index(target: unknown, items: IndexItem[]): unknown;
  /** Makes the final value a V: it may be a bare number. Without it the value is returned as it is. */
  result?(value: unknown): V;
}

/** Thrown by a context that does not know a name; leaves `evaluate` as an ExprSyntaxError that points at it. */
export class UnknownName extends Error {
  readonly unknownName: string;
  readonly suggestions: readonly string[];

  constructor(name: string, suggestions: string[]) {
    super(`Unknown name ${quote(name)}`);
    this.unknownName = name;
    this.suggestions = suggestions;
  }
}

export interface Scope {
  readonly text: string;
  readonly context: EvaluationContext<unknown>;
}

interface Site {
  readonly offset: number;
  readonly keywords?: readonly KeywordNode[];
}

export function callFunction(name: string, args: unknown[], offset: number, scope: Scope): unknown {
  return withNames({ offset }, scope, () => scope.context.call(name, args, new Map()));
}

export function lookUpConstant(name: string, offset: number, scope: Scope): unknown {
  const value = withNames({ offset }, scope, () => scope.context.constant(name));
  if (value === undefined) throw unknownAt(offset, new UnknownName(name, []), scope);
  return value;
}

/** Runs the context; a name it does not know is looked for among the keywords, else it is the site's own. */
export function withNames(site: Site, scope: Scope, run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof UnknownName)) throw error;
    const keyword = site.keywords?.find(({ name }) => name === error.unknownName);
    throw unknownAt((keyword ?? site).offset, error, scope);
  }
}

function unknownAt(offset: number, error: UnknownName, scope: Scope): ExprSyntaxError {
  const names = error.suggestions.map(quote).join(" or ");
  const cure = names === "" ? undefined : `Perhaps you meant ${names}`;
  return new ExprSyntaxError({ text: scope.text, offset, what: error.message, cure });
}
