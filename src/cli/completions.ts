// `chunkwise completions`: what shells complete. In: a shell's name, and the commands. Out: a script of that shell, made from the
// commands' own tables.

import { type Command, command, print } from "./command.ts";
import { UsageError } from "./commandOptions.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

export const completionsCommand = (commands: () => readonly Command[]): Command =>
  command({
    name: "completions",
    summary: "a script that completes commands and options in a shell",
    places: [SHELLS.join("|")],
    about: 'For the shell\'s own start file: eval "$(chunkwise completions bash)"',
    options: [],
    async run(given) {
      const shell = given.place(0, "the shell");
      if (shell === "fish") return print(fish(commands()));
      if (shell === "bash") return print(bash(commands()));
      if (shell === "zsh") return print(`autoload -U bashcompinit && bashcompinit\n${bash(commands())}`);
      throw new UsageError({
        what: `there is no script for ${shell}`,
        cure: `There are ${SHELLS.join(", ")}`,
      });
    },
  });

const optionsOf = ({ options }: Command): string => options.map(({ name }) => `--${name}`).join(" ");

function bash(commands: readonly Command[]): string {
  const cases = commands.map((each) => `    ${each.name}) words="${optionsOf(each)}" ;;`).join("\n");
  return `_chunkwise() {
  local words="" word="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -eq 1 ]; then words="${commands.map(({ name }) => name).join(" ")}"
  elif [[ "$word" == -* ]]; then case "\${COMP_WORDS[1]}" in
${cases}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _chunkwise chunkwise`;
}

function fish(commands: readonly Command[]): string {
  const quoted = (text: string): string => `'${text.replace(/['\\]/g, "\\$&")}'`;
  const lines = commands.flatMap(({ name, summary, options }) => [
    `complete -c chunkwise -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...options.map(
      (option) =>
        `complete -c chunkwise -n ${quoted(`__fish_seen_subcommand_from ${name}`)} -l ${option.name} -d ${quoted(option.text)}`,
    ),
  ]);
  return lines.join("\n");
}
