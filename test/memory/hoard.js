// Functions that allocate more than anybody has stated: `hoard` within one call, 3 GB; `leak` 30 MB in each of many.

const kept = [];

export function hoard(block) {
  for (let i = 0; i < 300; i++) kept.push(new Float64Array(1_250_000).fill(i));
  return block.data.map((value) => value + kept.length);
}

export function leak(block) {
  kept.push(new Float64Array(3_750_000).fill(1));
  return block.data.map((value) => value + 1);
}

export const frugal = (block) => block.data.map((value) => value + 1);
