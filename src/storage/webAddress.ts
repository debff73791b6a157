// Addresses of the web, and what of them may be told. In: text or a URL that a user gave. Out: where to ask, how to say who asks, and
// the same address as messages, plans and other processes may have it. Must hold: names, passwords, signatures and tokens
// of an address are in nothing that is told; two addresses that differ in what may be told stay two.

import { ValueError } from "../core/errors.ts";
import type { Address } from "../core/platform.ts";

/** Signatures and tokens of addresses that are signed beforehand, as the clouds name them, and what others call such things. */
const SECRET =
  /^(x-(amz|goog)-(signature|credential|security-token)|signature|sig|awsaccesskeyid|googleaccessid|policy|key-pair-id|.*(token|secret|password|passwd|api[-_]?key|auth).*|key)$/i;

/** What stands in the place of what is not told. */
const HIDDEN = "***";

/** A URL of what a user wrote, which no error repeats. */
export function webAddress(given: string | Address): URL {
  if (URL.canParse(String(given))) return new URL(given);
  throw new ValueError({
    what: "this is no address of the web",
    cure: 'Write it like "https://example.org/data.zarr"',
  });
}

const secretNames = (url: URL): string[] => [...url.searchParams.keys()].filter((name) => SECRET.test(name));

/** Nothing in it proves who asks. */
export const mayBeTold = (url: URL): boolean =>
  url.username === "" && url.password === "" && secretNames(url).length === 0;

/** Texts that may be in no message. */
export const secretsOf = (url: URL): string[] => [
  ...[url.username, url.password].filter((text) => text !== ""),
  ...Object.values(loginOf(url)).map((text) => text.slice("Basic ".length)),
  ...secretNames(url).flatMap((name) => url.searchParams.getAll(name)),
];

/** The address with stars in the places of what is not told. */
export function shownAddress(url: URL): string {
  if (mayBeTold(url)) return url.href;
  const shown = new URL(url);
  shown.username = "";
  shown.password = "";
  for (const name of new Set(secretNames(url))) shown.searchParams.set(name, HIDDEN);
  return shown.href;
}

/** The same place by another path, whoever asks there. */
export function withPath(url: URL, pathname: string): URL {
  const moved = new URL(url);
  moved.pathname = pathname;
  moved.hash = "";
  return moved;
}

/** A name and a password of an address, as the header that they are sent in; requests themselves can have none in their addresses. */
export function loginOf({ username, password }: URL): { readonly [name: string]: string } {
  if (username === "" && password === "") return {};
  const bytes = new TextEncoder().encode(`${decoded(username)}:${decoded(password)}`);
  return { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
