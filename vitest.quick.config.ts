// The quick lane, `npm run test:quick`: all tests but those of files that take long, in less than a minute on two cores. What it
// leaves out are random programs, oracles, kills, faults and sizes: `npm test` has them.

import { defineConfig, mergeConfig, type ViteUserConfig } from "vitest/config";
import usual from "./vitest.config.ts";

/** Folders and files below test/ that take more than about two seconds. */
const SLOW: readonly string[] = [
  ...["property/*", "oracle/*", "memory/*", "real/*", "**/*propert*", "**/*hostile*", "**/fuzz"],
  ...["rewrite/rules-*", "rewrite/differential", "rewrite/engine-driver"],
  ...["kernel/{families,matmul,reduce,reductions,scan,segments,sort,wasm}", "math/kernels"],
  ...["runtime/{damaged,graph,interrupt,kill,lost,ownership,plans,pools,remote*,scale,simulation,spec}"],
  ...["storage/{farShards,fixtures,hostileStores,interop,listing,overwrite,roundtrip,sharedMemory}"],
  ...["storage/{otherClouds,s3Arrays,s3Faults,s3Store}"],
  ...["plan/{cost,cure,kinds,memory,options}", "blocks/{groupby,mapOverlap,plans}", "deferred/cancel"],
  ...["ragged/partial", "ragged-lazy/{bad-input,partitions,pools}", "parquet/duckdb", "bad-input/deep"],
  ...["observe/{plots,progress}", "{examples,exports,hoverText,newFunction,routines,template}"],
];

const exclude = SLOW.map((name) => `test/${name}.test.ts`);
const projects = usual.test!.projects as ViteUserConfig[];
const config: ViteUserConfig = mergeConfig(
  defineConfig({ ...usual, test: { ...usual.test, projects: [] } }),
  defineConfig({
    test: {
      projects: projects.map(({ test, ...project }) => ({
        ...project,
        test: { ...test, exclude: [...(test!.exclude ?? []), ...exclude] },
      })),
    },
  }),
);

export default config;
