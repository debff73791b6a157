// A table of weakly held nodes by hash. A node nobody uses can be collected; its entry goes at the next
// sweep. A sweep comes when the table has doubled since the last one, so its cost is shared by as many
// insertions: constant per node, and memory stays linear in the live nodes.

const FIRST_SWEEP = 1 << 16;

export class InternTable<Node extends object> {
  readonly #buckets = new Map<number, WeakRef<Node> | WeakRef<Node>[]>();
  #entries = 0;
  #sweepAt = FIRST_SWEEP;

  find(hash: number, isSame: (node: Node) => boolean): Node | undefined {
    const bucket = this.#buckets.get(hash);
    if (bucket === undefined) return undefined;
    if (!Array.isArray(bucket)) {
      const node = bucket.deref();
      return node !== undefined && isSame(node) ? node : undefined;
    }
    for (const entry of bucket) {
      const node = entry.deref();
      if (node !== undefined && isSame(node)) return node;
    }
    return undefined;
  }

  add(hash: number, node: Node): void {
    const entry = new WeakRef(node);
    const bucket = this.#buckets.get(hash);
    if (bucket === undefined) this.#buckets.set(hash, entry);
    else if (Array.isArray(bucket)) bucket.push(entry);
    else this.#buckets.set(hash, [bucket, entry]);
    this.#entries++;
    if (this.#entries >= this.#sweepAt) this.sweep();
  }

  /** Drops entries of collected nodes and tells how many are left. */
  sweep(): number {
    let alive = 0;
    for (const [hash, bucket] of this.#buckets) {
      const left = (Array.isArray(bucket) ? bucket : [bucket]).filter((entry) => entry.deref() !== undefined);
      alive += left.length;
      if (left.length === 0) this.#buckets.delete(hash);
      else if (left.length === 1) this.#buckets.set(hash, left[0]!);
      else this.#buckets.set(hash, left);
    }
    this.#entries = alive;
    this.#sweepAt = Math.max(FIRST_SWEEP, 2 * alive);
    return alive;
  }
}
