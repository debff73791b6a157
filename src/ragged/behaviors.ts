// Behaviors: what records of a name can do besides. In: names and classes. Out: arrays that have the class's methods and properties
// beside their own, wherever their nearest records have the name. Must hold: a behavior changes what can be called and nothing
// else: values, types and partitions are the array's.

import { ValueError } from "../core/errors.ts";
import type { Parameters } from "../core/form/form.ts";

/** The parameter of a record that is its name. */
export const RECORD_NAME = "__record__";

/** A class whose methods and properties arrays get. */
export interface BehaviorClass {
  /** How classes are made; it is never called. */
  new (): object;
}

/** A form or a layout, as far as names are looked for. */
interface Described {
  readonly kind: string;
  readonly parameters: Parameters;
  readonly content?: Described;
}

/** The name of the nearest records; null where there are none, or where they have no name. */
export function recordName(node: Described): string | null {
  let at: Described | undefined = node;
  while (at !== undefined && at.kind !== "record") at = at.content;
  const name = at?.parameters[RECORD_NAME];
  return typeof name === "string" ? name : null;
}

/** What arrays are, and what everything asks of them. */
const RESERVED: ReadonlySet<string> = new Set([
  ...["length", "layout", "form", "type", "fields", "field", "expr", "site"],
  ...["isItem", "npartitions", "divisions"],
]);

/** Of an array with a behavior: its class. */
export const BEHAVIOR: unique symbol = Symbol("behavior");

/** The behaviors that an engine knows, a `BehaviorTable`: `cw.engine.behaviors.add("Point", Point)`. */
export class BehaviorTable {
  readonly #classes = new Map<string, BehaviorClass>();
  readonly #prototypes = new WeakMap<object, Map<BehaviorClass, object>>();

  constructor(known: { readonly [name: string]: BehaviorClass } = {}) {
    for (const [name, behavior] of Object.entries(known)) this.#classes.set(name, behavior);
  }

  /** Records of this name are of this class from now on. */
  add(name: string, behavior: BehaviorClass): void {
    if (typeof name !== "string" || name === "" || typeof behavior !== "function")
      throw new ValueError({
        where: "behaviors.add",
        what: "a behavior is a class with a name",
        cure: 'Write behaviors.add("Point", class Point extends rg.Behavior { … })',
      });
    const taken = Object.keys(membersOf(behavior)).find((member) => RESERVED.has(member));
    if (taken !== undefined)
      throw new ValueError({
        where: "behaviors.add",
        what: `${name} has a ${taken}, which is what arrays are`,
        cure: "Call it otherwise",
      });
    if (this.#classes.has(name))
      throw new ValueError({
        where: "behaviors.add",
        what: `there is a behavior ${JSON.stringify(name)} already`,
        cure: "Give it another name",
      });
    this.#classes.set(name, behavior);
  }

  get(name: string): BehaviorClass | undefined {
    return this.#classes.get(name);
  }

  /** Under which name a class was entered. */
  nameOf(behavior: BehaviorClass): string | null {
    return [...this.#classes].find(([, known]) => known === behavior)?.[0] ?? null;
  }

  get names(): readonly string[] {
    return [...this.#classes.keys()];
  }

  /** The array itself, with what its records' behavior has. */
  dressed<A extends object>(array: A, node: Described): A {
    const name = recordName(node);
    const behavior = name === null ? undefined : this.#classes.get(name);
    if (behavior === undefined) return array;
    return Object.setPrototypeOf(array, this.#prototypeOf(Object.getPrototypeOf(array), behavior)) as A;
  }

  #prototypeOf(base: object, behavior: BehaviorClass): object {
    const own = this.#prototypes.get(base) ?? new Map<BehaviorClass, object>();
    this.#prototypes.set(base, own);
    const known = own.get(behavior);
    if (known !== undefined) return known;
    const made = Object.create(base, {
      ...membersOf(behavior),
      [BEHAVIOR]: { value: behavior },
    }) as object;
    own.set(behavior, made);
    return made;
  }
}

/** Methods and properties, those of classes that it extends among them. */
function membersOf(behavior: BehaviorClass): PropertyDescriptorMap {
  const above = Object.getPrototypeOf(behavior) as BehaviorClass | null;
  const inherited = typeof above === "function" && above.prototype !== undefined ? membersOf(above) : {};
  const { constructor: _, ...own } = Object.getOwnPropertyDescriptors(
    behavior.prototype,
  ) as PropertyDescriptorMap;
  return { ...inherited, ...own };
}

/** The behavior's own method of a name, if it has one: it goes before the functions of arrays. */
export function ownMethod(array: unknown, name: string): ((...args: unknown[]) => unknown) | null {
  const behavior = (array as { readonly [BEHAVIOR]?: BehaviorClass } | null)?.[BEHAVIOR];
  if (behavior === undefined || !(name in behavior.prototype)) return null;
  return (array as { readonly [method: string]: (...args: unknown[]) => unknown })[name]!;
}
