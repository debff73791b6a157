// One case, all entries: each runs once to see that it works and agrees with the others, warms up, and then all take
// turns, round by round, in an order that moves on with every round.

import { agrees, distance } from "./data.mjs";
import { ENTRIES } from "./roster.mjs";

const sorted = (list) => list.toSorted((a, b) => a - b);
const medianOf = (list) => sorted(list)[Math.floor(list.length / 2)];

/** A slow entry takes part in fewer rounds: the run as a whole has an end. */
function roundsFor(ms, rounds) {
  if (ms > 4000) return 1;
  return ms > 500 ? Math.min(rounds, 3) : rounds;
}

async function tryAll(entries, kase, present) {
  const tried = [];
  for (const entry of entries) {
    const request = { action: "attempt", kase: kase.id, variant: entry.variant, threads: entry.threads };
    const answer = await present.get(entry.process).ask(request);
    tried.push({ entry, request, answer, ms: [] });
  }
  return tried;
}

/** NumPy's answer is what the others are held against; without it, ours. */
function checkAll(tried, dtype) {
  const works = tried.filter(({ answer }) => answer.ok);
  const reference = (works.find(({ entry }) => entry.id === "numpy") ?? works[0])?.answer.sample;
  for (const one of works) {
    one.apart = distance(one.answer.sample, reference);
    one.agrees = agrees(one.apart, dtype);
  }
  return works;
}

async function takeTurns(works, options, present) {
  const { rounds, budget } = options;
  for (let round = -1; round < rounds; round++) {
    for (let turn = 0; turn < works.length; turn++) {
      const one = works[(turn + round + 1) % works.length];
      if (one.failed !== undefined || round >= roundsFor(one.answer.ms, rounds)) continue;
      if (round < 0 && one.answer.ms > 4000) continue;
      const request = { ...one.request, action: "round", budget, most: 2000 };
      const answer = await present.get(one.entry.process).ask(request);
      if (!answer.ok) one.failed = answer.why;
      else if (round >= 0) one.ms.push(...answer.ms);
    }
  }
}

function outcomeOf({ entry, answer, ms, failed, apart, agrees: isSame }) {
  const { id, ours, threads } = entry;
  if (!answer.ok || failed !== undefined || ms.length === 0) {
    return { id, ours, threads, why: failed ?? answer.why ?? "no runs" };
  }
  const times = { best: Math.min(...ms), median: medianOf(ms), runs: ms.length };
  return { id, ours, threads, ...times, apart, agrees: isSame };
}

/** Times of every entry for one case, in ms. */
export async function measureCase(kase, load, options, present) {
  const entries = ENTRIES.filter(
    ({ process, only }) => present.get(process)?.loaded && (only === undefined || only.includes(kase.group)),
  );
  const tried = await tryAll(entries, kase, present);
  const works = checkAll(tried, load.dtype);
  await takeTurns(works, options, present);
  return { kase, dtype: load.dtype, shape: load.shape, count: load.count, outcomes: tried.map(outcomeOf) };
}

const needed = (name, load) =>
  ENTRIES.some(
    ({ process, only }) =>
      process === name && (only === undefined || load.cases.some(({ group }) => only.includes(group))),
  );

/** The operands into every process; one that ended is started again first. */
export async function loadAll(load, files, present) {
  for (const contestant of present.values()) {
    if (!needed(contestant.name, load)) continue;
    if (!contestant.running) await contestant.start();
    const { dtype, shape, count } = load;
    const request = { action: "load", dtype, shape, count, files: files[dtype] };
    contestant.loaded = (await contestant.ask(request)).ok;
  }
}

export async function unloadAll(present) {
  for (const contestant of present.values()) {
    if (contestant.how.once) contestant.stop();
    else if (contestant.loaded) await contestant.ask({ action: "unload" });
    contestant.loaded = false;
  }
}
