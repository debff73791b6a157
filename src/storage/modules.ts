// Functions of modules, by the module's address and the function's name: what can be sent to other threads and processes,
// where code cannot. In: both. Out: the function, of the module as it is imported where this runs.
// Must hold: addresses from elsewhere are looked at before they come here (runtime/planRoots.ts).

import { ValueError } from "../core/errors.ts";
import { describe } from "../core/shape.ts";

export type ModuleFunction = (...args: unknown[]) => unknown;

export async function exportedFunction(module: string, name: string): Promise<ModuleFunction> {
  const exports = (await import(/* @vite-ignore */ /* webpackIgnore: true */ module)) as {
    readonly [name: string]: unknown;
  };
  const found = exports[name];
  if (typeof found === "function") return found as ModuleFunction;
  throw new ValueError({
    what: `${module} exports no function ${describe(name)}`,
    cure: `It exports ${Object.keys(exports).join(", ") || "nothing"}`,
  });
}

/** True for an address that can be a module's, in every thread and process. */
export const isModuleAddress = (address: unknown): address is string =>
  typeof address === "string" && /^(file|https?):/.test(address);
