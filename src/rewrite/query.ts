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
