// What the compiler leaves to do in dist: the helper threads' code is copied as it is, and what task threads load
// becomes one file. Argument: the folder, dist unless given.

import { copyFileSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";

const ROOT = resolve(import.meta.dirname, "..");
const DIST = resolve(process.argv[2] ?? join(ROOT, "dist"));

async function bundleInPlace(file) {
  const bundle = await rolldown({
    input: file,
    platform: "neutral",
    // Node's own modules, and codecs that are loaded when a chunk needs them.
    external: [/^node:/, /^numcodecs/],
    treeshake: { moduleSideEffects: true },
  });
  const whole = `${file}.whole`;
  // Errors are known by the names of their classes.
  await bundle.write({ file: whole, format: "esm", codeSplitting: false, keepNames: true });
  await bundle.close();
  renameSync(whole, file);
  // The compiler's map is of another file.
  rmSync(`${file}.map`, { force: true });
}

const worker = join("kernel", "wasm", "worker.js");
copyFileSync(join(ROOT, "src", worker), join(DIST, worker));
await bundleInPlace(join(DIST, "doors", "planThread.js"));
