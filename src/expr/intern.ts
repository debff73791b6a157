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
    becomeYoung(holder as unknown as UserHolder<Interned>);
  } else holder.users = new UserTable<Node>().add(other).add(node);
}

/** Holders and tables with users that are held strongly. */
let young: (UserHolder<Interned> | UserTable<Interned>)[] = [];
let isAgeing = false;
/** How many are aged at once: a pause of a few milliseconds. */
const AGE_BATCH = 10_000;

function becomeYoung(holder: UserHolder<Interned> | UserTable<Interned>): void {
  young.push(holder);
  if (isAgeing) return;
  isAgeing = true;
  later(age);
}

function age(): void {
  const batch = young.length <= AGE_BATCH ? young : young.splice(-AGE_BATCH);
  if (batch === young) young = [];
  for (const holder of batch) {
    if (holder instanceof UserTable) holder.age();
    else if (isStrong(holder.users)) holder.users = new WeakRef(holder.users);
  }
  isAgeing = young.length > 0;
  if (isAgeing) later(age);
}

const isStrong = (users: Users<Interned> | null): users is Interned =>
  users !== null && !(users instanceof WeakRef) && !(users instanceof UserTable);

/** After this job; a process may end before. */
function later(work: () => void): void {
  const timer: unknown = setTimeout(work);
  if (typeof timer === "object" && timer !== null && "unref" in timer) (timer as { unref(): void }).unref();
}

const FIRST_SWEEP = 64;
/** Few users are looked through one by one: a table costs more than it saves. */
const FEW = 8;

/** A user, held strongly while it is young. */
type Entry<Node extends Interned> = Node | WeakRef<Node>;

const nodeOf = <Node extends Interned>(entry: Entry<Node>): Node | undefined =>
  entry instanceof WeakRef ? entry.deref() : entry;

export class UserTable<Node extends Interned> {
  #few: Entry<Node>[] = [];
  #buckets: Map<number, Entry<Node>[]> | null = null;
  /** Those that are held strongly. */
  #young: Node[] = [];
  #entries = 0;
  #sweepAt = FIRST_SWEEP;

  find(hash: number, isSame: (node: Node) => boolean): Node | undefined {
    for (const entry of this.#buckets === null ? this.#few : (this.#buckets.get(hash) ?? [])) {
      const node = nodeOf(entry);
      if (node !== undefined && node.hash === hash && isSame(node)) return node;
    }
    return undefined;
  }

  add(node: Node): this {
    if (this.#buckets === null && this.#few.length < FEW) this.#few.push(node);
    else this.#put(node.hash, node);
    this.#young.push(node);
    if (this.#young.length === 1) becomeYoung(this as unknown as UserTable<Interned>);
    return this;
  }

  #put(hash: number, entry: Entry<Node>): void {
    const buckets = this.#buckets ?? this.#makeBuckets();
    const bucket = buckets.get(hash);
    if (bucket === undefined) buckets.set(hash, [entry]);
    else bucket.push(entry);
    this.#entries++;
    if (this.#entries >= this.#sweepAt) this.sweep();
  }

  #makeBuckets(): Map<number, Entry<Node>[]> {
    const few = this.#few;
    this.#few = [];
    this.#buckets = new Map();
    for (const entry of few) {
      const node = nodeOf(entry);
      if (node !== undefined) this.#put(node.hash, entry);
    }
    return this.#buckets;
  }

  /** From now on those that nobody else holds can be collected. */
  age(): void {
    const aged = this.#young;
    this.#young = [];
    for (const node of aged) {
      const list = this.#buckets === null ? this.#few : this.#buckets.get(node.hash);
      const at = list?.indexOf(node) ?? -1;
      if (at >= 0) list![at] = new WeakRef(node);
    }
  }

  /** Drops entries of collected nodes and tells how many are left. */
  sweep(): number {
    const isThere = (entry: Entry<Node>): boolean => nodeOf(entry) !== undefined;
    this.#few = this.#few.filter(isThere);
    let alive = 0;
    for (const [hash, bucket] of this.#buckets ?? []) {
      const left = bucket.filter(isThere);
      alive += left.length;
      if (left.length === 0) this.#buckets!.delete(hash);
      else this.#buckets!.set(hash, left);
    }
    this.#entries = alive;
    this.#sweepAt = Math.max(FIRST_SWEEP, 2 * alive);
    return alive + this.#few.length;
  }
}
