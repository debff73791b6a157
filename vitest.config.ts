import { defineConfig, type ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  resolve: { alias: { chunkwise: new URL("./src/index.ts", import.meta.url).pathname } },
  test: { include: ["test/**/*.test.ts"], testTimeout: 60_000 },
});

export default config;
