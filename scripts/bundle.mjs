// The package's code in dist: one file for each door, and what several doors need in files beside them. Why not a file
// per module: hundreds of them take several times as long to load, and more memory. All files lie in one folder, so that
// code finds the threads' files beside itself, wherever it ends up. Argument: the folder, dist unless given.

import { copyFileSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";

const ROOT = resolve(import.meta.dirname, "..");
const DIST = resolve(process.argv[2] ?? join(ROOT, "dist"));
const door = (name) => join(ROOT, "src", "doors", `${name}.ts`);
const PUBLIC = ["rewrite", "ragged", "observe", "native", "zarr", "functions", "bullmq"];

async function bundle(input, output) {
  const made = await rolldown({
    input,
    platform: "neutral",
    // Node's own modules, codecs that are loaded when a chunk needs them, and the signer of requests to S3.
    external: [/^node:/, /^numcodecs/, /^aws4fetch$/],
    resolve: { mainFields: ["module", "main"], conditionNames: ["import", "default"] },
    // Modules enter things into tables.
    treeshake: { moduleSideEffects: true },
  });
  // Errors are known by the names of their classes.
  await made.write({ format: "esm", keepNames: true, sourcemap: true, ...output });
  await made.close();
}

for (const file of readdirSync(DIST, { withFileTypes: true }))
  if (file.isFile() && /\.js(\.map)?$/.test(file.name)) rmSync(join(DIST, file.name));
const doors = Object.fromEntries([...PUBLIC, "thread"].map((name) => [name, door(name)]));
await bundle(
  { index: join(ROOT, "src", "index.ts"), cli: join(ROOT, "src", "cli", "cli.ts"), ...doors },
  {
    ...{ dir: DIST, entryFileNames: "[name].js", chunkFileNames: "shared-[name].js" },
    banner: ({ name, isEntry }) => (isEntry && name === "cli" ? "#!/usr/bin/env node" : ""),
  },
);
await bundle(door("planThread"), { file: join(DIST, "planThread.js"), codeSplitting: false });
copyFileSync(join(ROOT, "src", "kernel", "wasm", "worker.js"), join(DIST, "worker.js"));
