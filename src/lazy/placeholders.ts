// Arrays whose elements are not known when an expression is written: inputs of a compiled function, which every call brings
// anew, and shared state, which calls read and replace. In: a dtype, a shape, chunks, a name. Out: sources of expressions.
// Must hold: no rule knows their elements, for no two runs need have the same; two inputs are never one, however alike they are.

import { type Block, Resource } from "../core/block.ts";
import type { ChunkShape, Shape } from "../core/chunks.ts";
import type { DType } from "../core/dtype.ts";
import { ValueError } from "../core/errors.ts";
import { type Expr, makeExpr } from "../expr/expr.ts";
import { denseType, type SourceOp } from "../expr/op.ts";
import { DataResource, sourceAttrs } from "./lazyArray.ts";

function placeholder(name: string): SourceOp {
  return {
    name,
    class: "source",
    body: null,
    infer: (_, attrs) => denseType(attrs["dtype"] as DType, attrs["shape"] as Shape),
    chunks: (attrs) => attrs["chunks"] as ChunkShape,
  };
}

/** attrs.data: an InputResource. */
export const inputOp: SourceOp = placeholder("input");
/** attrs.data: a SharedResource. */
export const sharedOp: SourceOp = placeholder("shared");

/** Stands for data that nobody has yet. */
export class InputResource extends Resource {
  /** For people. */
  readonly name: string;

  constructor(name: string) {
    super();
    this.name = name;
  }

  fingerprint(): string {
    return `input ${this.id}`;
  }

  /** For who asks for its elements. */
  missing(): ValueError {
    return new ValueError({
      what: `the input ${this.name} has no elements: it stands for what a compiled function is called with`,
      cure: "Compile a function of it with cw.compile, and call that with data",
    });
  }
}

/** How an input or a state is cut, and what it is called. */
export interface PlaceholderType {
  readonly dtype: DType;
  readonly shape: Shape;
  readonly chunks: ChunkShape;
}

export const inputExpr = (type: PlaceholderType, resource: InputResource): Expr =>
  makeExpr(inputOp, [], { ...sourceAttrs(type, type.chunks), name: resource.name, data: resource });

export const sharedExpr = (type: PlaceholderType, resource: SharedResource): Expr =>
  makeExpr(sharedOp, [], { ...sourceAttrs(type, type.chunks), name: resource.name, data: resource });

/**
 * State: a block that computations read and that is replaced by another as a whole, never written to while somebody may
 * read it. `spare` is one that nobody reads, for the next value.
 */
export class SharedResource extends DataResource {
  readonly name: string;
  #current: Block;
  #spare: Block | null = null;
  /** Runs that do not tell when they are done have it. */
  #isLent = false;
  /** The last update that is under way. */
  turn: Promise<unknown> | null = null;

  constructor(block: Block, name: string) {
    super(block);
    this.name = name;
    this.#current = block;
  }

  /** The block as it is now, for who holds on to it as long as he likes. */
  override get block(): Block {
    this.#isLent = true;
    return this.#current;
  }

  /** The same for who is done with it before the state is replaced. */
  get current(): Block {
    return this.#current;
  }

  /** A block for the next value, if one is there that nobody reads. */
  takeSpare(): Block | null {
    const spare = this.#spare;
    this.#spare = null;
    return spare;
  }

  /** It was not needed after all: what was to be computed there was not. */
  giveSpare(block: Block): void {
    this.#spare ??= block;
  }

  replace(next: Block): void {
    this.#spare = this.#isLent ? null : this.#current;
    this.#isLent = false;
    this.#current = next;
  }

  /** Contents change, so that it is found out anew. */
  override fingerprint(): string {
    return new DataResource(this.#current).fingerprint();
  }
}
