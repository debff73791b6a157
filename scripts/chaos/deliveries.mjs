// A queue that delivers twice and late. In: a Redis, a queue. Out: how many tasks were given out once more. Must hold: what is
// given twice is what was there: jobs that wait or are being done, and reports that were told.

import { setTimeout as sleep } from "node:timers/promises";

const MOST = 8;

/** Jobs that wait or are being done: their names, and what is in them. */
async function jobsOf(redis, base) {
  const ids = [
    ...(await redis.lrange(`${base}:wait`, 0, -1)),
    ...(await redis.lrange(`${base}:active`, 0, -1)),
  ];
  const jobs = await Promise.all(
    ids.slice(0, MOST).map(async (id) => ({ id, fields: await redis.hgetall(`${base}:${id}`) })),
  );
  return jobs.filter(({ fields }) => fields.data !== undefined);
}

const tasksIn = (data) => JSON.parse(data).tasks.reduce((sum, [lo, hi]) => sum + hi - lo, 0);

/** The same jobs again, at once under other names, and after a while under their own; reports, too. */
export async function duplicated(redis, queue, serial, afterMs) {
  const base = `bull:${queue}`;
  const jobs = await jobsOf(redis, base);
  const add = async (id, fields) => {
    await redis.hset(`${base}:${id}`, fields);
    await redis.lpush(`${base}:wait`, id);
  };
  for (const [i, { id, fields }] of jobs.entries())
    await add(id.replace(/-b\d+$/, `-b9${serial}${i}`), { ...fields, processedOn: "" });
  const until = Date.now() + afterMs;
  const told = new Set();
  while (Date.now() < until) {
    await toldAgain(redis, base, told);
    await sleep(20);
  }
  for (const { id, fields } of jobs) if ((await redis.exists(`${base}:${id}`)) === 0) await add(id, fields);
  return jobs.reduce((sum, { fields }) => sum + tasksIn(fields.data), 0);
}

async function toldAgain(redis, base, told) {
  for (const stream of await redis.keys(`${base}:cluster:reports:*`))
    for (const [id, fields] of await redis.xrange(stream, "-", "+")) {
      if (told.has(id)) continue;
      told.add(id);
      told.add(await redis.xadd(stream, "*", ...fields));
    }
}

/** Jobs that wait are given to nobody for a while. */
export async function delayed(redis, queue, ms) {
  const base = `bull:${queue}`;
  const kept = [];
  const until = Date.now() + ms;
  while (Date.now() < until) {
    const id = await redis.rpop(`${base}:wait`);
    if (id !== null && !/^0:/.test(id)) kept.push(id);
    await sleep(20);
  }
  for (const id of kept)
    if ((await redis.exists(`${base}:${id}`)) === 1) await redis.lpush(`${base}:wait`, id);
  return kept.length;
}
