// What an HTTP server answers, read with distrust. In: responses, and what was asked for. Out: just those bytes, or a typed error.
// Must hold: a range is answered with that range (status 206); a body is as long as its headers say; no more is taken into
// memory than was asked for.

import { CorruptDataError, NotSupportedError, StoreRequestError } from "./errors.ts";
import { joinedBytes } from "./joinedBytes.ts";
import { type ByteRange, type StoreKey, tooShort } from "./store.ts";
import type { Answer } from "./wire/wireAnswer.ts";

/** fetch hides what went wrong in the cause. */
export const reasonOf = (cause: unknown): string =>
  cause instanceof Error && cause.cause instanceof Error ? ` (${cause.cause.message})` : "";

/** What is left of an answer that was not right is let go: its connection would stay, and nobody would read from it. */
export async function taken<T>(response: Answer, take: (response: Answer) => Promise<T>): Promise<T> {
  try {
    return await take(response);
  } catch (cause) {
    await response.body?.cancel().catch(() => {});
    throw cause;
  }
}

export const rangeHeader = (range: ByteRange): string =>
  "suffixLength" in range
    ? `bytes=-${range.suffixLength}`
    : `bytes=${range.offset}-${range.offset + range.length - 1}`;

export const tooShortError = (key: StoreKey): CorruptDataError =>
  new CorruptDataError({
    what: "the object is shorter than the range that was asked for",
    where: key,
    cure: "It was cut short; write it again",
  });

/** A server that ignores the range sends everything with 200: refused, or reads would be slow and wrong. */
export function checkPartial(response: Answer, range: ByteRange, key: StoreKey): void {
  if (response.status !== 206)
    throw new NotSupportedError({
      what: `the server answered a range with ${response.status} instead of 206`,
      where: key,
      cure: "Use a server that supports range requests",
    });
  const found = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(response.headers.get("Content-Range") ?? "");
  // A page from another origin may not see the header; then the length is all there is to check.
  if (found === null) return;
  const [first, last, size] = [Number(found[1]), Number(found[2]), Number(found[3])];
  const isRight =
    "suffixLength" in range
      ? Number.isNaN(size) || (last === size - 1 && first === Math.max(0, size - range.suffixLength))
      : first === range.offset;
  if (!isRight)
    throw new NotSupportedError({
      what: `the server answered ${rangeHeader(range)} with ${found[0]}`,
      where: key,
      cure: "Use a server that supports range requests",
    });
}

/** Of the object that a part is of; null where a page may not see the header. */
export function wholeSize(response: Answer): number | null {
  const [, size] = /\/(\d+)$/.exec(response.headers.get("Content-Range") ?? "") ?? [];
  return size === undefined ? null : Number(size);
}

/** How many bytes the answer to a range says that it has; null where it does not. */
function rangeLength(response: Answer): number | null {
  const found = /^bytes (\d+)-(\d+)\//.exec(response.headers.get("Content-Range") ?? "");
  return found === null ? null : Number(found[2]) - Number(found[1]) + 1;
}

const cutOff = (key: StoreKey, found: number, announced: number): StoreRequestError =>
  new StoreRequestError({
    what: `the answer has ${found} bytes, and ${announced} were announced`,
    where: key,
    retryable: true,
    cure: "Try again",
  });

/** The same for the same bytes, whoever compressed them on the way. */
export const versionOf = ({ headers }: Pick<Answer, "headers">): string | null =>
  headers.get("ETag")?.replace(/^W\//, "") ?? headers.get("Last-Modified");

export async function readBody(
  response: Answer,
  range: ByteRange | null,
  key: StoreKey,
  maxBytes: number,
  into?: Uint8Array,
): Promise<Uint8Array> {
  const asked = range === null ? maxBytes : "suffixLength" in range ? range.suffixLength : range.length;
  const header = response.headers.get("Content-Length");
  // Of a compressed transfer the header counts other bytes.
  const isPlain = (response.headers.get("Content-Encoding") ?? "identity") === "identity";
  const length = header !== null && isPlain ? Number(header) : null;
  if ((length ?? 0) > asked)
    throw new NotSupportedError({
      what: `an answer of ${length} bytes, where at most ${asked} belong`,
      where: key,
    });
  const bytes = await collect(response, { length, most: asked, into }, key);
  // Cut off in transit: another attempt may bring it whole.
  if (length !== null && bytes.length !== length) throw cutOff(key, bytes.length, length);
  // A proxy that cut the body may have corrected its length; the range still says what was sent.
  const sent = isPlain && range !== null ? rangeLength(response) : null;
  if (sent !== null && bytes.length !== sent) throw cutOff(key, bytes.length, sent);
  if (range !== null && bytes.length < asked && !("suffixLength" in range))
    throw tooShort(key, asked, bytes.length);
  return bytes;
}

async function collect(
  response: Answer,
  { length, most, into }: { length: number | null; most: number; into: Uint8Array | undefined },
  key: StoreKey,
): Promise<Uint8Array> {
  if (into !== undefined && response.fill !== undefined && length === into.length)
    return into.subarray(0, await response.fill(into));
  if (length !== null || response.body === null) return new Uint8Array(await response.arrayBuffer());
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
    parts.push(part);
    size += part.length;
    if (size > most)
      throw new NotSupportedError({ what: `an answer of more than ${most} bytes`, where: key });
  }
  return joinedBytes(parts);
}
