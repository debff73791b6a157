// The head of an HTTP/1.1 answer. In: its bytes. Out: status, headers, and how the body ends. Must hold: what is not plainly
// right is refused, since where an answer ends must not be in doubt: the connection is used again.

/** Of one answer, with all its headers. */
export const MOST_HEAD_BYTES: number = 1 << 16;

/** Byte for byte: what is called latin1 elsewhere has other characters in the places of 32 of them, which headers cannot have. */
export function latin1(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

/** How a body ends: after so many bytes, with a last chunk, or with the connection. */
export type BodyEnd = { readonly bytes: number } | "chunked" | "close";

export interface AnswerHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly end: BodyEnd;
  /** The connection can be asked for more afterwards. */
  readonly keepsOpen: boolean;
}

const STATUS = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: ([^\r\n]*))?$/;
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/;

/** `text`: up to the empty line, without it. `isHead`: the request was HEAD. */
export function answerHead(text: string, isHead: boolean): AnswerHead {
  const [first = "", ...lines] = text.split("\r\n");
  const [, minor, code, statusText = ""] = STATUS.exec(first) ?? wrong("begins with no status line");
  const headers = new Headers();
  for (const line of lines) {
    const [, name, value] = FIELD.exec(line) ?? wrong("has a line that is no header");
    headers.append(name!, value!);
  }
  const status = Number(code);
  const hasNone = isHead || status === 204 || status === 304 || status < 200;
  const end = hasNone ? { bytes: 0 } : bodyEnd(headers);
  const said = (headers.get("Connection") ?? "").toLowerCase();
  const keepsOpen =
    end !== "close" && !said.includes("close") && (minor === "1" || said.includes("keep-alive"));
  return { status, statusText, headers, end, keepsOpen };
}

function bodyEnd(headers: Headers): BodyEnd {
  const coding = headers.get("Transfer-Encoding");
  const length = headers.get("Content-Length");
  if (coding !== null) {
    if (coding.toLowerCase() !== "chunked" || length !== null) wrong(`has a body "${coding.slice(0, 40)}"`);
    return "chunked";
  }
  if (length === null) return "close";
  // The same twice is one; different ones are an attempt at something.
  const [said, ...others] = length.split(/, ?/);
  if (!/^\d{1,15}$/.test(said!) || others.some((other) => other !== said)) wrong("has no plain length");
  return { bytes: Number(said) };
}

function wrong(what: string): never {
  throw new Error(`an answer that ${what}`);
}
