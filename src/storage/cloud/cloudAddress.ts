// Addresses of object stores, as users write them: s3://bucket/path, gs://bucket/path, az://account/container/path. In: text.
// Out: its parts, or an error with an example. Must hold: nothing secret is part of an address, and an error never repeats
// what stands where a secret could be.

import { ValueError } from "../../core/errors.ts";
import type { Address } from "../../core/platform.ts";
import { StoreKeyError } from "../errors.ts";
import { CLOUD_SCHEME, keySegments } from "../store.ts";
import type { CloudRequest } from "./objectService.ts";

export type CloudScheme = "s3" | "gs" | "az";

export interface CloudAddress {
  readonly scheme: CloudScheme;
  /** The account of az:, "" of the others. */
  readonly account: string;
  /** The bucket, or the container. */
  readonly bucket: string;
  /** "" or "a/b", as it is. */
  readonly path: string;
}

const EXAMPLES: { readonly [S in CloudScheme]: string } = {
  s3: "s3://bucket/path",
  gs: "gs://bucket/path",
  az: "az://account/container/path",
};

/** The scheme must be among those that are wanted. */
export function cloudAddress(address: string | Address, wanted?: CloudScheme): CloudAddress {
  const text = typeof address === "string" ? address : decodedHref(address as URL);
  const scheme = CLOUD_SCHEME.exec(text)?.[1]?.toLowerCase() as CloudScheme | undefined;
  if (scheme === undefined || (wanted !== undefined && scheme !== wanted))
    throw wrong(wanted ?? "s3", `an address of ${scheme ?? "something else"}`);
  const rest = text.slice(scheme.length + 3);
  // A lone "?" may belong to a pattern.
  if (/[?&][^=/]+=/.test(rest))
    throw wrong(scheme, "an address with a query", "Give tokens and the like as options, not in the address");
  if (/^[^/]*@/.test(rest))
    throw wrong(scheme, "an address with a name or password in it", "Give credentials as options");
  const parts = rest.split("/");
  const account = scheme === "az" ? parts.shift()! : "";
  const bucket = parts.shift() ?? "";
  if (scheme === "az" && !/^[a-z0-9]{3,24}$/.test(account)) throw wrong(scheme, "no name of an account");
  if (!isBucket(bucket)) throw wrong(scheme, "no name of a bucket or container");
  const path = parts.join("/").replace(/\/$/, "");
  if (path !== "") keySegments(`/${path}`);
  return { scheme, account, bucket, path };
}

/** Names as the services have them, old ones with capitals and underscores included; nothing that an address could hide in. */
const isBucket = (name: string): boolean =>
  /^[A-Za-z0-9$][A-Za-z0-9._-]{1,254}$/.test(name) && !name.includes("..");

function decodedHref({ protocol, host, pathname, search, username, password }: URL): string {
  const path = decodeURIComponent(pathname);
  const user = username === "" && password === "" ? "" : "user@";
  return `${protocol}//${user}${host}${path}${search === "" ? "" : "?query=1"}`;
}

function wrong(scheme: CloudScheme, what: string, cure?: string): ValueError {
  return new ValueError({
    what: `${what}, where ${EXAMPLES[scheme]} belongs`,
    cure: cure ?? `Write it like ${EXAMPLES[scheme]}`,
  });
}

/** As one writes it. */
export function addressText({ scheme, account, bucket, path }: CloudAddress): string {
  return `${scheme}://${[account, bucket, path].filter((part) => part !== "").join("/")}`;
}

/** By whole names: s3://bucket/data2 is not below s3://bucket/data. */
export function isBelowAddress(address: CloudAddress, root: CloudAddress): boolean {
  const [text, above] = [addressText(address), addressText(root)];
  return text === above || text.startsWith(`${above}/`);
}

/** A name as the path of a URL has it: what signatures are made of, too. */
export const encodedName = (name: string): string => name.split("/").map(encodedPart).join("/");

/** RFC 3986, of which encodeURIComponent leaves some out. */
export function encodedPart(text: string): string {
  try {
    return encodeURIComponent(text).replace(
      /[!'()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  } catch {
    throw new StoreKeyError({
      what: "a name with half a character in it",
      cure: "Give one that is whole text",
    });
  }
}

export const queryText = (query: { readonly [name: string]: string }): string =>
  Object.entries(query)
    .map(([name, value]) => `${encodedPart(name)}=${encodedPart(value)}`)
    .join("&");

/** Where a request goes: to an object below an address, or to the bucket itself; `proof` is the query that says who asks. */
export function requestUrl(base: string, { name, query = {} }: CloudRequest, proof = ""): string {
  const path = name === "" ? base : `${base}/${encodedName(name)}`;
  const questions = [queryText(query), proof].filter((text) => text !== "").join("&");
  return questions === "" ? path : `${path}?${questions}`;
}

/** An endpoint as users give it: without what could be misread, and without "/" at the end. */
export function endpointOf(given: string | Address, option: string): string {
  const text = String(given);
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username + url.password + url.search + url.hash === "";
  if (isPlain) return url.href.replace(/\/+$/, "");
  throw new ValueError({
    what: `${option} is no plain http(s) address`,
    cure: `Write it like "https://s3.example.org", without a query, a name or a password`,
  });
}

/** Tokens in plain text are for this machine only. */
export function checkTokenEndpoint(endpoint: string, what: string): void {
  const { protocol, hostname } = new URL(endpoint);
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  if (protocol === "https:" || isHere) return;
  throw new ValueError({
    what: `${what} over http: to ${hostname}, where everybody on the way could read it`,
    cure: "Use an https: endpoint",
  });
}
