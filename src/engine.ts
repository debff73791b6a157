// The engine: what computations share. One value owns what is remembered between them; there is a default one, which the
// functions of the namespace use.

import { PlanCache } from "./plan/cache.ts";
import { Spec } from "./runtime/spec.ts";

export class Engine {
  /** Plans of computations that were planned before. */
  readonly plans: PlanCache = new PlanCache();
  #spec: Spec | null = null;

  /** The settings of computations that name none: made when they are first asked for, of what the environment says then. */
  get spec(): Spec {
    this.#spec ??= new Spec();
    return this.#spec;
  }
}

export const engine: Engine = new Engine();
