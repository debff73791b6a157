// Profiles of ~/.aws/credentials and ~/.aws/config (or where AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE say). In: a
// profile's name. Out: its settings; none where there is no such file, or no files at all. Only Node has them.

import { ValueError } from "../../core/errors.ts";
import { builtin } from "../builtin.ts";
import { messageOf } from "../errors.ts";
import { environment } from "./environment.ts";

export const profileName = (given: string | undefined): string =>
  given ?? environment("AWS_PROFILE") ?? "default";

/** A profile that was named and is nowhere is an error; the default one may be missing. */
export async function awsProfile(given: string | undefined): Promise<ReadonlyMap<string, string>> {
  const name = profileName(given);
  const config = await settingsIn("AWS_CONFIG_FILE", "config", [`profile ${name}`, ...plainDefault(name)]);
  const keys = await settingsIn("AWS_SHARED_CREDENTIALS_FILE", "credentials", [name]);
  if (config === null && keys === null && name !== "default")
    throw new ValueError({
      what: `there is no profile ${JSON.stringify(name)} in ~/.aws/credentials or ~/.aws/config`,
      cure: "Check its name, and AWS_PROFILE",
    });
  return new Map([...(config ?? []), ...(keys ?? [])]);
}

const plainDefault = (name: string): string[] => (name === "default" ? ["default"] : []);

async function settingsIn(
  variable: string,
  file: string,
  sections: readonly string[],
): Promise<ReadonlyMap<string, string> | null> {
  const [fs, os, paths] = [await builtin("node:fs"), await builtin("node:os"), await builtin("node:path")];
  if (fs === undefined || os === undefined || paths === undefined) return null;
  const path = environment(variable) ?? paths.join(os.homedir(), ".aws", file);
  try {
    if (fs.statSync(path, { throwIfNoEntry: false }) === undefined) return null;
    return sectionOf(fs.readFileSync(path, "utf8"), sections);
  } catch (cause) {
    throw new ValueError({
      what: `${path} cannot be read: ${messageOf(cause)}`,
      cure: `Mend it, or name another with ${variable}`,
    });
  }
}

/** Lines "name = value" of the first such section. Indented lines belong to the setting before them, and are left out. */
export function sectionOf(text: string, names: readonly string[]): ReadonlyMap<string, string> | null {
  let found: Map<string, string> | null = null;
  let isIn = false;
  for (const line of text.split(/\r?\n/)) {
    const section = /^\[\s*([^\]]+?)\s*\]/.exec(line)?.[1]?.replace(/\s+/g, " ");
    if (section !== undefined) {
      isIn = names.includes(section);
      if (isIn) found ??= new Map();
    }
    const [, name, value] = /^([^\s#;[=][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (isIn && name !== undefined) found!.set(name.toLowerCase(), value!);
  }
  return found;
}
