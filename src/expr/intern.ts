// Interning: finding the node that is there already. A node is looked up among the users of its youngest
// input (sources among those of nothing), so a lookup touches one small table, and when an input goes, its
// table goes with it. Users are held weakly: what nobody needs can be collected. A weak reference costs as
// much as the rest of a node, so a first user is held strongly at birth and weakly soon after, in batches
// between jobs. Dead entries leave when their table has doubled: a sweep's cost is shared by as many insertions.

/** What interning has to know of a node. */
export interface Interned {
  readonly hash: number;
}

/** Most nodes have one user, young (strong) or aged (weak); more of them make a table. */
export type Users<Node extends Interned> = Node | WeakRef<Node> | UserTable<Node>;

export interface UserHolder<Node extends Interned> {
  users: Users<Node> | null;
}

export function findUser<Node extends Interned>(
  { users }: UserHolder<Node>,
  hash: number,
  isSame: (node: Node) => boolean,
): Node | undefined {
  if (users === null) return undefined;
  if (users instanceof UserTable) return users.find(hash, isSame);
  const node = users instanceof WeakRef ? users.deref() : users;
  return node !== undefined && node.hash === hash && isSame(node) ? node : undefined;
}

export function addUser<Node extends Interned>(holder: UserHolder<Node>, node: Node): void {
  const { users } = holder;
  if (users instanceof UserTable) return void users.add(node);
  const other = users instanceof WeakRef ? users.deref() : users;
  if (other === null || other === undefined) {
    holder.users = node;
    becomeYoung(holder);
  } else holder.users = new UserTable<Node>().add(other).add(node);
}

/** Holders whose first user is held strongly. */
let young: UserHolder<Interned>[] = [];
let isAgeing = false;
/** How many are aged at once: a pause of a few milliseconds. */
const AGE_BATCH = 10_000;

function becomeYoung<Node extends Interned>(holder: UserHolder<Node>): void {
  young.push(holder as unknown as UserHolder<Interned>);
  if (isAgeing) return;
  isAgeing = true;
  later(age);
}

function age(): void {
  const batch = young.length <= AGE_BATCH ? young : young.splice(-AGE_BATCH);
  if (batch === young) young = [];
  for (const holder of batch) {
    const { users } = holder;
    if (users !== null && !(users instanceof WeakRef) && !(users instanceof UserTable))
      holder.users = new WeakRef(users);
  }
  isAgeing = young.length > 0;
  if (isAgeing) later(age);
}

/** After this job; a process may end before. */
function later(work: () => void): void {
  const timer: unknown = setTimeout(work);
  if (typeof timer === "object" && timer !== null && "unref" in timer) (timer as { unref(): void }).unref();
}

const FIRST_SWEEP = 64;
/** Few users are looked through one by one: a table costs more than it saves. */
const FEW = 8;

export class UserTable<Node extends Interned> {
  #few: WeakRef<Node>[] = [];
  #buckets: Map<number, WeakRef<Node>[]> | null = null;
  #entries = 0;
  #sweepAt = FIRST_SWEEP;

  find(hash: number, isSame: (node: Node) => boolean): Node | undefined {
    for (const entry of this.#buckets === null ? this.#few : (this.#buckets.get(hash) ?? [])) {
      const node = entry.deref();
      if (node !== undefined && node.hash === hash && isSame(node)) return node;
    }
    return undefined;
  }

  add(node: Node): this {
    if (this.#buckets === null && this.#few.length < FEW) this.#few.push(new WeakRef(node));
    else this.#put(node.hash, new WeakRef(node));
    return this;
  }

  #put(hash: number, entry: WeakRef<Node>): void {
    const buckets = this.#buckets ?? this.#makeBuckets();
    const bucket = buckets.get(hash);
    if (bucket === undefined) buckets.set(hash, [entry]);
    else bucket.push(entry);
    this.#entries++;
    if (this.#entries >= this.#sweepAt) this.sweep();
  }

  #makeBuckets(): Map<number, WeakRef<Node>[]> {
    const few = this.#few;
    this.#few = [];
    this.#buckets = new Map();
    for (const entry of few) {
      const node = entry.deref();
      if (node !== undefined) this.#put(node.hash, entry);
    }
    return this.#buckets;
  }

  /** Drops entries of collected nodes and tells how many are left. */
  sweep(): number {
    this.#few = this.#few.filter((entry) => entry.deref() !== undefined);
    let alive = 0;
    for (const [hash, bucket] of this.#buckets ?? []) {
      const left = bucket.filter((entry) => entry.deref() !== undefined);
      alive += left.length;
      if (left.length === 0) this.#buckets!.delete(hash);
      else this.#buckets!.set(hash, left);
    }
    this.#entries = alive;
    this.#sweepAt = Math.max(FIRST_SWEEP, 2 * alive);
    return alive + this.#few.length;
  }
}
