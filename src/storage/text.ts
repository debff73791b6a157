// Text ⇄ UTF-8 bytes.

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

export const utf8 = (text: string): Uint8Array => encoder.encode(text);
/** Throws a TypeError for bytes that are not UTF-8. */
export const fromUtf8 = (bytes: Uint8Array): string => decoder.decode(bytes);
