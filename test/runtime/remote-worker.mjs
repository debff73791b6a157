// A worker in a process of its own, from the built package: batches come by message, or by https where a port is asked for.
// Argument: JSON of the handler's options, and {tls: {key, cert}} for https.

import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import process from "node:process";

const { door, tls, ...options } = JSON.parse(process.argv[2]);
const { handler } = await import(door);
const handle = handler(options);

const ask = (body, headers = {}) =>
  handle(
    new Request("https://worker.invalid/", {
      method: "POST",
      headers: { authorization: `Bearer ${options.token}`, ...headers },
      body,
    }),
  );

if (tls === undefined) {
  process.on("message", async ({ id, batch }) => {
    const answer = await ask(JSON.stringify(batch));
    process.send({ id, status: answer.status, body: await answer.json() });
  });
  process.send({ ready: true });
} else {
  const server = createServer({ key: readFileSync(tls.key), cert: readFileSync(tls.cert) });
  server.on("request", async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const isWithBody = request.method === "POST";
    const answer = await handle(
      new Request(`https://worker.invalid${request.url}`, {
        method: request.method,
        headers: { authorization: request.headers.authorization ?? "" },
        ...(isWithBody ? { body: Buffer.concat(chunks) } : {}),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(await answer.text());
  });
  server.listen(0, "127.0.0.1", () => process.send({ ready: true, port: server.address().port }));
}
process.on("disconnect", () => process.exit(0));
