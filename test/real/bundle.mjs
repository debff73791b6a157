// What is tried and what it is compared with, as files. In: a folder. Out: the package as npm would publish it, unpacked
// there with its dependencies beside it; and the reference (reference.ts with the sources it needs) as one module.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const ROOT = resolve(import.meta.dirname, "..", "..");

/** The address of the package's main door, from the tarball. */
export function unpackPackage(folder) {
  const packed = execFileSync("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], {
    ...{ cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
    shell: process.platform === "win32",
  });
  const modules = join(folder, "node_modules");
  mkdirSync(modules, { recursive: true });
  execFileSync("tar", ["-xzf", join(folder, JSON.parse(packed)[0].filename), "-C", modules]);
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name), "junction");
  }
  return pathToFileURL(join(modules, "package", "dist", "index.js")).href;
}

/** The address of the reference's module. */
export async function bundleReference(folder) {
  const made = await rolldown({
    input: join(import.meta.dirname, "reference.ts"),
    platform: "neutral",
    external: [/^node:/, /^numcodecs/],
    resolve: { mainFields: ["module", "main"], conditionNames: ["import", "default"] },
    treeshake: { moduleSideEffects: true },
  });
  const file = join(folder, "reference", "reference.js");
  await made.write({ format: "esm", keepNames: true, file, codeSplitting: false });
  await made.close();
  return pathToFileURL(file).href;
}
