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

const SIZES: { readonly [unit: string]: number } = {
  ...{ "": 1, b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 },
  ...{ kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30, tib: 2 ** 40 },
};

/** A number of bytes, or a size such as "2GB" (10⁹) or "2GiB" (2³⁰); null for anything else. */
export function parseBytes(size: unknown): number | null {
  if (typeof size === "number") return Number.isFinite(size) && size >= 0 ? Math.floor(size) : null;
  const [, number, unit] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(String(size)) ?? [];
  const scale = unit === undefined ? undefined : SIZES[unit.toLowerCase()];
  return typeof size !== "string" || scale === undefined ? null : Math.floor(Number(number) * scale);
}
