// Which runs a battery has. In: the programs, a seed, a part. Out: a list of runs, each a program with the kind of its
// source, where its results go, what carries its tasks, what it may use and what goes on beside it. Must hold: every program of the part occurs,
// once on threads at least; every value of every factor occurs with every value of every other.

import { BESIDE } from "./beside.mjs";
import { numbersFrom, shuffled } from "./numbers.mjs";
import { KINDS, LARGE_NAMES } from "./sources.mjs";

export const FACTORS = {
  kind: KINDS,
  target: ["compute", "zarr", "plainZarr", "store"],
  executor: ["default", "inline", "threads2", "threads4", "threads8"],
  limits: ["none", "workDir", "small", "smallWorkDir"],
  beside: BESIDE,
};

/**
 * One of `every` so many programs, with so many `runs`; so many random programs and large ones, with theirs; and those that
 * default options carry on threads, so many times each.
 */
export const PARTS = {
  ci: { every: 3, runs: 2, random: 30, randomRuns: 1, large: 0, byDefault: 1 },
  whole: { every: 1, runs: 8, random: 150, randomRuns: 2, large: 24, byDefault: 5 },
};

/** Default options keep small arrays, and those that the system reads and writes alone, on one thread. */
const BY_DEFAULT = [
  ...["cumulative-sum", "differences-of-sorted-rows", "roll-plus-self", "self-plus-transposed"],
  ...["rechunk-then-mean", "covariance", "laplace-by-roll", "standardised"],
];
const CODED = ["zstd", "sharded", "v2", "http", "httpSharded"];
/** True for a run that is there to be on threads, by default options. */
export const isForThreads = ({ program, size, executor, kind, limits }) =>
  BY_DEFAULT.includes(program) &&
  `${size} ${executor} ${limits}` === "large default none" &&
  CODED.includes(kind);

const NAMES = Object.keys(FACTORS);
/** Of so many that are drawn, the one is taken whose pairs occurred least. */
const DRAWN = 32;

export const idOf = ({ program, size, ...run }) =>
  `${program}@${NAMES.map((name) => run[name]).join(",")}${size === "large" ? ",large" : ""}`;

/** A run from its name, as idOf gives it. */
export function runOf(id) {
  const [program, rest] = id.split("@");
  const [kind, target, executor, limits, beside, size = "usual"] = rest.split(",");
  return { program, kind, target, executor, limits, beside, size };
}

export function selectRuns({ programs, seed, part }) {
  const { every, runs, random, randomRuns, large, byDefault } = PARTS[part];
  const pick = numbersFrom(`selection ${seed}`);
  const draw = drawer(pick);
  const named = spread([...programs.values()], every, pick).map(({ name }) => name);
  const randoms = Array.from({ length: random }, (_, i) => `random-${seed}-${i}`);
  const grown = shuffled([...programs.values()].filter(canGrow), pick).slice(0, large);
  return [
    ...named.flatMap((program) => draw(program, "usual", runs)),
    ...randoms.flatMap((program) => draw(program, "usual", randomRuns)),
    ...grown.flatMap(({ name }) => draw(name, "large", 2)),
    ...BY_DEFAULT.filter((name) => programs.has(name)).flatMap((name, i) =>
      Array.from({ length: byDefault }, (_, k) => onThreads(name, i + k, pick)),
    ),
  ];
}

/** Each kind of source in its turn, and any target. */
const onThreads = (program, turn, pick) => ({
  ...{ program, size: "large", kind: CODED[turn % CODED.length], executor: "default", limits: "none" },
  ...{ target: FACTORS.target[pick(FACTORS.target.length)], beside: BESIDE[pick(BESIDE.length)] },
});

/** Programs that name places of the usual size are not for large ones. */
const canGrow = ({ source, make }) =>
  LARGE_NAMES.includes(source) && !/\d{3}|places|functionOf/.test(make.toString());

/** One of so many of each family, another for each seed. */
function spread(programs, every, pick) {
  const families = Map.groupBy?.(programs, ({ family }) => family) ?? groupedBy(programs);
  return [...families.values()].flatMap((family) =>
    shuffled(family, pick).slice(0, Math.ceil(family.length / every)),
  );
}

function groupedBy(programs) {
  const families = new Map();
  for (const program of programs) {
    if (!families.has(program.family)) families.set(program.family, []);
    families.get(program.family).push(program);
  }
  return families;
}

function drawer(pick) {
  const uses = new Map();
  const candidate = (isThreads) => {
    const run = Object.fromEntries(NAMES.map((name) => [name, FACTORS[name][pick(FACTORS[name].length)]]));
    return isThreads ? { ...run, executor: `threads${2 ** (1 + pick(3))}` } : run;
  };
  const costOf = (run, own) =>
    pairsOf(run).reduce((sum, pair) => sum + (uses.get(pair) ?? 0), 0) +
    NAMES.reduce((sum, name) => sum + 4 * own.filter((other) => other[name] === run[name]).length, 0);
  return (program, size, count) => {
    const own = [];
    for (let i = 0; i < count; i++) {
      const drawn = Array.from({ length: DRAWN }, () => candidate(i === 0));
      const costs = drawn.map((run) => costOf(run, own));
      const run = drawn[costs.indexOf(Math.min(...costs))];
      for (const pair of pairsOf(run)) uses.set(pair, (uses.get(pair) ?? 0) + 1);
      own.push(run);
    }
    return own.map((run) => ({ program, size, ...run }));
  };
}

/** Every two values of a run. */
export const pairsOf = (run) =>
  NAMES.flatMap((a, i) => NAMES.slice(i + 1).map((b) => `${a} ${run[a]} with ${b} ${run[b]}`));
