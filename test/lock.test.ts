// The lock file installs everywhere: every package that has a build for each platform has all of them in the lock, with
// the version that is asked for, and no entry says from which registry it came.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly optionalDependencies?: { readonly [name: string]: string };
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

const ROOT = join(import.meta.dirname, "..");
const LOCKS = ["", "bench/kernels", "bench/ragged", "bench/runtime"];

function packagesOf(folder: string): ReadonlyMap<string, LockedPackage> {
  const lock = JSON.parse(readFileSync(join(ROOT, folder, "package-lock.json"), "utf8")) as {
    packages: { [place: string]: LockedPackage };
  };
  return new Map(Object.entries(lock.packages));
}

/** Where a package that is asked for at `place` is found: nearest first, as Node looks for it. */
function lookUp(packages: ReadonlyMap<string, LockedPackage>, place: string, name: string) {
  for (let at = place; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/node_modules/")))) {
    const found = packages.get(at === "" ? `node_modules/${name}` : `${at}/node_modules/${name}`);
    if (found !== undefined || at === "") return found;
  }
}

/** Exact versions only: ranges are npm's business. */
const isExact = (wanted: string): boolean => /^\d+\.\d+\.\d+\S*$/.test(wanted);

function faultsOf(packages: ReadonlyMap<string, LockedPackage>): string[] {
  return [...packages].flatMap(([place, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies).flatMap(([name, wanted]) => {
      const found = lookUp(packages, place, name);
      if (found === undefined) return [`${place} wants ${name} ${wanted}: missing`];
      const isOther = isExact(wanted) && found.version !== wanted;
      return isOther ? [`${place} wants ${name} ${wanted}: ${found.version} is there`] : [];
    }),
  );
}

describe.each(LOCKS)("lock file of the folder '%s'", (folder) => {
  const packages = packagesOf(folder);

  test("has every platform's package", () => expect(faultsOf(packages)).toEqual([]));

  test("names no registry", () =>
    expect([...packages].filter(([, { resolved }]) => resolved !== undefined)).toEqual([]));
});

describe("the lock of the project", () => {
  const packages = packagesOf("");

  /** Tools that are native code: without theirs, building, checking or testing fails on that platform. */
  const TOOLS = ["@rolldown/binding-", "@biomejs/cli-", "@typescript/typescript-"];
  const PLATFORMS = ["linux x64", "linux arm64", "darwin x64", "darwin arm64", "win32 x64", "win32 arm64"];

  test.each(TOOLS)("%s* runs on every platform", (prefix) => {
    const built = [...packages].filter(([place]) => place.startsWith(`node_modules/${prefix}`));
    const platforms = built.flatMap(([, { os = [], cpu = [] }]) => os.map((name) => `${name} ${cpu[0]}`));
    expect(PLATFORMS.filter((platform) => !platforms.includes(platform))).toEqual([]);
  });

  test("a package that is left out is noticed", () => {
    const short = new Map(packages);
    short.delete("node_modules/@biomejs/cli-darwin-arm64");
    expect(faultsOf(short)).toEqual([expect.stringContaining("@biomejs/cli-darwin-arm64")]);
  });
});
