// Where a step comes from: the user's call, so that a failure can name it.

import { lineOf, type Site } from "../expr/site.ts";

export interface Origin {
  readonly call?: string | undefined;
  readonly line?: string | undefined;
}

export function originOf({ site }: { readonly site: Site | null }): Origin {
  return site === null ? {} : { call: site.call, line: lineOf(site) };
}
