// The command line, `npx chunkwise …`. In: words. Out: what a command does; 0, or 2 for words that cannot be understood, or 1 for
// what failed. A command's name, help and completions follow from its entry in the list.

import { ChunkwiseError } from "../core/errors.ts";
import { closest } from "../core/suggest.ts";
import type { Command } from "./command.ts";
import { helpText, UsageError } from "./commandOptions.ts";
import { completionsCommand } from "./completions.ts";
import { computeCommand } from "./computeCommand.ts";
import { copyCommand, rechunkCommand } from "./copy.ts";
import { doctorCommand } from "./doctor.ts";
import { headCommand } from "./head.ts";
import { infoCommand } from "./info.ts";
import { planCommand } from "./planCommand.ts";
import { plotCommand } from "./plot.ts";
import { verifyCommand } from "./verifyCommand.ts";
import { runWorker } from "./workerCommand.ts";
import { WORKER_OPTIONS, WORKER_USAGE, workerSettings } from "./workerOptions.ts";

const WORKER: Command = {
  name: "worker",
  summary: "does tasks of runs elsewhere, which a queue in Redis brings",
  options: WORKER_OPTIONS,
  async run(words) {
    const settings = workerSettings(words, process.env);
    if (settings === "help") return void process.stdout.write(helpText(WORKER_USAGE, WORKER_OPTIONS));
    return runWorker(settings);
  },
};

const COMMANDS: readonly Command[] = [
  ...[infoCommand, headCommand, plotCommand, copyCommand, rechunkCommand, computeCommand, verifyCommand],
  ...[planCommand, doctorCommand, WORKER, completionsCommand(() => COMMANDS)],
];

const usage = (): string => {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length)) + 2;
  const lines = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`);
  return `chunkwise <command> …\n\n${lines.join("\n")}\n\nchunkwise <command> --help says more.\n`;
};

async function run(words: readonly string[]): Promise<void> {
  const [name, ...rest] = words;
  if (name === undefined || ["--help", "-h", "help"].includes(name))
    return void process.stdout.write(usage());
  const found = COMMANDS.find((each) => each.name === name);
  if (found !== undefined) return found.run(rest);
  const cure = closest(name, COMMANDS.map((each) => each.name)); // biome-ignore format: short
  throw new UsageError({ what: `there is no command ${JSON.stringify(name)}`, cure });
}

/** Who reads the output may have read enough. */
process.stdout.on("error", (error: { readonly code?: string }) =>
  process.exit(error.code === "EPIPE" ? 0 : 1),
);

try {
  await run(process.argv.slice(2));
  // What was printed has to be out before the process ends.
  process.stdout.write("", () => process.exit(0));
} catch (error) {
  const text = error instanceof ChunkwiseError ? error.message : String((error as Error)?.stack ?? error);
  process.stderr.write(`chunkwise: ${text}\n`, () => process.exit(error instanceof UsageError ? 2 : 1));
}
