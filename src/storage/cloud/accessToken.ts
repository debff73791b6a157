// Tokens that prove who asks, for Google and Azure. In: a text, or a function that gives one whenever the last is about to end.
// Out: a token that still holds. Must hold: it is in no error.

import { StoreRequestError } from "../errors.ts";
import { FreshValue } from "./freshValue.ts";

/** A token, and when it ends where it does. */
export interface AccessToken {
  /** The text after "Bearer". */
  readonly token: string;
  /** When it ends: a Date, or ms since 1970. */
  readonly expires?: Date | number;
}

/** A token, or a function that gives one. */
export type TokenOption = string | (() => AccessToken | string | Promise<AccessToken | string>);

interface Held {
  readonly token: string;
  readonly expires?: number | undefined;
}

export class Token {
  readonly #held: FreshValue<Held>;
  #last = "";

  constructor(get: () => Promise<AccessToken | string>) {
    this.#held = new FreshValue(async () => checked(await get()));
  }

  static of(option: TokenOption): Token {
    return new Token(async () => (typeof option === "string" ? option : option()));
  }

  async text(now: number): Promise<string> {
    this.#last = (await this.#held.value(now)).token;
    return this.#last;
  }

  forget(): boolean {
    return this.#held.forget();
  }

  /** What messages must not have. */
  get secrets(): readonly string[] {
    return [this.#last];
  }
}

function checked(given: AccessToken | string): Held {
  const { token, expires } = typeof given === "string" ? { token: given, expires: undefined } : given;
  if (typeof token === "string" && /^[\x21-\x7e]+$/.test(token))
    return { token, expires: expires === undefined ? undefined : Number(expires) };
  throw new StoreRequestError({
    what: "there is no token, or it has characters that none has",
    retryable: false,
    cure: "Give its text, or {token, expires}",
  });
}
