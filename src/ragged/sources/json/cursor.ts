// One line of JSON as bytes, read from the left. In: bytes and where the line ends. Out: names, texts and numbers as
// they come, and values skipped without building them. Must hold: nothing is read beyond the line; numbers are the
// nearest doubles; whole numbers of any length can be had exactly; what is no JSON is a Misfit.

/** A line that is no JSON or does not fit its type; the file and the line are added further up. */
export class Misfit extends Error {
  readonly path: string;

  constructor(what: string, path = "") {
    super(what);
    this.path = path;
  }
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_RECORD, CLOSE_RECORD] = [0x5b, 0x5d, 0x7b, 0x7d];
const [MINUS, PLUS, POINT, ZERO, NINE, UPPER_E, LOWER_E] = [0x2d, 0x2b, 0x2e, 0x30, 0x39, 0x45, 0x65];

/** Products of such powers and whole numbers of 15 digits are rounded once, so rightly. */
const POWERS: readonly number[] = Array.from({ length: 23 }, (_, i) => Number(`1e${i}`));
const MOST_DIGITS = 15;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder();

export class Cursor {
  readonly bytes: Uint8Array;
  at = 0;
  end = 0;
  /** Where the bytes of the last text lie, without its quotes, and whether any is escaped. */
  textStart = 0;
  textEnd = 0;
  hasEscapes = false;
  /** Whether the last number was written with a point or an exponent, or is −0, which no integer is. */
  hasPoint = false;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  line(start: number, end: number): void {
    this.at = start;
    this.end = end;
  }

  /** The first byte of the next value or sign; −1 at the end of the line. It is not taken. */
  peek(): number {
    const { bytes } = this;
    while (this.at < this.end) {
      const byte = bytes[this.at]!;
      if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return byte;
      this.at++;
    }
    return -1;
  }

  expect(byte: number): void {
    if (this.peek() !== byte)
      throw this.#unexpected(`where ${JSON.stringify(String.fromCharCode(byte))} belongs`);
    this.at++;
  }

  /** Takes "," and gives true, or takes what closes and gives false. */
  more(close: number): boolean {
    const byte = this.peek();
    if (byte !== COMMA && byte !== close) throw this.#unexpected("in a list or a record");
    this.at++;
    return byte === COMMA;
  }

  finish(): void {
    if (this.peek() !== -1) throw this.#unexpected("after the value");
  }

  /** True, and taken, when the next word is this one. */
  takeWord(word: string): boolean {
    const stop = this.at + word.length;
    if (stop > this.end) return false;
    for (let i = 0; i < word.length; i++) if (this.bytes[this.at + i] !== word.charCodeAt(i)) return false;
    this.at = stop;
    return true;
  }

  takeNull(): boolean {
    return this.peek() === 0x6e && this.takeWord("null");
  }

  /** Goes past a text; `textStart`, `textEnd` and `hasEscapes` say what it was. */
  takeText(): void {
    this.expect(QUOTE);
    const { bytes, end } = this;
    this.textStart = this.at;
    this.hasEscapes = false;
    for (let at = this.at; at < end; at++) {
      const byte = bytes[at]!;
      if (byte === QUOTE) {
        this.textEnd = at;
        this.at = at + 1;
        return;
      }
      if (byte < 0x20) break;
      if (byte !== BACKSLASH) continue;
      this.hasEscapes = true;
      at++;
    }
    throw new Misfit("a text has no end");
  }

  /** The last text. */
  text(): string {
    const { textStart, textEnd, hasEscapes } = this;
    try {
      const raw = decoder.decode(this.bytes.subarray(textStart, textEnd));
      return hasEscapes ? (JSON.parse(`"${raw}"`) as string) : raw;
    } catch {
      throw new Misfit("a text is no JSON, or no UTF-8");
    }
  }

  /** A number, rounded to the nearest double. */
  takeNumber(): number {
    const start = this.at;
    const isNegative = this.bytes[this.at] === MINUS;
    if (isNegative) this.at++;
    const first = this.at;
    let digits = this.#digits(0);
    const wholeDigits = this.at - first;
    let scale = 0;
    if (wholeDigits === 0 || (wholeDigits > 1 && this.bytes[first] === ZERO)) throw this.#noNumber(start);
    let count = wholeDigits;
    if (this.at < this.end && this.bytes[this.at] === POINT) {
      const point = ++this.at;
      digits = this.#digits(digits);
      scale = point - this.at;
      if (scale === 0) throw this.#noNumber(start);
      count -= scale;
    }
    scale += this.#exponent(start);
    this.hasPoint = this.at - first > wholeDigits || (isNegative && digits === 0);
    if (count > MOST_DIGITS || scale > 22 || scale < -22) return Number(this.#ascii(start));
    const value = scale < 0 ? digits / POWERS[-scale]! : digits * POWERS[scale]!;
    return isNegative ? -value : value;
  }

  #digits(value: number): number {
    let sum = value;
    for (; this.at < this.end; this.at++) {
      const byte = this.bytes[this.at]!;
      if (byte < ZERO || byte > NINE) break;
      sum = 10 * sum + (byte - ZERO);
    }
    return sum;
  }

  #exponent(start: number): number {
    const byte = this.at < this.end ? this.bytes[this.at] : 0;
    if (byte !== UPPER_E && byte !== LOWER_E) return 0;
    const sign = this.bytes[++this.at];
    if (sign === MINUS || sign === PLUS) this.at++;
    const first = this.at;
    const value = this.#digits(0);
    if (this.at === first) throw this.#noNumber(start);
    return sign === MINUS ? -value : value;
  }

  /** The text from `start` to here. */
  #ascii(start: number): string {
    const length = this.at - start;
    if (length > 64) return lenient.decode(this.bytes.subarray(start, this.at));
    // Half the time of a decoder, for texts as short as numbers.
    const codes = new Array<number>(length);
    for (let i = 0; i < length; i++) codes[i] = this.bytes[start + i]!;
    return String.fromCharCode.apply(null, codes);
  }

  /** The number that was taken from `start` on, if it is written as a whole one. */
  wholeFrom(start: number): bigint | null {
    const text = this.#ascii(start);
    return /^-?\d+$/.test(text) ? BigInt(text) : null;
  }

  /** Goes past a value without looking into it. */
  skip(): void {
    let depth = 0;
    do {
      const byte = this.peek();
      if (byte === QUOTE) this.takeText();
      else if (byte === OPEN_LIST || byte === OPEN_RECORD) {
        depth++;
        this.at++;
      } else if (byte === CLOSE_LIST || byte === CLOSE_RECORD) {
        depth--;
        this.at++;
      } else if (depth > 0 && (byte === COMMA || byte === COLON)) this.at++;
      else this.#skipWord();
    } while (depth > 0);
    if (depth < 0) throw this.#unexpected("where a value belongs");
  }

  #skipWord(): void {
    const start = this.at;
    while (this.at < this.end && IS_WORD[this.bytes[this.at]!] === 1) this.at++;
    if (this.at === start) throw this.#unexpected("where a value belongs");
  }

  /** What the next value is, for messages. */
  describeNext(): string {
    const start = this.at;
    try {
      this.skip();
      const text = lenient.decode(this.bytes.subarray(start, Math.min(this.at, start + 40)));
      return this.at > start + 40 ? `${text}…` : text;
    } catch {
      return "something that is no JSON";
    } finally {
      this.at = start;
    }
  }

  #unexpected(where: string): Misfit {
    const byte = this.peek();
    const found = byte === -1 ? "the line ends" : `${JSON.stringify(String.fromCharCode(byte))} stands`;
    return new Misfit(`${found} ${where}`);
  }

  #noNumber(start: number): Misfit {
    this.at = start;
    return new Misfit(`${this.describeNext()} is no value of JSON`);
  }
}

/** Letters, digits and signs of numbers and of true, false and null. */
const IS_WORD: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[-+.0-9A-Za-z]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

export const SIGNS: { readonly [name in SignName]: number } = {
  QUOTE,
  COLON,
  OPEN_LIST,
  CLOSE_LIST,
  OPEN_RECORD,
  CLOSE_RECORD,
};
type SignName = "QUOTE" | "COLON" | "OPEN_LIST" | "CLOSE_LIST" | "OPEN_RECORD" | "CLOSE_RECORD";
