// Databases of rewrites. A sequence holds stages in an order that named anchors give ("after: canonicalize"):
// groups of rules that are applied together until none matches, global rewrites, and sequences again. A query
// picks from it. Who registers a rule sees it in the next computation.
// Must hold: names are unique in a sequence; a tag that nothing has is an error, with a suggestion.

import { ValueError } from "../core/errors.ts";
import { closest } from "../core/suggest.ts";
import { callNumber } from "../expr/site.ts";
import type { Direction } from "./driver.ts";
import { Dispatcher, type GlobalRewrite, type Rule } from "./rule.ts";

// Queries: which entries of a database are wanted. The result is everything that has one of the tags of
// `include`, that has each of `require`, and that has none of `exclude`. Names are tags.
// Must hold: a query never changes; including, requiring and excluding give new ones.

/** What a query is made of: `query({include: ["fastRun"], exclude: ["toSinc"]})`. Names are tags. */
export interface QueryParts {
  /** What has one of these tags is wanted, */
  readonly include?: readonly string[];
  /** if it has each of these, */
  readonly require?: readonly string[];
  /** and none of these. */
  readonly exclude?: readonly string[];
  /** Another query for a group of this name. */
  readonly subquery?: { readonly [group: string]: Query };
}

/** Which rules of a database are wanted, by their tags: `new Query({include: ["fastRun"]}).excluding("toSinc")`. */
export class Query {
  readonly include: ReadonlySet<string>;
  readonly require: ReadonlySet<string>;
  readonly exclude: ReadonlySet<string>;
  readonly subquery: { readonly [group: string]: Query };

  constructor({ include = [], require = [], exclude = [], subquery = {} }: QueryParts) {
    this.include = new Set(include);
    this.require = new Set(require);
    this.exclude = new Set(exclude);
    this.subquery = subquery;
  }

  including(...tags: readonly string[]): Query {
    return this.#with({ include: [...this.include, ...tags] });
  }

  requiring(...tags: readonly string[]): Query {
    return this.#with({ require: [...this.require, ...tags] });
  }

  excluding(...tags: readonly string[]): Query {
    return this.#with({ exclude: [...this.exclude, ...tags] });
  }

  /** Uses another query for one group. */
  within(group: string, query: Query): Query {
    return this.#with({ subquery: { ...this.subquery, [group]: query } });
  }

  #with(change: QueryParts): Query {
    const { subquery } = this;
    const parts = { include: [...this.include], require: [...this.require], exclude: [...this.exclude] };
    return new Query({ ...parts, subquery, ...change });
  }

  /** Is something with these tags wanted? */
  selects(tags: ReadonlySet<string>): boolean {
    return this.whyNot(tags) === null;
  }

  /** The tag for which something is not wanted, in words; null if it is. */
  whyNot(tags: ReadonlySet<string>): string | null {
    const has = (tag: string): boolean => tags.has(tag);
    const excluded = [...this.exclude].find(has);
    if (excluded !== undefined) return `the query excludes ${excluded}`;
    const missing = [...this.require].find((tag) => !has(tag));
    if (missing !== undefined) return `the query requires ${missing}`;
    if ([...this.include].some(has)) return null;
    return `the query includes ${[...this.include].join(", ") || "nothing"}; its tags are ${[...tags].join(", ")}`;
  }

  /** Every tag it mentions, except in its subqueries. */
  get tags(): readonly string[] {
    return [...new Set([...this.include, ...this.require, ...this.exclude])];
  }

  /** One text for equal queries. */
  get text(): string {
    const set = (name: string, tags: ReadonlySet<string>): string =>
      tags.size === 0 ? "" : `${name} ${[...tags].sort().join(", ")}; `;
    const below = Object.keys(this.subquery)
      .sort()
      .map((group) => `in ${group} (${this.subquery[group]!.text})`);
    const own = set("include", this.include) + set("require", this.require) + set("exclude", this.exclude);
    return own + below.join("; ");
  }
}

/** Which rules are wanted, by their tags: `query({include: ["fastRun"], exclude: ["toSinc"]})`. */
export const query = (parts: QueryParts): Query => new Query(parts);

/** A stage of what a query picked. */
export type Stage = {
  readonly name: string;
  /** The sequences that it is in, the outermost first, without the database itself. */
  readonly within: readonly string[];
} & (
  | { readonly kind: "rules"; readonly dispatcher: Dispatcher; readonly direction: Direction }
  | { readonly kind: "global"; readonly rewrite: GlobalRewrite }
);

/** Where a stage of a sequence, or a rule of a group, goes: at the end unless said. */
export interface Position {
  /** Behind the one of this name. */
  readonly after?: string;
  /** Before the one of this name. */
  readonly before?: string;
}

/** Options of `register`, of groups and sequences alike: where it goes, and its tags. */
export interface RegisterOptions extends Position {
  /** By which queries find it, besides its name. */
  readonly tags?: readonly string[];
}

interface Member {
  readonly rule: Rule;
  readonly tags: ReadonlySet<string>;
}

/** The place that a position names among some names; one that cannot be is an error. */
function placeOf({ after, before }: Position, names: readonly string[], kind: string): number {
  const at = (name: string): number => {
    const found = names.indexOf(name);
    if (found >= 0) return found;
    throw unknownName(kind, name, names);
  };
  const lowest = after === undefined ? 0 : at(after) + 1;
  const highest = before === undefined ? names.length : at(before);
  if (lowest <= highest) return after === undefined ? highest : lowest;
  throw new ValueError({
    what: `nothing is after ${after} and before ${before}`,
    cure: `The order is ${names.join(", ")}`,
  });
}

/**
 * Rules that are applied together until none of them matches. Their order is the order of trying: `new
 * RuleGroup("mine", [rule])`.
 */
export class RuleGroup {
  readonly name: string;
  /** Whether a node's inputs are looked at before the node, or after it: rules that move something inwards want it so. */
  readonly direction: Direction;
  #members = new Map<string, Member>();
  /** Grows with every change, so that what was compiled from it is known to be stale. */
  version = 0;

  constructor(name: string, rules: readonly Rule[] = [], direction: Direction = "inputsFirst") {
    this.name = name;
    this.direction = direction;
    for (const rule of rules) this.register(rule);
  }

  /** Its tags are its own, its name, the group's name, and those given here. */
  register(rule: Rule, { tags = [], ...position }: RegisterOptions = {}): this {
    if (this.#members.has(rule.name)) {
      throw new ValueError({
        what: `there is a rule ${rule.name} in ${this.name} already`,
        cure: "Give it another name, or remove the other one",
      });
    }
    const member = { rule, tags: new Set([rule.name, this.name, ...rule.tags, ...tags]) };
    const isLast = position.after === undefined && position.before === undefined;
    if (isLast) this.#members.set(rule.name, member);
    else {
      const place = placeOf(position, [...this.#members.keys()], "rule");
      this.#members = new Map([...this.#members].toSpliced(place, 0, [rule.name, member]));
    }
    this.version++;
    return this;
  }

  remove(name: string): this {
    const names = [...this.#members.keys()];
    if (!names.includes(name)) throw unknownName("rule", name, names);
    this.#members = new Map([...this.#members].filter(([one]) => one !== name));
    this.version++;
    return this;
  }

  get rules(): readonly Rule[] {
    return [...this.#members.values()].map(({ rule }) => rule);
  }

  get members(): readonly Member[] {
    return [...this.#members.values()];
  }

  select(query: Query): readonly Rule[] {
    return this.members.filter(({ tags }) => query.selects(tags)).map(({ rule }) => rule);
  }
}

/** A rewrite of whole graphs, and by what queries find it. */
export interface Whole {
  readonly rewrite: GlobalRewrite;
  readonly tags: ReadonlySet<string>;
}

type Item = RuleGroup | RuleSequence | GlobalRewrite;

interface Entry {
  readonly item: Item;
  readonly tags: ReadonlySet<string>;
}

/**
 * Stages that follow each other: groups of rules, rewrites of whole graphs, other sequences. `new
 * RuleSequence("mine").register(new RuleGroup("first", rules))`.
 */
export class RuleSequence {
  readonly name: string;
  /** Tells databases apart in the keys of plans. */
  readonly number: number = callNumber();
  #entries: readonly Entry[] = [];
  #version = 0;
  readonly #picked = new Map<string, { readonly version: number; readonly stages: readonly Stage[] }>();

  constructor(name: string, items: readonly Item[] = []) {
    this.name = name;
    for (const item of items) this.register(item);
  }

  register(item: Item, { tags = [], ...position }: RegisterOptions = {}): this {
    if (this.#entries.some((entry) => entry.item.name === item.name))
      throw new ValueError({ what: `there is a stage ${item.name} already`, cure: "Give it another name" });
    const own = item instanceof RuleGroup || item instanceof RuleSequence ? [] : (item.tags ?? ["fastRun"]);
    const entry = { item, tags: new Set([item.name, ...own, ...tags]) };
    const place = placeOf(position, this.#names, "stage");
    this.#change(this.#entries.toSpliced(place, 0, entry));
    return this;
  }

  /** A stage goes. */
  remove(name: string): this {
    this.#change(this.#entries.toSpliced(this.#at(name), 1));
    return this;
  }

  /** Another stage takes the place of one. */
  replace(name: string, item: Item, { tags = [] }: Pick<RegisterOptions, "tags"> = {}): this {
    const next = this.#names[this.#at(name) + 1];
    const before = this.#entries;
    this.remove(name);
    try {
      return this.register(item, next === undefined ? { tags } : { tags, before: next });
    } catch (error) {
      this.#change(before);
      throw error;
    }
  }

  #change(entries: readonly Entry[]): void {
    // What belonged to a stage that goes is not to make the number what it was.
    this.#version += 1 + this.version - this.#version;
    this.#entries = entries;
  }

  get #names(): readonly string[] {
    return this.#entries.map(({ item }) => item.name);
  }

  #at(name: string): number {
    const at = this.#names.indexOf(name);
    if (at >= 0) return at;
    throw unknownName("stage", name, this.#names);
  }

  get stages(): readonly Item[] {
    return this.#entries.map(({ item }) => item);
  }

  /** A rewrite of whole graphs by its name, in sequences below too; null where there is none. */
  global(name: string): Whole | null {
    for (const { item, tags } of this.#entries) {
      const found = item instanceof RuleSequence ? item.global(name) : null;
      if (found !== null) return found;
      if (item.name === name && "apply" in item) return { rewrite: item, tags };
    }
    return null;
  }

  /** A stage by its name, in sequences below too. */
  group(name: string): RuleGroup {
    const found = this.groups.find((group) => group.name === name);
    if (found !== undefined) return found;
    throw unknownName(
      "group",
      name,
      this.groups.map((group) => group.name),
    );
  }

  get groups(): readonly RuleGroup[] {
    return this.stages.flatMap((item) =>
      item instanceof RuleGroup ? [item] : item instanceof RuleSequence ? item.groups : [],
    );
  }

  get rules(): readonly Rule[] {
    return this.groups.flatMap((group) => group.rules);
  }

  get version(): number {
    return this.stages.reduce((sum, item) => sum + ("version" in item ? item.version : 0), this.#version);
  }

  /** Every tag and name that a query may use. */
  get tags(): ReadonlySet<string> {
    const below = this.#entries.flatMap(({ item, tags }) => [
      ...tags,
      ...(item instanceof RuleSequence ? item.tags : []),
      ...(item instanceof RuleGroup ? item.members.flatMap((member) => [...member.tags]) : []),
    ]);
    return new Set(below);
  }

  /** The stages that a query picks, compiled; known until something is registered. */
  query(query: Query): readonly Stage[] {
    const { version } = this;
    const known = this.#picked.get(query.text);
    if (known?.version === version) return known.stages;
    this.#check(query);
    const stages = this.#select(query, []);
    if (this.#picked.size >= MOST_PICKED) this.#picked.clear();
    this.#picked.set(query.text, { version, stages });
    return stages;
  }

  #check(query: Query): void {
    const known = new Set([...this.tags, ...BUILT_IN_TAGS]);
    const unknown = query.tags.find((tag) => !known.has(tag));
    if (unknown !== undefined) throw unknownName("rule or tag", unknown, [...known]);
    for (const [name, below] of Object.entries(query.subquery)) {
      if (!this.#entries.some(({ item }) => item.name === name)) this.group(name);
      this.#check(below);
    }
  }

  #select(query: Query, within: readonly string[]): Stage[] {
    return this.#entries.flatMap(({ item, tags }): Stage[] => {
      const { name } = item;
      const wanted = query.subquery[name] ?? query;
      if (item instanceof RuleSequence) return item.#select(wanted, [...within, name]);
      if (!(item instanceof RuleGroup))
        return wanted.selects(tags) ? [{ kind: "global", name, within, rewrite: item }] : [];
      const rules = item.select(wanted);
      const { direction } = item;
      return rules.length === 0
        ? []
        : [{ kind: "rules", name, within, dispatcher: new Dispatcher(rules), direction }];
    });
  }
}

const MOST_PICKED = 64;

/** Modes and classes are known even where no rule has them yet. */
const BUILT_IN_TAGS: readonly string[] = [
  ...["fastRun", "fastCompile", "fastMath"],
  ...["fastMath:z", "fastMath:r", "fastMath:n", "fastMath:d"],
];

const unknownName = (kind: string, name: string, known: readonly string[]): ValueError =>
  new ValueError({ what: `there is no ${kind} ${JSON.stringify(name)}`, cure: closest(name, known) });
