// Serves a folder's files on 127.0.0.1, whole or a range of them, as a static web server does. Out: its address and how
// to end it.

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { join, normalize } from "node:path";

/** The range asked for: bytes=a-b, bytes=a- or bytes=-n. */
function rangeOf(header, size) {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(header) ?? [];
  if (from === undefined) return null;
  if (from === "") return { start: Math.max(0, size - Number(to)), end: size - 1 };
  return { start: Number(from), end: to === "" ? size - 1 : Math.min(Number(to), size - 1) };
}

export async function serve(folder) {
  const server = createServer(async (request, response) => {
    const path = join(folder, normalize(decodeURIComponent(new URL(request.url, "http://x").pathname)));
    const found = await stat(path).catch(() => null);
    if (found === null || !found.isFile()) return response.writeHead(404).end();
    const { size } = found;
    const headers = { "accept-ranges": "bytes", etag: `"${size}-${found.mtimeMs}"` };
    const range = request.headers.range === undefined ? null : rangeOf(request.headers.range, size);
    const { start, end } = range ?? { start: 0, end: size - 1 };
    if (start > end && size > 0) return response.writeHead(416, { "content-range": `bytes */${size}` }).end();
    if (range !== null) headers["content-range"] = `bytes ${start}-${end}/${size}`;
    response.writeHead(range === null ? 200 : 206, {
      ...headers,
      "content-length": size === 0 ? 0 : end - start + 1,
    });
    if (request.method === "HEAD" || size === 0) return response.end();
    createReadStream(path, { start, end }).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { address: `http://127.0.0.1:${server.address().port}`, close };
}
