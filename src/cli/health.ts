// Whether a worker is well, over HTTP: /healthz for those who restart it, /metrics for Prometheus. In: what to say. Out: a
// server. Must hold: it tells numbers and names, never addresses or secrets; it takes nothing.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { UsageError } from "./commandOptions.ts";

/** Who asks whether a worker is well takes nothing from its work. */
const MOST_CONNECTIONS = 64;

export interface Health {
  /** What is wrong; null when it is well. */
  trouble(): string | null;
  /** In Prometheus' text. */
  metrics(): string;
}

export async function serveHealth(health: Health, host: string, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    const path = request.url?.split("?")[0];
    if (request.method !== "GET" && request.method !== "HEAD") return void response.writeHead(405).end();
    if (path === "/metrics") {
      response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
      return void response.end(health.metrics());
    }
    if (path !== "/healthz") return void response.writeHead(404).end();
    const trouble = health.trouble();
    response.writeHead(trouble === null ? 200 : 503, { "content-type": "text/plain; charset=utf-8" });
    response.end(`${trouble ?? "well"}\n`);
  });
  server.requestTimeout = 5_000;
  server.maxConnections = MOST_CONNECTIONS;
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    const { code } = error as { code?: string };
    const what = `nothing can be served at ${host}:${port} (${code})`;
    throw new UsageError({
      what,
      cure: "Choose another --health-port, or --health-port 0 for any that is free",
    });
  }
  // A connection that cannot be taken, for want of files, is no reason to end.
  server.on("error", () => {});
  // It keeps no process alive that has nothing else to do.
  server.unref();
  return server;
}

/** One number, or several that a label tells apart. */
export interface Metric {
  readonly name: string;
  readonly kind: "counter" | "gauge";
  readonly help: string;
  readonly values: readonly (readonly [labels: { readonly [name: string]: string }, value: number])[];
}

const escaped = (text: string): string => text.replace(/["\\\n]/g, (c) => (c === "\n" ? "\\n" : `\\${c}`));

export function metricsText(metrics: readonly Metric[]): string {
  const lines = metrics.flatMap(({ name, kind, help, values }) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${kind}`,
    ...values.map(([labels, value]) => {
      const texts = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
      return `${name}${texts.length === 0 ? "" : `{${texts.join(",")}}`} ${value}`;
    }),
  ]);
  return `${lines.join("\n")}\n`;
}
