// The command line, `npx chunkwise …`. In: words. Out: what a command does; 0, or 2 for words that cannot be understood, or 1 for
// what failed.

import { ChunkwiseError } from "../core/errors.ts";
import { closest } from "../core/suggest.ts";
import { helpText, UsageError } from "./commandOptions.ts";
import { runWorker } from "./workerCommand.ts";
import { WORKER_OPTIONS, WORKER_USAGE, workerSettings } from "./workerOptions.ts";

const USAGE = `chunkwise <command>

  worker   does tasks of runs elsewhere, which a queue in Redis brings: chunkwise worker --help
`;

async function command(words: readonly string[]): Promise<void> {
  const [name, ...rest] = words;
  if (name === undefined || name === "--help" || name === "help") return void process.stdout.write(USAGE);
  if (name !== "worker")
    throw new UsageError({ what: "there is no such command", cure: closest(name, ["worker"]) });
  const settings = workerSettings(rest, process.env);
  if (settings === "help") return void process.stdout.write(helpText(WORKER_USAGE, WORKER_OPTIONS));
  return runWorker(settings);
}

try {
  await command(process.argv.slice(2));
  process.exit(0);
} catch (error) {
  const text = error instanceof ChunkwiseError ? error.message : String((error as Error)?.stack ?? error);
  process.stderr.write(`chunkwise: ${text}\n`);
  process.exit(error instanceof UsageError ? 2 : 1);
}
