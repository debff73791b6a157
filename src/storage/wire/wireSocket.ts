// A connection of Node's, read as its owner asks: by pieces as they come, or straight into memory of the owner's, without the
// copies that streams make. In: an address. Out: bytes in order. Must hold: what it was given to fill it writes to only
// while `fill` is waited for; one that was destroyed touches nothing any more; a connection that fails or ends says so to
// whoever waits, and to whoever asks later.

import type { Socket } from "node:net";
import { builtinNow } from "../builtin.ts";

/** What comes is read so much at a time. */
export const PIECE_BYTES: number = 1 << 16;

interface Waiting {
  resolve(count: number): void;
  reject(error: unknown): void;
}

export class WireSocket {
  readonly #socket: Socket;
  /** Where pieces are read to. */
  readonly #own: Uint8Array<ArrayBuffer> = new Uint8Array(PIECE_BYTES);
  /** What came before anybody asked: TLS hands on all that it has decrypted. */
  readonly #early: Uint8Array[] = [];
  /** What is filled now; null: pieces come. */
  #target: Uint8Array | null = null;
  #filled = 0;
  #waiting: Waiting | null = null;
  #onIdleEnd: (() => void) | null = null;
  #isPaused = false;
  #isEnded = false;
  #error: unknown = null;
  #unsent = 0;

  constructor(url: URL) {
    const isSecure = url.protocol === "https:";
    // Addresses of version 6 are in brackets in URLs.
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const onread = {
      buffer: () => this.#next(),
      callback: (count: number, buffer: Uint8Array) => this.#came(count, buffer === this.#own),
    };
    const place = { host, port: Number(url.port || (isSecure ? 443 : 80)), onread, noDelay: true };
    const isName = !/^[\d.]+$/.test(host) && !host.includes(":");
    this.#socket = isSecure
      ? builtinNow("node:tls")!.connect({ ...place, ...(isName ? { servername: host } : {}) } as object)
      : builtinNow("node:net")!.connect(place);
    this.#socket.on("error", (error) => this.#fail(error));
    this.#socket.on("end", () => this.#end());
    this.#socket.on("close", () => this.#end());
    this.#socket.on("timeout", () => this.destroy(new Error("nobody used it for long")));
  }

  /** It can be asked for more: it is whole, and all that was written is on its way. */
  get isUsable(): boolean {
    return this.#error === null && !this.#isEnded && this.#unsent === 0 && this.#early.length === 0;
  }

  /** A head, and bytes that must stay as they are until the answer is there, or the connection destroyed. */
  write(head: string, body: Uint8Array | null): void {
    const sent = (): void => {
      this.#unsent--;
    };
    this.#unsent += body === null ? 1 : 2;
    this.#socket.cork();
    this.#socket.write(head, "latin1", sent);
    if (body !== null) this.#socket.write(body, sent);
    this.#socket.uncork();
  }

  /** The next bytes: a view that holds until the next call; null at the end. */
  async piece(): Promise<Uint8Array | null> {
    const early = this.#early.shift();
    if (early !== undefined) return early;
    const count = await this.#coming();
    return count === 0 ? null : this.#own.subarray(0, count);
  }

  /** Fills all of `target`; how many bytes there were before the end. */
  async fill(target: Uint8Array): Promise<number> {
    let filled = 0;
    for (let early = this.#early.shift(); early !== undefined; early = this.#early.shift()) {
      if (early.length > target.length - filled) throw tooMany();
      target.set(early, filled);
      filled += early.length;
    }
    if (filled === target.length) return filled;
    this.#target = target;
    this.#filled = filled;
    return this.#coming();
  }

  #coming(): Promise<number> {
    if (this.#error !== null) return Promise.reject(this.#error);
    if (this.#isEnded) return Promise.resolve(this.#let());
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#goOn();
    });
  }

  #goOn(): void {
    if (this.#isPaused) this.#socket.resume();
    this.#isPaused = false;
  }

  /** Where the next bytes go. */
  #next(): Uint8Array {
    return this.#target === null ? this.#own : this.#target.subarray(this.#filled);
  }

  /** False: nothing more for now. `isOwn`: they are where pieces are read to, which was said before anybody gave a target. */
  #came(count: number, isOwn: boolean): boolean {
    if (this.#waiting === null) return this.#cameEarly(count);
    if (this.#target === null) return this.#done(count);
    if (isOwn) {
      if (count > this.#target.length - this.#filled) {
        this.destroy(tooMany());
        return false;
      }
      this.#target.set(this.#own.subarray(0, count), this.#filled);
    }
    this.#filled += count;
    return this.#filled < this.#target.length || this.#done(this.#let());
  }

  #cameEarly(count: number): boolean {
    if (this.#onIdleEnd === null) this.#early.push(this.#own.slice(0, count));
    else this.destroy(new Error("bytes came that nobody asked for"));
    this.#isPaused = true;
    return false;
  }

  #done(count: number): false {
    const waiting = this.#waiting!;
    this.#waiting = null;
    this.#isPaused = true;
    waiting.resolve(count);
    return false;
  }

  /** The target is nobody's any more: how much of it was filled. */
  #let(): number {
    const filled = this.#target === null ? 0 : this.#filled;
    this.#target = null;
    return filled;
  }

  #end(): void {
    this.#isEnded = true;
    if (this.#waiting !== null) this.#done(this.#let());
    this.#onIdleEnd?.();
  }

  #fail(error: unknown): void {
    // Of several addresses that were tried, the first says why.
    this.#error ??= error instanceof AggregateError ? (error.errors[0] ?? error) : error;
    this.#target = null;
    this.#waiting?.reject(this.#error);
    this.#waiting = null;
    this.#onIdleEnd?.();
  }

  /** Nobody uses it now: it keeps no process alive, and hears when the other side goes. */
  rest(onEnd: () => void, mostMs: number): void {
    this.#onIdleEnd = onEnd;
    this.#socket.unref();
    this.#socket.setTimeout(mostMs);
    this.#goOn();
  }

  use(): void {
    this.#onIdleEnd = null;
    this.#socket.setTimeout(0);
    this.#socket.ref();
  }

  /** When this returns, nothing is written to or read from memory of others any more. */
  destroy(why: unknown): void {
    this.#fail(why);
    this.#socket.destroy();
  }
}

const tooMany = (): Error => new Error("more bytes came than were announced");
