// Enough of S3 for an example that needs no network: objects in memory, on loopback. It believes every signature, and a listing
// has one page.

import { createServer } from "node:http";

export async function startTinyS3() {
  const objects = new Map();
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, "http://localhost");
    const [, , ...names] = decodeURIComponent(pathname).split("/");
    const name = names.join("/");
    const parts = [];
    for await (const part of request) parts.push(part);
    if (request.method === "PUT") {
      if (request.headers["if-none-match"] === "*" && objects.has(name)) return response.writeHead(412).end();
      objects.set(name, {
        bytes: Buffer.concat(parts),
        note: request.headers["x-amz-meta-chunkwise-put"] ?? "",
      });
      return response.writeHead(200).end();
    }
    if (request.method === "DELETE") return response.writeHead(objects.delete(name) ? 204 : 404).end();
    if (searchParams.has("list-type")) return response.end(listing(objects, searchParams.get("prefix")));
    const found = objects.get(name);
    if (found === undefined) return response.writeHead(404).end();
    const { bytes, note } = found;
    const [, first, last] = /bytes=(\d*)-(\d*)/.exec(request.headers.range ?? "") ?? [];
    const start = first === "" ? bytes.length - Number(last) : Number(first ?? 0);
    const end = first ? Number(last) + 1 : bytes.length;
    response.writeHead(first === undefined ? 200 : 206, {
      "Content-Length": end - start,
      ...(first === undefined ? {} : { "Content-Range": `bytes ${start}-${end - 1}/${bytes.length}` }),
      "x-amz-meta-chunkwise-put": note,
    });
    response.end(request.method === "HEAD" ? undefined : bytes.subarray(start, end));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, stop };
}

function listing(objects, prefix) {
  const contents = [...objects]
    .filter(([name]) => name.startsWith(prefix))
    .map(
      ([name, { bytes }]) =>
        `<Contents><Key>${name}</Key><Size>${bytes.length}</Size><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>`,
    );
  return `<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join("")}</ListBucketResult>`;
}
