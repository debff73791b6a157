// Interning: finding the node that is there already. A node is looked up among the users of its youngest
// input (sources among those of their op), so a lookup touches one small list, and when an input goes, its
// list goes with it. Users are held weakly: what nobody needs can be collected. A weak reference costs as
// much as the rest of a node, so users are held strongly at birth and weakly soon after, in batches
// between jobs. Then dead entries leave too, of tables that have doubled: a sweep's cost is shared by as many insertions.
// Must hold: a holder with a user that is held strongly is among the young.

/** What interning has to know of a node. */
export interface Interned {
  readonly op: object;
  readonly inputs: readonly { readonly id: number }[];
  /** One text for equal attributes. */
  readonly attrsText: string;
}

/** A user, held strongly while it is young. */
type Entry<Node extends Interned> = Node | WeakRef<Node>;

/** Most nodes have one user, some have a few; more of them make a table. */
export type Users<Node extends Interned> = Entry<Node> | Entry<Node>[] | UserTable<Node>;

export interface UserHolder<Node extends Interned> {
  users: Users<Node> | null;
  readonly interning: Interning<Node>;
  /** Smaller than those of its users. */
  readonly id: number;
}

/** Few users are looked through one by one: a table costs more than it saves. */
const FEW = 8;

const nodeOf = <Node extends Interned>(entry: Entry<Node>): Node | undefined =>
  entry instanceof WeakRef ? entry.deref() : entry;

const isThere = (entry: Entry<Interned>): boolean => nodeOf(entry) !== undefined;

export function findUser<Node extends Interned>(
  { users }: UserHolder<Node>,
  op: Node["op"],
  inputs: Node["inputs"],
  text: string,
): Node | undefined {
  if (users === null) return undefined;
  if (users instanceof UserTable) return users.find(op, inputs, text);
  if (Array.isArray(users)) return findAmong(users, op, inputs, text);
  const node = nodeOf(users);
  return node !== undefined && isMeant(node, op, inputs, text) ? node : undefined;
}

function findAmong<Node extends Interned>(
  entries: readonly Entry<Node>[],
  op: Node["op"],
  inputs: Node["inputs"],
  text: string,
): Node | undefined {
  for (let i = 0; i < entries.length; i++) {
    const node = nodeOf(entries[i]!);
    if (node !== undefined && isMeant(node, op, inputs, text)) return node;
  }
  return undefined;
}

function isMeant(node: Interned, op: object, inputs: Interned["inputs"], text: string): boolean {
  if (node.op !== op || node.inputs.length !== inputs.length) return false;
  for (let i = 0; i < inputs.length; i++) if (node.inputs[i] !== inputs[i]) return false;
  return text === node.attrsText;
}

export function addUser<Node extends Interned>(holder: UserHolder<Node>, node: Node): void {
  const { users } = holder;
  if (users === null) holder.users = node;
  else if (users instanceof UserTable) return addToTable(holder, users, node);
  else if (Array.isArray(users)) return addToFew(holder, users, node);
  else {
    holder.users = [users, node];
    if (!(users instanceof WeakRef)) return;
  }
  holder.interning.becomeYoung(holder);
}

function addToTable<Node extends Interned>(
  { interning }: UserHolder<Node>,
  table: UserTable<Node>,
  node: Node,
): void {
  if (table.add(node)) interning.becomeYoung(table);
}

function addToFew<Node extends Interned>(holder: UserHolder<Node>, few: Entry<Node>[], node: Node): void {
  const last = few[few.length - 1]!;
  if (few.length < FEW) few.push(node);
  else {
    const there = few.filter(isThere);
    if (there.length === FEW) {
      const table = new UserTable<Node>();
      holder.users = table;
      for (const entry of there) addToTable(holder, table, nodeOf(entry)!);
      return addToTable(holder, table, node);
    }
    holder.users = [...there, node];
  }
  if (last instanceof WeakRef) holder.interning.becomeYoung(holder);
}

/** How many are aged at once, at least: a pause of a few milliseconds. */
const AGE_BATCH = 10_000;
/** After much work a pause may be longer, lest nodes are made faster than they age. */
const AGE_SHARE = 4;

/** What nodes have in common that are made of sources of one op: their numbers, and which of them are young. Holds the sources. */
export class Interning<Node extends Interned> implements UserHolder<Node> {
  users: Users<Node> | null = null;
  readonly interning: Interning<Node> = this;
  /** Older than any node. */
  readonly id = -1;
  /** Constants that its nodes met lately, by dtype and value: lazy/build.ts keeps them few. */
  readonly constants: Map<string, Map<unknown, Node>> = new Map();
  #next = 0;
  /** Holders and tables with users that are held strongly. */
  #young: (UserHolder<Node> | UserTable<Node>)[] = [];
  #isAgeing = false;

  /** Larger than this one, and than those it gave before. */
  numberAfter(id: number): number {
    const number = id < this.#next ? this.#next : id + 1;
    this.#next = number + 1;
    return number;
  }

  becomeYoung(holder: UserHolder<Node> | UserTable<Node>): void {
    this.#young.push(holder);
    if (this.#isAgeing) return;
    this.#isAgeing = true;
    later(this.#age);
  }

  readonly #age = (): void => {
    const young = this.#young;
    const count = Math.max(AGE_BATCH, Math.ceil(young.length / AGE_SHARE));
    const batch = young.length <= count ? young : young.splice(-count);
    if (batch === young) this.#young = [];
    for (const holder of batch) {
      if (holder instanceof UserTable) holder.age();
      else if (holder.users !== null) holder.users = aged(holder.users);
    }
    this.#isAgeing = this.#young.length > 0;
    if (this.#isAgeing) later(this.#age);
  };
}

/** From now on those that nobody else holds can be collected. */
function aged<Node extends Interned>(users: Users<Node>): Users<Node> {
  if (users instanceof UserTable || users instanceof WeakRef) return users;
  if (!Array.isArray(users)) return new WeakRef(users);
  return users.map((entry) => (entry instanceof WeakRef ? entry : new WeakRef(entry)));
}

/** After this job; a process may end before. */
function later(work: () => void): void {
  const timer: unknown = setTimeout(work);
  if (typeof timer === "object" && timer !== null && "unref" in timer) (timer as { unref(): void }).unref();
}

const FIRST_SWEEP = 64;

/** Many users, by a hash of inputs and attributes. */
export class UserTable<Node extends Interned> {
  /** Most hashes have one entry. */
  readonly #buckets = new Map<number, Entry<Node> | Entry<Node>[]>();
  /** Those that are held strongly. */
  #young: Node[] = [];
  #entries = 0;
  #sweepAt = FIRST_SWEEP;

  find(op: Node["op"], inputs: Node["inputs"], text: string): Node | undefined {
    const bucket = this.#buckets.get(hashOf(inputs, text));
    if (bucket === undefined) return undefined;
    if (Array.isArray(bucket)) return findAmong(bucket, op, inputs, text);
    const node = nodeOf(bucket);
    return node !== undefined && isMeant(node, op, inputs, text) ? node : undefined;
  }

  /** True when there was nothing young in it before. */
  add(node: Node): boolean {
    this.#put(hashOf(node.inputs, node.attrsText), node);
    this.#entries++;
    return this.#young.push(node) === 1;
  }

  #put(hash: number, node: Node): void {
    const bucket = this.#buckets.get(hash);
    if (bucket === undefined) this.#buckets.set(hash, node);
    else if (Array.isArray(bucket)) bucket.push(node);
    else this.#buckets.set(hash, [bucket, node]);
  }

  /** From now on those that nobody else holds can be collected. */
  age(): void {
    const aged = this.#young;
    this.#young = [];
    for (const node of aged) {
      const hash = hashOf(node.inputs, node.attrsText);
      const bucket = this.#buckets.get(hash);
      if (bucket === node) this.#buckets.set(hash, new WeakRef(node));
      else if (Array.isArray(bucket)) bucket[bucket.indexOf(node)] = new WeakRef(node);
    }
    if (this.#entries >= this.#sweepAt) this.sweep();
  }

  /** Drops entries of collected nodes and tells how many are left. */
  sweep(): number {
    let alive = 0;
    for (const [hash, bucket] of this.#buckets) {
      if (Array.isArray(bucket)) {
        const left = bucket.filter(isThere);
        alive += left.length;
        if (left.length === 0) this.#buckets.delete(hash);
        else if (left.length < bucket.length) this.#buckets.set(hash, left);
      } else if (isThere(bucket)) alive++;
      else this.#buckets.delete(hash);
    }
    this.#entries = alive;
    this.#sweepAt = Math.max(FIRST_SWEEP, 2 * alive);
    return alive;
  }
}

/** 30 bits: small enough to be kept unboxed. Ops are left out: those of equal inputs are few. */
function hashOf(inputs: Interned["inputs"], text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < inputs.length; i++) hash = mix(hash, inputs[i]!.id);
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 13)) & 0x3fffffff;
}

const mix = (hash: number, value: number): number => {
  const x = Math.imul(hash ^ value, 0x9e3779b1);
  return x ^ (x >>> 15);
};
