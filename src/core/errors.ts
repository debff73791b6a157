// Typed errors. In: what is wrong (with the numbers), and the cure. Out: one message that says
// what, where and how to mend it. `at` is called once, by the public function that the user called,
// so that every message names that function without every check having to know it.

export interface ErrorParts {
  /** What is wrong, with the numbers. No full stop at the end. */
  readonly what: string;
  /** Where: an operation, a chunk, a user's line. */
  readonly where?: string | undefined;
  /** What the user can do about it. A sentence without its full stop. */
  readonly cure?: string | undefined;
}

/**
 * Every error of this package is one: what is wrong, where, and what would help. `if (error instanceof
 * cw.ChunkwiseError)`.
 */
export class ChunkwiseError extends Error {
  /** What is wrong, with the numbers. */
  readonly what: string;
  /** What would help, where that is known. */
  readonly cure: string | undefined;
  /** The function that was called, and the line that called it. */
  where: string | undefined;

  constructor(parts: ErrorParts, options?: ErrorOptions) {
    super(composeMessage(parts), options);
    this.name = new.target.name;
    this.what = parts.what;
    this.where = parts.where;
    this.cure = parts.cure;
  }

  /** Names the public function, unless a place is known already. */
  at(where: string): this {
    if (this.where !== undefined) return this;
    this.where = where;
    this.message = composeMessage(this);
    return this;
  }
}

export function composeMessage({ what, where, cure }: ErrorParts): string {
  const place = where === undefined ? "" : `${where}: `;
  if (cure === undefined) return `${place}${what}`;
  return `${place}${what}. ${cure}${cure.endsWith("?") ? "" : "."}`;
}

/** Shapes that do not fit each other or the operation. */
export class ShapeError extends ChunkwiseError {}
/** The number was asked for of a length that depends on data and is not known yet: `await x.settle()` finds it out. */
export class UnknownLengthError extends ShapeError {}
/** A data type that an operation does not take, or that a value does not fit. */
export class DTypeError extends ChunkwiseError {}
/** An axis that is not there, or is named twice. */
export class AxisError extends ChunkwiseError {}
/** A selection that does not fit the array. */
export class IndexError extends ChunkwiseError {}
/** Any other argument with a wrong value. */
export class ValueError extends ChunkwiseError {}
/** Chunk sizes that cannot be. */
export class ChunkError extends ChunkwiseError {}
/** A gradient goes through something that has no derivative: `cw.stopGradient` and `cw.customPullback` say what it is to be. */
export class DerivativeError extends ChunkwiseError {}
/** An inner contract is broken: an invalid Expr, Plan or Kernel. Always our bug or a rule's. */
export class InvariantError extends ChunkwiseError {}

/** A failure while a computation runs: names the operation, the chunk and the user's line. */
export class RunError extends ChunkwiseError {
  readonly operation: string | undefined;
  readonly chunk: readonly number[] | undefined;
  readonly line: string | undefined;

  constructor(
    parts: ErrorParts & { operation?: string; chunk?: readonly number[]; line?: string | undefined },
    options?: ErrorOptions,
  ) {
    super(parts, options);
    this.operation = parts.operation;
    this.chunk = parts.chunk;
    this.line = parts.line;
  }
}

/** A rewrite rule broke its contract; `rules` names it, or all that took part. */
export class RuleError extends ChunkwiseError {
  readonly rules: readonly string[];

  constructor(parts: ErrorParts & { rules: readonly string[] }, options?: ErrorOptions) {
    super(parts, options);
    this.rules = parts.rules;
  }
}
/** A rule changed the dtype or the shape of a node. */
export class RuleTypeError extends RuleError {}
/** Rules that undo each other: a node came back while it was being rewritten. */
export class RuleCycleError extends RuleError {}
/** Rules made more nodes than the budget allows. */
export class RuleGrowthError extends RuleError {}

/** A plain array handed over as an `out` target: a TypeError, as the deferred-execution proposal asks. */
export class OutTargetError extends TypeError {
  readonly what: string;
  readonly cure: string | undefined;
  where: string | undefined;

  constructor(parts: ErrorParts) {
    super(composeMessage(parts));
    this.name = "OutTargetError";
    this.what = parts.what;
    this.cure = parts.cure;
  }

  at(where: string): this {
    this.where ??= where;
    this.message = composeMessage(this);
    return this;
  }
}
