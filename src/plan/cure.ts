// The cure of a plan that is refused for its memory, tried: what the message asks for is enough. In: the refusal, the
// expressions, and a way to plan. Out: the same error with a budget, and where there are, chunks of sources, that do.

import { type ChunkShape, sameShape } from "../core/chunks.ts";
import { type Expr, foldExpr, makeExpr, postOrder, withInputs } from "../expr/expr.ts";
import { halved, MemoryError } from "./budget.ts";

/** Plans, or throws a MemoryError. */
export type TryPlan = (roots: readonly Expr[], allowed: number) => void;

const MOST_TRIES = 40;
/** What does not follow the chunks stays as it is, however many there are: then plans only grow. */
const WORTH = 0.9;
const MOST_USELESS = 3;
/** Larger graphs take long to plan: what is expected is said, untried. */
const MOST_NODES = 2000;
/** A plan for more memory may use more of it. */
const GROWTH = 1.1;

export function withTriedCure(error: MemoryError, roots: readonly Expr[], attempt: TryPlan): MemoryError {
  if (postOrder(roots).length > MOST_NODES) return error;
  const refusal = (nodes: readonly Expr[], allowed: number): MemoryError | null => {
    try {
      attempt(nodes, allowed);
      return null;
    } catch (other) {
      if (other instanceof MemoryError) return other;
      throw other;
    }
  };
  return error.withCure(
    enoughFor(error, (allowed) => refusal(roots, allowed)),
    smallerFor(error, roots, refusal),
  );
}

function enoughFor({ needed }: MemoryError, refusal: (allowed: number) => MemoryError | null): number {
  let enough = needed;
  for (let i = 0; i < MOST_TRIES; i++) {
    const other = refusal(MemoryError.rounded(enough));
    if (other === null) break;
    enough = Math.max(other.needed, enough * GROWTH);
  }
  return enough;
}

/** Smaller chunks of the sources that are cut as the error says, if that helps: while each few need less than those before. */
function smallerFor(
  { chunks, smaller, allowed, needed }: MemoryError,
  roots: readonly Expr[],
  refusal: (roots: readonly Expr[], allowed: number) => MemoryError | null,
): ChunkShape | null {
  let [next, least, useless] = [smaller, needed, 0];
  for (let i = 0; next !== null && chunks !== null && i < MOST_TRIES; i++) {
    const recut = withChunks(roots, chunks, next);
    if (recut === null) return null;
    const other = refusal(recut, allowed);
    if (other === null) return next;
    useless = other.needed < least * WORTH ? 0 : useless + 1;
    if (useless === MOST_USELESS) return null;
    least = Math.min(least, other.needed);
    next = halved(next);
  }
  return null;
}

/** The expressions over sources that are cut finer; null when there is no such source. */
function withChunks(roots: readonly Expr[], from: ChunkShape, to: ChunkShape): Expr[] | null {
  const isCut = ({ op, attrs, type }: Expr): boolean =>
    op.class === "source" &&
    op.body === null &&
    type.kind === "dense" &&
    sameShape(attrs["chunks"] as ChunkShape, from);
  let isFound = false;
  const made = foldExpr<Expr>(roots, (node, inputs) => {
    if (!isCut(node)) return inputs.length === 0 ? node : withInputs(node, inputs);
    isFound = true;
    return makeExpr(node.op, [], { ...node.attrs, chunks: to }, node.site);
  });
  return isFound ? roots.map((root) => made.get(root)!) : null;
}
