// An answer whose body has yet to come. In: a head, and the connection. Out: what a `Response` gives of it, and besides the body
// straight in memory of the caller's. Must hold: when the body has been read to its end, the connection is free for the
// next request; when it is not wanted, the connection is closed.

import { joinedBytes } from "../joinedBytes.ts";
import { type AnswerHead, latin1, MOST_HEAD_BYTES } from "./answerHead.ts";
import type { WireSocket } from "./wireSocket.ts";

/** What a request gives: a `Response` of `fetch`, or a WireAnswer. */
export interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly ok: boolean;
  readonly headers: Pick<Headers, "get" | "has">;
  readonly body: { cancel(): Promise<void> } | null;
  arrayBuffer(): Promise<ArrayBuffer>;
  /** The body, which must be just as long, straight into memory: how many bytes of it there were. */
  fill?(target: Uint8Array): Promise<number>;
}

/** Bodies that nobody wants are read all the same up to this length. */
const SHORT_BYTES = 1 << 16;

export class WireAnswer implements Answer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly #head: AnswerHead;
  readonly #socket: WireSocket;
  readonly #over: (isFree: boolean) => void;
  /** What came with the head. */
  #rest: Uint8Array;
  #isOver = false;

  /** `over`: called once, when the body has been read, or nobody will. */
  constructor(head: AnswerHead, rest: Uint8Array, socket: WireSocket, over: (isFree: boolean) => void) {
    ({ status: this.status, statusText: this.statusText, headers: this.headers } = head);
    this.#head = head;
    this.#rest = rest;
    this.#socket = socket;
    this.#over = over;
    if (typeof head.end === "object" && head.end.bytes === 0) this.#finish(rest.length === 0);
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get body(): { cancel(): Promise<void> } & AsyncIterable<Uint8Array> {
    return {
      cancel: () => this.#cancel(),
      [Symbol.asyncIterator]: () => this.#pieces(),
    };
  }

  /** What is short is read, since that costs less than another connection: most of what is not there is told with a page. */
  async #cancel(): Promise<void> {
    const { end } = this.#head;
    try {
      if (typeof end === "object" && end.bytes <= SHORT_BYTES) for await (const _ of this.#pieces());
    } catch {
      // It was not wanted, and its connection is closed.
    }
    this.#finish(false);
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    const { end } = this.#head;
    if (typeof end !== "object") {
      const parts: Uint8Array[] = [];
      for await (const piece of this.#pieces()) parts.push(piece);
      return joinedBytes(parts).buffer as ArrayBuffer;
    }
    const bytes = new Uint8Array(end.bytes);
    const count = await this.fill(bytes);
    return count === bytes.length ? bytes.buffer : bytes.buffer.slice(0, count);
  }

  async fill(target: Uint8Array): Promise<number> {
    const { end } = this.#head;
    if (this.#isOver) return 0;
    if (typeof end !== "object" || end.bytes !== target.length || this.#rest.length > target.length)
      return this.#refuse(new Error("the body has another length than announced"));
    const first = this.#rest.length;
    target.set(this.#rest);
    this.#rest = this.#rest.subarray(first);
    const count = first + (await this.#read(() => this.#socket.fill(target.subarray(first))));
    this.#finish(count === target.length);
    return count;
  }

  /** Each a copy of its own. */
  async *#pieces(): AsyncGenerator<Uint8Array, void> {
    const { end } = this.#head;
    if (this.#isOver) return;
    try {
      if (end === "chunked") yield* this.#chunks();
      else yield* this.#plain(end === "close" ? Number.POSITIVE_INFINITY : end.bytes);
    } finally {
      // Who looks at no more of it wants none of it.
      this.#finish(false);
    }
  }

  async *#plain(length: number): AsyncGenerator<Uint8Array, void> {
    for (let left = length; left > 0; ) {
      const piece = await this.#piece();
      if (piece === null) break;
      if (piece.length > left) this.#refuse(new Error("more bytes came than were announced"));
      left -= piece.length;
      if (left === 0) this.#finish(true);
      yield piece.slice();
    }
  }

  async *#chunks(): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const size = /^([0-9a-f]{1,8})(;.*)?$/i.exec(await this.#line());
      if (size === null) this.#refuse(new Error("a chunk of the answer has no length"));
      let left = Number.parseInt(size![1]!, 16);
      if (left === 0) break;
      while (left > 0) {
        const piece = (await this.#piece()) ?? this.#refuse(cutShort());
        const part = piece.subarray(0, left);
        this.#rest = piece.subarray(part.length);
        left -= part.length;
        yield part.slice();
      }
      if ((await this.#line()) !== "")
        this.#refuse(new Error("a chunk of the answer is longer than it says"));
    }
    // Headers that come last are nobody's.
    for (let line = await this.#line(); line !== ""; line = await this.#line());
    this.#finish(this.#rest.length === 0);
  }

  /** Up to the end of a line, without it. */
  async #line(): Promise<string> {
    let line = "";
    for (;;) {
      const piece = (await this.#piece()) ?? this.#refuse(cutShort());
      const at = piece.indexOf(10);
      line += latin1(at < 0 ? piece : piece.subarray(0, at));
      if (at >= 0) {
        this.#rest = piece.subarray(at + 1);
        return line.replace(/\r$/, "");
      }
      if (line.length > MOST_HEAD_BYTES) this.#refuse(new Error("a line of the answer has no end"));
    }
  }

  async #piece(): Promise<Uint8Array | null> {
    const rest = this.#rest;
    if (rest.length === 0) return this.#read(() => this.#socket.piece());
    this.#rest = rest.subarray(rest.length);
    return rest;
  }

  async #read<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      this.#finish(false);
      throw error;
    }
  }

  #refuse(error: Error): never {
    this.#finish(false);
    throw error;
  }

  #finish(isRead: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#over(isRead && this.#head.keepsOpen);
  }
}

const cutShort = (): Error => new Error("the answer was cut short");
