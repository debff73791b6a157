// What a small computation costs: an expression of a few elements, warm, and a kernel that was never seen before.

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];

async function timed(run) {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

/** µs of x.add(1).multiply(y), 1 to 10 elements, 10,000 runs each way. */
export async function scalarSized(cw) {
  const pairs = Array.from({ length: 10 }, (_, i) => [
    new Float64Array(i + 1).fill(2),
    new Float64Array(i + 1).fill(3),
  ]);
  const built = ([x, y]) => cw.asarray(x).add(1).multiply(y);
  const asynchronous = [];
  const synchronous = [];
  for (let i = -1000; i < 10_000; i++) {
    const pair = pairs[(i + 1000) % pairs.length];
    const awaited = await timed(() => built(pair).compute());
    const start = performance.now();
    built(pair).computeSync();
    const direct = performance.now() - start;
    if (i >= 0) {
      asynchronous.push(awaited * 1000);
      synchronous.push(direct * 1000);
    }
  }
  return { compute: median(asynchronous), computeSync: median(synchronous) };
}

const STEPS = [
  (v, x) => v.add(x),
  (v, _x, y) => v.multiply(y),
  (v, x) => v.subtract(x),
  (v) => v.abs().sqrt(),
  (v, _x, y) => v.maximum(y),
  (v) => v.negative(),
  (v) => v.divide(3),
];

/** The i-th expression: seven steps spelled by the digits of i, so that no two are alike. */
function expression(i, x, y) {
  let value = x.multiply(y);
  for (let digits = i + 7 ** 6; digits > 0; digits = Math.floor(digits / 7)) {
    value = STEPS[digits % 7](value, x, y);
  }
  return value;
}

/** ms of the first computation of an expression of 1e4 elements, less what the later ones take: 50 expressions. */
export async function freshKernels(cw) {
  const x = cw.asarray(new Float64Array(1e4).fill(1.5));
  const y = cw.asarray(new Float64Array(1e4).fill(2.5));
  const costs = [];
  for (let i = 0; i < 55; i++) {
    const run = () => expression(i * 1009, x, y).compute();
    const first = await timed(run);
    const later = [];
    for (let k = 0; k < 5; k++) later.push(await timed(run));
    if (i >= 5) costs.push(first - median(later));
  }
  return { median: median(costs), worst: Math.max(...costs) };
}
