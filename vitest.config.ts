import { defineConfig, type ViteUserConfig } from "vitest/config";

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
    include: ["test/**/*.test.ts"],
    // Threads load the built package: it is built once, before any test runs.
    globalSetup: ["test/built.ts"],
    setupFiles: ["test/setup.ts"],
    testTimeout: 60_000,
    // Who reads what was freed is found out, in every test and on every thread (docs/adr/0014).
    env: { CHUNKWISE_CHECKED: "1" },
    maxWorkers: 2,
  },
});

export default config;
