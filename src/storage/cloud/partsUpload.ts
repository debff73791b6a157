// Objects that are sent in parts, because they are large. In: bytes that follow each other. Out: the object, or, where there
// are few, those bytes in one piece for a single put. Must hold: nobody sees the object before all of it is there; an upload
// that fails is ended, so that its parts cost nobody anything; no more than a few parts are in memory.

import { StoreRequestError } from "../errors.ts";
import { joinedBytes } from "../joinedBytes.ts";
import type { StoreKey, StoreOptions } from "../store.ts";
import type { Answer } from "../wire/wireAnswer.ts";
import { mustHave } from "./cloudErrors.ts";
import { type CloudRequests, xmlOf } from "./cloudRequests.ts";
import type { PartsDialect, TakenPart } from "./objectService.ts";
import { childText, type XmlElement } from "./xmlReader.ts";

/** Up to so many bytes are one put, where their number is known. */
const SINGLE_BYTES = 64 * 2 ** 20;
/** S3 takes parts of 5 MiB and more (but the last), and 10,000 of them. */
const PART_BYTES = 16 * 2 ** 20;
/** Parts under way. */
const AT_ONCE = 2;

/** Later parts are larger: 10,000 of them hold more than services take. */
const partBytes = (number: number): number => PART_BYTES * (1 + Math.floor(number / 1000));

export class PartsUpload {
  readonly #requests: CloudRequests;
  readonly #key: StoreKey;
  readonly #name: string;
  readonly #options: StoreOptions;
  readonly #underWay = new Set<Promise<void>>();

  constructor(requests: CloudRequests, key: StoreKey, name: string, options: StoreOptions) {
    this.#requests = requests;
    this.#key = key;
    this.#name = name;
    this.#options = { signal: options.signal };
  }

  /** Null when all is stored; else the bytes, which are few. */
  async send(parts: Iterable<Uint8Array>): Promise<Uint8Array | null> {
    const list = Array.isArray(parts) ? (parts as Uint8Array[]) : null;
    if (list !== null && sumOf(list) <= SINGLE_BYTES) return list.length === 1 ? list[0]! : joinedBytes(list);
    const pieces = piecesOf(parts);
    const first = pieces.next();
    if (first.done === true) return new Uint8Array(0);
    if (first.value.length < partBytes(1)) return first.value;
    await this.#upload(first.value, pieces);
    return null;
  }

  async #upload(first: Uint8Array, rest: Iterator<Uint8Array>): Promise<void> {
    const { parts: dialect } = await this.#requests.service();
    const upload = await this.#begin(dialect);
    try {
      this.#options.signal?.throwIfAborted();
      const { taken, length } = await this.#sendAll(dialect, upload, first, rest);
      await this.#complete(dialect, upload, taken, length);
    } catch (cause) {
      // Parts that arrive after the end would stay.
      await Promise.allSettled(this.#underWay);
      await this.#abort(dialect, upload);
      throw cause;
    }
  }

  #begin(dialect: PartsDialect): Promise<string> | string {
    if (dialect.begin === null) return crypto.randomUUID();
    const request = dialect.begin(this.#name);
    // Nobody stops this one: an upload of which nobody knows the name could not be ended.
    return this.#requests.xml({ key: this.#key, options: {}, request }, (answer) => {
      const upload = dialect.uploadOf(answer);
      return upload ?? mustHave(answer, "UploadId");
    });
  }

  async #sendAll(
    dialect: PartsDialect,
    upload: string,
    first: Uint8Array,
    rest: Iterator<Uint8Array>,
  ): Promise<{ taken: TakenPart[]; length: number }> {
    const taken: TakenPart[] = [];
    const underWay = this.#underWay;
    let [length, number] = [0, 0];
    for (let piece: Uint8Array | undefined = first; piece !== undefined; piece = nextOf(rest)) {
      const [body, at] = [piece, ++number];
      length += body.length;
      const sending: Promise<void> = this.#sendPart(dialect, upload, at, body).then((part) => {
        taken.push(part);
        underWay.delete(sending);
      });
      underWay.add(sending);
      if (underWay.size >= AT_ONCE) await Promise.race(underWay);
    }
    await Promise.all(underWay);
    return { taken: taken.sort((a, b) => a.number - b.number), length };
  }

  async #sendPart(
    dialect: PartsDialect,
    upload: string,
    number: number,
    body: Uint8Array,
  ): Promise<TakenPart> {
    return this.#requests.send({
      ...{ key: this.#key, options: this.#options },
      request: dialect.part(this.#name, upload, number, body),
      take: async (response) => {
        await response.body?.cancel();
        const tag = dialect.tagOf(response.headers, upload, number);
        if (tag !== null) return { number, tag };
        const what = "an answer to a part without its ETag";
        const cure = "In a browser, the bucket must let pages see this header (CORS: ExposeHeaders)";
        throw new StoreRequestError({ what, where: this.#key, retryable: false, cure });
      },
    });
  }

  /** A service may answer 200 and tell of its failure in the body. */
  async #complete(dialect: PartsDialect, upload: string, parts: TakenPart[], length: number): Promise<void> {
    const request = dialect.complete(this.#name, upload, parts);
    const isDone = await this.#requests.send<boolean>({
      ...{ key: this.#key, options: this.#options, request },
      take: async (response) => {
        if (dialect.begin === null) await response.body?.cancel();
        else checkCompleted(await xmlOf(response, this.#key), this.#key);
        return true;
      },
      refused: ({ code }) => (code === dialect.overCode ? { value: false } : null),
    });
    if (!isDone) await this.#lookForIt(parts.length, length);
  }

  /** The answer to an earlier attempt was lost, it seems: the object tells. */
  async #lookForIt(parts: number, length: number): Promise<void> {
    const seen = await this.#requests.send<string>({
      ...{ key: this.#key, options: this.#options, request: { method: "HEAD", name: this.#name } },
      take: async (response) => {
        await response.body?.cancel();
        return `${response.headers.get("Content-Length")} ${response.headers.get("ETag")}`;
      },
      refused: ({ status }) => (status === 404 ? { value: "nothing" } : null),
    });
    if (seen.startsWith(`${length} `) && /-(\d+)"?$/.exec(seen)?.[1] === String(parts)) return;
    throw new StoreRequestError({
      what: `the upload of ${parts} parts was ended by somebody, and ${seen} is there`,
      where: this.#key,
      retryable: true,
      cure: "Write it again; does a rule of the bucket end uploads early?",
    });
  }

  /** Whatever it says: what failed before is told. Who stopped the run does not stop this. */
  async #abort(dialect: PartsDialect, upload: string): Promise<void> {
    if (dialect.abort === null) return;
    const request = dialect.abort(this.#name, upload);
    const take = async (response: Answer): Promise<void> => response.body?.cancel();
    await this.#requests.send({ key: this.#key, options: {}, request, take }).catch(() => {});
  }
}

const nextOf = (pieces: Iterator<Uint8Array>): Uint8Array | undefined => {
  const { done, value } = pieces.next();
  return done === true ? undefined : value;
};

const sumOf = (parts: readonly Uint8Array[]): number => parts.reduce((sum, { length }) => sum + length, 0);

/** Pieces of the lengths that are sent, each memory of its own: who makes the parts may use his again. */
function* piecesOf(parts: Iterable<Uint8Array>): Generator<Uint8Array, void> {
  let [number, filled] = [1, 0];
  let piece = new Uint8Array(partBytes(number));
  for (const part of parts)
    for (let at = 0; at < part.length; ) {
      const count = Math.min(part.length - at, piece.length - filled);
      piece.set(part.subarray(at, at + count), filled);
      filled += count;
      at += count;
      if (filled < piece.length) continue;
      yield piece;
      [number, filled] = [number + 1, 0];
      piece = new Uint8Array(partBytes(number));
    }
  if (filled > 0) yield piece.slice(0, filled);
}

/** An answer of 200 that tells of a failure. */
function checkCompleted(answer: XmlElement, key: StoreKey): void {
  if (answer.name !== "Error") return;
  const what = `the upload was not completed: ${childText(answer, "Code") ?? ""}`;
  throw new StoreRequestError({ what, where: key, retryable: true, cure: "Try again" });
}
