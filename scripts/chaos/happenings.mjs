// What may happen while a program runs. In: a cluster, the program, numbers of the seed. Out: by name, how it happens; each ends
// when what was disturbed is well again, and says how many tasks it may have made to be done once more, where these are not those
// that were under way.

import { setTimeout as sleep } from "node:timers/promises";
import { delayed, duplicated } from "./deliveries.mjs";

const skews = [0, 0, 20 * 60_000, -20 * 60_000, 3 * 3_600_000];

export const skewOf = (pick) => () => pick(skews);

const withRedis = async (queues, action) => {
  const redis = queues.client();
  try {
    return await action(redis);
  } finally {
    redis.disconnect();
  }
};

const killed = async (places) => {
  for (const { child } of places) child.kill("SIGKILL");
  while (places.some(({ isThere }) => isThere)) await sleep(10);
};

const stopped = async (child, ms) => {
  child?.kill("SIGSTOP");
  await sleep(ms);
  child?.kill("SIGCONT");
};

export const HAPPENINGS = {
  killWorker: async ({ cluster, pick }) => {
    await killed([pick(cluster.workers)].filter(Boolean));
    await cluster.fill(skewOf(pick));
  },
  killAllWorkers: async ({ cluster, pick }) => {
    await killed(cluster.workers);
    await cluster.fill(skewOf(pick));
  },
  leaveWorker: async ({ cluster, pick }) => {
    const place = pick(cluster.workers);
    place?.child.kill("SIGTERM");
    while (place?.isThere) await sleep(50);
    await cluster.fill(skewOf(pick));
  },
  stopWorker: ({ cluster, pick }) => stopped(pick(cluster.workers)?.child, pick([200, 3_000, 12_000])),
  stopProgram: ({ program, pick }) => stopped(program.child, pick([200, 3_000, 12_000])),
  killRedis: async ({ cluster, pick }) => {
    await cluster.queues.kill();
    await sleep(pick([0, 500, 2_000]));
    await cluster.queues.start();
  },
  // Redis refuses what would take memory: jobs, reports, locks; what is there stays.
  fillRedis: ({ cluster, pick }) =>
    withRedis(cluster.queues, async (redis) => {
      await redis.config("SET", "maxmemory", "1mb");
      await sleep(pick([300, 2_000, 6_000]));
      await redis.config("SET", "maxmemory", "0");
    }),
  killProgram: async ({ program }) => {
    program.child.kill("SIGKILL");
    await program.ended;
  },
  cutWorker: async ({ cluster, pick }) => {
    const { machine } = pick(cluster.places);
    cluster.network.cut(machine);
    await sleep(pick([500, 4_000, 14_000]));
    cluster.network.heal(machine);
  },
  cutProgram: async ({ cluster, pick }) => {
    cluster.network.cut(1);
    await sleep(pick([500, 4_000, 14_000]));
    cluster.network.heal(1);
  },
  deliverTwice: ({ cluster, pick, seed }) =>
    withRedis(cluster.queues, (redis) => duplicated(redis, cluster.name, seed, pick([500, 2_000]))),
  deliverLate: ({ cluster, pick }) =>
    withRedis(cluster.queues, async (redis) => void (await delayed(redis, cluster.name, pick([500, 3_000])))),
  fillStore: async ({ cluster, pick }) => {
    cluster.store.fill();
    await sleep(pick([300, 2_000, 6_000]));
    cluster.store.empty();
  },
  killGateway: async ({ cluster, pick }) => {
    await cluster.store.gateway.killGateway();
    await sleep(pick([0, 1_000]));
    await cluster.store.gateway.startGateway();
  },
};

/** What can happen to a cluster. */
export const possible = ({ network, store }) =>
  Object.keys(HAPPENINGS).filter(
    (name) =>
      (network.cut !== undefined || !name.startsWith("cut")) &&
      (store.canBeFull || name !== "fillStore") &&
      (store.kind === "bucket" || name !== "killGateway"),
  );

/** What the network between workers and a bucket does to requests, all the time. */
export const WEATHERS = [
  {},
  { error: 0.08 },
  { slow: 0.1, truncate: 0.05, short: 0.03 },
  { lost: 0.04, lost500: 0.04, duplicate: 0.05, refuse: 0.04 },
  {
    ...{ error: 0.03, refuse: 0.02, lost: 0.02, lost500: 0.02 },
    ...{ duplicate: 0.03, truncate: 0.02, short: 0.02, slow: 0.03 },
  },
];
