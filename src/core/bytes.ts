// Counts as text: bytes, and things in singular or plural.

const UNITS = ["B", "kB", "MB", "GB", "TB", "PB"] as const;

/** 1536 → "1.5 kB"; powers of 1000. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? value : Number(value.toPrecision(3))} ${UNITS[unit]}`;
}

/** 1 task, 2 tasks. */
export const countText = (count: number, thing: string): string =>
  `${count} ${thing}${count === 1 ? "" : "s"}`;
