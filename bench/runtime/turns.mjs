// Contestants take turns, round by round, in an order that moves on with every round: what slows the machine down for
// a while slows all of them. In: functions. Out: the best and the median of each, in ms.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

// Threads cannot be started by a process that was given this as an argument.
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");

/**
 * `entries`: {name: async (item) => ms | undefined}. A function may time itself; else its run is timed. With several
 * items everybody does one, then everybody the next: the best times of all items are added up. Short turns find moments
 * in which nobody else disturbs, also on a busy machine.
 */
export async function takeTurns(entries, rounds, items = 1) {
  const names = Object.keys(entries);
  const times = Object.fromEntries(names.map((name) => [name, Array.from({ length: items }, () => [])]));
  // The first round warms up.
  for (let round = -1; round < rounds; round++) {
    for (let item = 0; item < items; item++) {
      for (let turn = 0; turn < names.length; turn++) {
        const name = names[(turn + item + round + 1) % names.length];
        const begun = performance.now();
        const own = await entries[name](item);
        const ms = own ?? performance.now() - begun;
        if (round >= 0) times[name][item].push(ms);
      }
    }
    collectGarbage();
  }
  return Object.fromEntries(names.map((name) => [name, summary(times[name])]));
}

const sum = (list) => list.reduce((a, b) => a + b, 0);

function summary(lists) {
  const sorted = lists.map((list) => list.toSorted((a, b) => a - b));
  return {
    best: sum(sorted.map((list) => list[0])),
    median: sum(sorted.map((list) => list[Math.floor(list.length / 2)])),
  };
}
