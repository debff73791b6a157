// Which of the modules and stores that a plan names it may use. In: the caller's roots, and addresses as the text has them.
// Out: addresses as they really are; one error that names all that is not allowed, and the call that would allow it.

import { PlanError } from "../plan/load.ts";
import { type CloudLocation, foreignSite, locationAddress } from "../storage/cloud/openCloud.ts";
import type { StoreLocation } from "../storage/store.ts";
import { type Admitted, type Root, Roots } from "./planRoots.ts";

/** What a plan from elsewhere may use. */
export interface AccessRoots {
  readonly modules?: readonly Root[] | undefined;
  readonly stores?: readonly Root[] | undefined;
}

export class PlanAccess {
  readonly #modules: Roots;
  readonly #stores: Roots;
  readonly #refused = { modules: new Set<string>(), stores: new Set<string>() };
  readonly #call: string;

  /** `call`: by which roots are named, for messages. */
  constructor({ modules, stores }: AccessRoots, call = "loadPlan(text, {…})") {
    this.#modules = new Roots(modules, "modules");
    this.#stores = new Roots(stores, "stores");
    this.#call = call;
  }

  readonly module = (address: string): string =>
    this.#taken(this.#modules.module(address), "modules") ?? address;

  store(location: StoreLocation): StoreLocation {
    if (location.kind === "file") {
      const root = this.#taken(this.#stores.folder(location.root), "stores");
      return { kind: "file", root: root ?? location.root };
    }
    if (location.kind === "module") {
      // It reads whatever its argument says: who allows it to run has not allowed that yet.
      this.#taken(this.#stores.module(location.module), "stores");
      return { ...location, module: this.module(location.module) };
    }
    if (location.kind !== "http") {
      this.#taken(this.#cloud(location), "stores");
      return location;
    }
    const url = this.#taken(this.#stores.site(location.url), "stores");
    return { kind: "http", url: url ?? location.url };
  }

  /** A file that is read: a path, or an address. */
  file(address: string): string {
    const admitted = isAddress(address) ? this.#stores.site(address) : this.#stores.folder(address);
    return this.#taken(admitted, "stores") ?? address;
  }

  /** By its address where its endpoint is the one of this environment; else by where its endpoint really is. */
  #cloud(location: CloudLocation): Admitted {
    return this.#stores.site(foreignSite(location) ?? locationAddress(location));
  }

  #taken(admitted: Admitted, kind: "modules" | "stores"): string | null {
    if ("address" in admitted) return admitted.address;
    this.#refused[kind].add(admitted.refused);
    return null;
  }

  /** Throws when something was asked for that is not allowed. */
  check(): void {
    const [modules, stores] = [[...this.#refused.modules], [...this.#refused.stores]];
    if (modules.length + stores.length === 0) return;
    const wants = [
      ...(modules.length > 0 ? [`run ${listText(modules)}`] : []),
      ...(stores.length > 0 ? [`read ${listText(stores)}`] : []),
    ];
    const options = [
      ...(modules.length > 0 ? [`modules: ${JSON.stringify(modules.slice(0, MOST_NAMED))}`] : []),
      ...(stores.length > 0 ? [`stores: ${JSON.stringify(stores.slice(0, MOST_NAMED))}`] : []),
    ];
    throw new PlanError({
      what: `the plan wants to ${wants.join(" and to ")}, which is not below a root that was named`,
      cure: `If you trust who made it, name these or what they are below: ${this.#call.replace("…", options.join(", "))}`,
    });
  }
}

const MOST_NAMED = 5;

const isAddress = (text: string): boolean => /^[a-z][a-z0-9+.-]+:\/\//i.test(text) && !/^file:/i.test(text);

const listText = (names: readonly string[]): string =>
  names.length > MOST_NAMED
    ? `${names.slice(0, MOST_NAMED).join(", ")} and ${names.length - MOST_NAMED} more`
    : names.join(", ");
