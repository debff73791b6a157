// PNG (RFC 2083) of eight bits a colour. In: red, green and blue of every pixel, row by row. Out: a file's bytes.

import { deflateSync } from "node:zlib";
import { crc32 } from "../storage/codecs/wasm.ts";

const SIGNATURE = [137, 80, 78, 71, 13, 10, 26, 10];

export function pngOf(pixels: Uint8Array, width: number, height: number): Uint8Array {
  const head = new Uint8Array(13);
  const view = new DataView(head.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  // Eight bits, red, green and blue; the rest is what there is.
  head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    ...[Uint8Array.from(SIGNATURE), chunk("IHDR", head)],
    ...[chunk("IDAT", deflateSync(rowsOf(pixels, width, height))), chunk("IEND", new Uint8Array(0))],
  ]);
}

/** Before each row, how it was filtered: not at all. */
function rowsOf(pixels: Uint8Array, width: number, height: number): Uint8Array {
  const rows = new Uint8Array(height * (3 * width + 1));
  for (let y = 0; y < height; y++)
    rows.set(pixels.subarray(3 * width * y, 3 * width * (y + 1)), y * (3 * width + 1) + 1);
  return rows;
}

/** Length, name, content, and the checksum of name and content. */
function chunk(name: string, content: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(content.length + 12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, content.length);
  bytes.set(new TextEncoder().encode(name), 4);
  bytes.set(content, 8);
  view.setUint32(8 + content.length, crc32(bytes.subarray(4, 8 + content.length)));
  return bytes;
}
