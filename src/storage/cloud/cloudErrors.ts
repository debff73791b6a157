// Refusals of object stores as typed errors. In: what a service answered. Out: an error that says what, where and the cure, and
// whether another attempt may help. Must hold: no secret is in it (`hidden`), and no more than a line of what the service wrote.

import { StoreRequestError } from "../errors.ts";
import { joinedBytes } from "../joinedBytes.ts";
import type { StoreKey } from "../store.ts";
import type { Answer } from "../wire/wireAnswer.ts";
import { fromUtf8 } from "../zarr/zarrJson.ts";
import type { ObjectService, Refusal } from "./objectService.ts";
import { childText, readXml, type XmlElement } from "./xmlReader.ts";

const MOST_ERROR_BYTES = 64 * 1024;
const MOST_SHOWN = 300;

/** Reads why; a body that is no XML says nothing, and is no error of its own. */
export async function refusalOf(response: Answer): Promise<Refusal> {
  const { status, headers } = response;
  const answer = await errorElement(response);
  const text = (name: string): string | undefined => (answer === null ? undefined : childText(answer, name));
  const seconds = Number(headers.get("Retry-After"));
  return {
    status,
    code: text("Code") ?? headers.get("x-ms-error-code") ?? "",
    message: text("Message") ?? response.statusText,
    region: headers.get("x-amz-bucket-region") ?? text("Region"),
    date: Date.parse(headers.get("Date") ?? text("ServerTime") ?? ""),
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : 0,
  };
}

async function errorElement(response: Answer): Promise<XmlElement | null> {
  try {
    const bytes = await bounded(response, MOST_ERROR_BYTES);
    return bytes.length === 0 ? null : readXml(fromUtf8(bytes));
  } catch {
    return null;
  }
}

/** The body of an answer, which may not be longer than so many bytes. */
export async function bounded(response: Answer, most: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of (response.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > most) throw new Error(`an answer of more than ${most} bytes`);
    parts.push(part);
  }
  return joinedBytes(parts);
}

/** Said of a request that arrived late, damaged or in parts: the next one may arrive whole. */
const PASSING: ReadonlySet<string> = new Set([
  ...["RequestTimeout", "IncompleteBody", "BadDigest", "XAmzContentSHA256Mismatch", "OperationAborted"],
  ...["ConditionalRequestConflict", "SlowDown", "ServerBusy", "Md5Mismatch", "InvalidMd5"],
]);

/** Said of credentials that were right once. */
export const TOO_OLD: ReadonlySet<string> = new Set([
  ...["ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "InvalidToken"],
]);

export function isPassing({ status, code }: Refusal): boolean {
  return (status >= 500 && status !== 501) || status === 429 || status === 408 || PASSING.has(code);
}

export function refusalError(service: ObjectService, refusal: Refusal, key: StoreKey): StoreRequestError {
  const { status, code, message, retryAfterMs } = refusal;
  const said = [code, message].filter((part) => part !== "").join(": ");
  const shown = service.hidden(said.replace(/\s+/g, " ")).slice(0, MOST_SHOWN);
  const error = new StoreRequestError({
    what: `${service.title} at ${service.where} answered ${status}${shown === "" ? "" : ` ${shown}`}`,
    where: key,
    retryable: isPassing(refusal),
    status,
    cure: service.cureFor(refusal) ?? usualCure(service, refusal),
  });
  return Object.assign(error, { retryAfterMs });
}

function usualCure(service: ObjectService, { status, code }: Refusal): string | undefined {
  if (service.noBucketCodes.includes(code))
    return `There is no ${service.where}: check the name, or make it first`;
  if (TOO_OLD.has(code)) return "The credentials are too old: get new ones";
  if (status === 401) return "Check the credentials, or give some";
  if (status === 403)
    return "Give credentials that may do this; where objects that are not there are answered so, say {missing: [403, 404]}";
  if (status === 501) return "This service does not have what was asked for; use another";
  return undefined;
}

/** The text of an element that must be there. */
export function mustHave(element: XmlElement, name: string): string {
  const text = childText(element, name);
  if (text !== undefined) return text;
  throw new StoreRequestError({
    what: `an answer <${element.name}> without <${name}>`,
    retryable: true,
    cure: "Is this the address of an object store?",
  });
}
