// Interning: finding the node that is there already. A node is looked up among the users of its youngest
// input (sources among those of nothing), so a lookup touches one small table, and when an input goes, its
// table goes with it. Users are held weakly: what nobody needs can be collected. Dead entries leave when
// their table has doubled, so a sweep's cost is shared by as many insertions.

/** What interning has to know of a node. */
export interface Interned {
  readonly hash: number;
}

/** Most nodes have one user; more of them make a table. */
export type Users<Node extends Interned> = WeakRef<Node> | UserTable<Node>;

export function findUser<Node extends Interned>(
  users: Users<Node> | null,
  hash: number,
  isSame: (node: Node) => boolean,
): Node | undefined {
  if (users === null) return undefined;
  if (users instanceof UserTable) return users.find(hash, isSame);
  const node = users.deref();
  return node !== undefined && node.hash === hash && isSame(node) ? node : undefined;
}

/** The users with one more. */
export function withUser<Node extends Interned>(users: Users<Node> | null, node: Node): Users<Node> {
  if (users === null) return new WeakRef(node);
  if (users instanceof UserTable) return users.add(node);
  const other = users.deref();
  return other === undefined ? new WeakRef(node) : new UserTable<Node>().add(other).add(node);
}

const FIRST_SWEEP = 64;

export class UserTable<Node extends Interned> {
  readonly #buckets = new Map<number, WeakRef<Node>[]>();
  #entries = 0;
  #sweepAt = FIRST_SWEEP;

  find(hash: number, isSame: (node: Node) => boolean): Node | undefined {
    for (const entry of this.#buckets.get(hash) ?? []) {
      const node = entry.deref();
      if (node !== undefined && isSame(node)) return node;
    }
    return undefined;
  }

  add(node: Node): this {
    const bucket = this.#buckets.get(node.hash);
    if (bucket === undefined) this.#buckets.set(node.hash, [new WeakRef(node)]);
    else bucket.push(new WeakRef(node));
    this.#entries++;
    if (this.#entries >= this.#sweepAt) this.sweep();
    return this;
  }

  /** Drops entries of collected nodes and tells how many are left. */
  sweep(): number {
    let alive = 0;
    for (const [hash, bucket] of this.#buckets) {
      const left = bucket.filter((entry) => entry.deref() !== undefined);
      alive += left.length;
      if (left.length === 0) this.#buckets.delete(hash);
      else this.#buckets.set(hash, left);
    }
    this.#entries = alive;
    this.#sweepAt = Math.max(FIRST_SWEEP, 2 * alive);
    return alive;
  }
}
