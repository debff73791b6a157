// Where formulas are looked at: numbers over the whole domain, and more of them where something happens. In: how many, and
// a seed. Out: operands. The same seed gives the same points.

/** A small generator of numbers from 0 to 1 (mulberry32). */
function randomOf(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const within = (random, low, high) => low + (high - low) * random();
const sign = (random) => (random() < 0.5 ? -1 : 1);
/** Of all magnitudes alike. */
const scaled = (random, low, high) => 10 ** within(random, low, high);
const oneOf = (random, makers) => makers[Math.floor(random() * makers.length)](random);

const exponents = (random) =>
  oneOf(random, [
    (r) => within(r, -3, 3),
    (r) => within(r, -1, 1),
    (r) => within(r, -40, 40),
    (r) => within(r, -750, 750),
    (r) => within(r, -60, 720),
    (r) => sign(r) * scaled(r, -20, 0),
    (r) => sign(r) * scaled(r, -300, 3),
    (r) => Math.LN2 * within(r, -1.01, 1.01),
    (r) => sign(r) * (Math.LN2 + sign(r) * scaled(r, -16, -2)),
  ]);
const any = (random) =>
  oneOf(random, [
    exponents,
    (r) => sign(r) * scaled(r, -307, 308),
    (r) => sign(r) * (1 + sign(r) * scaled(r, -16, -2)),
  ]);
const positive = (random) => Math.abs(any(random)) || 1;
const probability = (random) =>
  oneOf(random, [
    (r) => r(),
    (r) => scaled(r, -300, 0),
    (r) => 1 - scaled(r, -16, 0),
    (r) => 0.5 + sign(r) * scaled(r, -16, -1),
  ]);

/** Where sums of exponentials are about 1, logarithms are about 0. */
function pair(random) {
  const x = exponents(random);
  return oneOf(random, [
    (r) => [x, exponents(r)],
    (r) => [x, x + sign(r) * scaled(r, -16, 1.6)],
    (r) => {
      const near = -scaled(r, -3, 0.3);
      return [near, Math.log1p(-Math.exp(near))];
    },
    (r) => {
      const near = scaled(r, -3, 0.3);
      return [near, Math.log(Math.expm1(near))];
    },
  ]);
}

function row(random) {
  const length = Math.floor(within(random, 2, 12));
  const values = (make) => Array.from({ length }, make);
  return oneOf(random, [
    (r) => values(() => within(r, -3, 3)),
    (r) => values(() => within(r, -40, 40)),
    (r) => values(() => within(r, -740, 700)),
    (r) => values(() => exponents(r)),
    (r) => values(() => 1000 * sign(r) + within(r, -5, 5)),
    (r) => {
      // Σ eˣ, or its mean, is about 1.
      const weights = values(() => 0.01 + r());
      const all = weights.reduce((a, b) => a + b, 0) / (r() < 0.5 ? 1 : length);
      return weights.map((weight) => Math.log(weight / all));
    },
  ]);
}

const SAMPLERS = {
  exponents: (r) => [exponents(r)],
  negativeExponents: (r) => [-Math.abs(exponents(r)) || -1],
  any: (r) => [any(r)],
  positive: (r) => [positive(r)],
  aboveMinusOne: (r) => [oneOf(r, [positive, (q) => -probability(q), exponents].slice(0, 2))],
  belowOne: (r) => [oneOf(r, [(q) => -positive(q), probability])],
  aboveOne: (r) => [1 + positive(r)],
  upToOne: (r) => [sign(r) * probability(r)],
  probabilities: (r) => [probability(r)],
  pairs: pair,
  rows: (r) => [row(r)],
  samples: (r) => [row(r).map((x) => x + (r() < 0.3 ? 1e6 : 0))],
};

export function pointsOf(sampler, count, seed) {
  const random = randomOf(seed);
  return Array.from({ length: count }, () => SAMPLERS[sampler](random));
}
