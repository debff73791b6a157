import { defineConfig, type ViteUserConfig } from "vitest/config";

/**
 * Files of these folders share the modules of their process: loading them takes most of a second, and what they test keeps
 * nothing that another file could see. The others end processes and threads, count memory, or look at what is left behind.
 */
const SHARED = [
  ...["bad-input", "blocks", "deferred", "expr", "gradients", "math", "observe", "oracle", "parquet", "plan"],
  ...["property", "ragged", "ragged-lazy", "rewrite", "storage"],
].map((folder) => `test/${folder}/**/*.test.ts`);

/** These count work (test/work.ts), which has to begin before what is counted is loaded: a process of its own for each. */
const COUNTED = [
  "observe/{history,plots,progress}",
  "plan/cost",
  "ragged-lazy/partitions",
  "compiled/changes",
].map((name) => `test/${name}.test.ts`);

const config: ViteUserConfig = defineConfig({
  resolve: {
    alias: [
      { find: /^chunkwise$/, replacement: new URL("./src/index.ts", import.meta.url).pathname },
      {
        find: /^chunkwise\/(\w+)$/,
        replacement: new URL("./src/", import.meta.url).pathname.concat("doors/$1.ts"),
      },
    ],
  },
  // Two at a time even on two cores, where vitest would leave one to itself.
  test: {
    // Threads load the built package: it is built once, before any test runs.
    globalSetup: ["test/built.ts"],
    setupFiles: ["test/setup.ts"],
    testTimeout: 60_000,
    // Who reads what was freed is found out, in every test and on every thread (docs/adr/0014).
    env: { CHUNKWISE_CHECKED: "1" },
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: "shared", include: SHARED, exclude: COUNTED, isolate: false } },
      { extends: true, test: { name: "counted", include: COUNTED } },
      {
        extends: true,
        test: { name: "alone", include: ["test/**/*.test.ts"], exclude: [...SHARED, ...COUNTED] },
      },
    ],
  },
});

export default config;
