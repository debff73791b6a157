// Bodies of loops that somebody has, by what they do. In: a body. Out: the one that was made before for the same, if anybody has
// it still: loops over it are then the same node.

import type { LoopBody } from "./loopBody.ts";

/** Names of bodies that are gone are forgotten when there are so many. */
const MOST = 1000;

export class Bodies {
  readonly #known = new Map<string, WeakRef<LoopBody>>();

  known(body: LoopBody): LoopBody {
    const name = body.fingerprint();
    const before = this.#known.get(name)?.deref();
    if (before !== undefined) return before;
    if (this.#known.size >= MOST) this.#forget();
    this.#known.set(name, new WeakRef(body));
    return body;
  }

  #forget(): void {
    for (const [name, body] of this.#known) if (body.deref() === undefined) this.#known.delete(name);
  }
}
