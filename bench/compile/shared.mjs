// What all contestants share: sizes, data, and how a call is timed. In: a call. Out: the best and the median of many rounds, in µs.

export const SIZES = [100, 10_000, 1_000_000];
/** Elements of the expressions of bench/kernels, and of a sum and a sum with 1, as small arrays. */
export const SMALL = 10_000;
/** A two-layer network: so many examples at once, inputs, hidden units, outputs. */
export const NETWORK = { batch: 64, inputs: 32, hidden: 64, outputs: 10, rate: 0.05 };

/** The same numbers in every process. */
export function numbers(count, seed, ArrayOf = Float64Array) {
  let state = seed;
  return ArrayOf.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  });
}

export function networkData() {
  const { batch, inputs, hidden, outputs } = NETWORK;
  return {
    x: numbers(batch * inputs, 1, Float32Array),
    y: numbers(batch * outputs, 2, Float32Array),
    w1: numbers(inputs * hidden, 3, Float32Array),
    b1: new Float32Array(hidden),
    w2: numbers(hidden * outputs, 4, Float32Array),
    b2: new Float32Array(outputs),
  };
}

const ROUNDS = 15;

/** `call` may give a promise; rounds are as many calls as take about 20 ms. */
export async function timed(call) {
  const once = async (count) => {
    const start = performance.now();
    for (let i = 0; i < count; i++) {
      const result = call();
      if (result instanceof Promise) await result;
    }
    return ((performance.now() - start) * 1000) / count;
  };
  // Until code is compiled for good.
  const end = performance.now() + 400;
  let first = await once(1);
  while (performance.now() < end) first = Math.min(first, await once(10));
  const count = Math.max(1, Math.round(20_000 / first));
  const rounds = [];
  for (let i = 0; i < ROUNDS; i++) {
    rounds.push(await once(count));
    // What was let go is collected between rounds, as in a program that waits for something now and then.
    await new Promise((resolve) => setTimeout(resolve));
  }
  rounds.sort((a, b) => a - b);
  return { best: rounds[0], median: rounds[ROUNDS >> 1] };
}
