// The command line of the battery. In: arguments. Out: options, or a message that says what there is.

import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";

const USAGE = `npm run test:real -- [--part ci|whole] [--seed n,n,…] [--only program or run] [--times n] [--jobs n] [--patience s] [--bail] [--programs file]
  --part      ci: a third of the programs in up to six minutes; whole (unless given): all of them, more than 2,000 runs
  --seed      decides which runs there are and what random programs do; 1 unless given; several together cost less than one by one
  --only      (may be repeated) one program's runs (roll-plus-self), or one run (roll-plus-self@zstd,store,threads8,none,growth)
  --times     each run so many times
  --patience  seconds after which a run counts as hung: 60 unless given
  --jobs      so many runs at once; as many as the machine has processors unless given
  --bail      no further program after a wrong run
  --programs  a module with other PROGRAMS`;

export function optionsOf(args) {
  const text = { type: "string" };
  const { values } = parseArgs({
    args,
    options: {
      part: text,
      seed: text,
      only: { ...text, multiple: true },
      times: text,
      jobs: text,
      patience: text,
      programs: text,
      bail: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) return { usage: USAGE };
  const part = values.part ?? "whole";
  if (!["ci", "whole"].includes(part)) throw new Error(`there is no part ${part}\n${USAGE}`);
  return {
    ...{
      part,
      seeds: (values.seed ?? "1").split(","),
      only: values.only ?? [],
      programs: values.programs ?? null,
    },
    ...{ times: Number(values.times ?? 1), jobs: Number(values.jobs ?? availableParallelism()) },
    bail: values.bail ?? false,
    patience: Number(values.patience ?? 60),
  };
}
