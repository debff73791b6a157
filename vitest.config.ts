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
  test: { include: ["test/**/*.test.ts"], testTimeout: 60_000 },
});

export default config;
