// 1,000 operations on a table of 27 leaves: how long it takes to build the expression (every operation's type is found on
// the way) and to find which columns it needs. Prints one line of JSON, milliseconds.

import * as rg from "../../dist/ragged.js";

const OPERATIONS = 1000;
const ROUNDS = 7;

const particle = (extra) => ({ pt: 1.5, eta: 0.5, phi: 0.5, mass: 1.5, charge: 1, ...extra });
const row = {
  ...{ run: 1, event: 2, met: 1.5, metPhi: 0.5, weight: 1.5 },
  jets: [particle({ btag: 0.5, area: 0.5, id: { a: 1, b: 2 } })],
  muons: [particle({ dxy: 0.5, dz: 0.5 })],
  electrons: [particle({ dxy: 0.5 })],
};
const events = rg.fromLists([[row], [row]]);

/** Of several kinds; numbers differ from round to round, so that nothing is known from before. */
function build(round) {
  let x = events.field("jets", "pt");
  for (let made = 1; made < OPERATIONS; ) {
    x = x.add(made + round / 7);
    x = x.multiply(events.field("met"));
    x = x.get(x.greater(made));
    made += 5;
  }
  return x;
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const [builds, columns] = [[], []];
for (let round = 0; round < ROUNDS; round++) {
  const start = performance.now();
  const x = build(round);
  const built = performance.now();
  const found = Object.values(x.necessaryColumns())[0];
  if (found.join() !== "met,jets.pt") throw new Error(`columns ${found}`);
  builds.push(built - start);
  columns.push(performance.now() - built);
}
const [first, ...later] = builds;
console.log(
  JSON.stringify({ first: first + columns[0], built: median(later), columns: median(columns.slice(1)) }),
);
