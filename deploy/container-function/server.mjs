// The same function in a container, for services that start one for requests (Cloud Run, Knative, Container Apps). Of the
// environment: PORT, TOKEN, CHUNKWISE_STORE, CHUNKWISE_ALLOW_STORES, CHUNKWISE_ALLOW_MODULES, CHUNKWISE_ALLOWED_MEM.

import { createServer } from "node:http";
import { handler } from "chunkwise/functions";

const { PORT = "8080", HOST = "0.0.0.0", TOKEN, CHUNKWISE_STORE, CHUNKWISE_ALLOWED_MEM } = process.env;
const listOf = (name) => (process.env[name] ?? "").split(",").filter((root) => root !== "");
if (TOKEN === undefined) throw new Error("TOKEN is missing: what callers must know, 16 characters or more");

const handle = handler({
  store: CHUNKWISE_STORE,
  stores: listOf("CHUNKWISE_ALLOW_STORES"),
  modules: listOf("CHUNKWISE_ALLOW_MODULES"),
  ...(CHUNKWISE_ALLOWED_MEM === undefined ? {} : { allowedMem: CHUNKWISE_ALLOWED_MEM }),
  token: TOKEN,
});

/** A batch is under 1 KB. */
const MOST_BYTES = 65_536;

async function bodyOf(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Error("too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const server = createServer(async (request, response) => {
  try {
    const { method, url, headers } = request;
    const body = method === "POST" ? await bodyOf(request) : undefined;
    const answer = await handle(new Request(new URL(url, "http://here/"), { method, headers, body }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  } catch {
    response.writeHead(400).end();
  }
});
server.listen(Number(PORT), HOST, () => console.log(`listens at ${server.address().port}`));
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => server.close(() => process.exit(0)));
