// Where a step comes from: the user's call, so that a failure can name it.

import type { Expr } from "../expr/expr.ts";
import { lineOf, type Site } from "../expr/site.ts";

export interface Origin {
  readonly call?: string | undefined;
  readonly line?: string | undefined;
}

/** Which call of the user made a node. */
export type SiteOf = (node: Expr) => Site | null;

export const siteOfNode: SiteOf = ({ site }) => site;

export function originOf(site: Site | null): Origin {
  return site === null ? {} : { call: site.call, line: lineOf(site) };
}
