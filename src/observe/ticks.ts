// Axes with round numbers. In: the largest value and how many ticks are wanted. Out: ticks at 1, 2 or 5 times a power
// of ten (of durations: also at whole minutes and hours), each with its text.

import { bytesText } from "../core/counts.ts";

export interface Tick {
  readonly value: number;
  readonly text: string;
}

/** From 0 to `most`, all but about `wanted` of them. */
function ticks(most: number, step: number, text: (value: number) => string): Tick[] {
  if (!(most > 0) || !(step > 0)) return [{ value: 0, text: text(0) }];
  const count = Math.floor(most / step + 1e-9);
  return Array.from({ length: count + 1 }, (_, i) => ({ value: i * step, text: text(i * step) }));
}

/** 1, 2 or 5 times a power of ten: the smallest that is not less. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= least * (1 - 1e-9));
  return (factor ?? 10) * power;
}

export const byteTicks = (most: number, wanted: number): Tick[] =>
  ticks(most, most > 0 ? Math.max(1, roundStep(most / wanted)) : 1, (value) => bytesText(exact(value)));

/** Steps longer than a second that are round on a clock, in seconds. */
const CLOCK_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200];

export function timeTicks(mostMs: number, wanted: number): Tick[] {
  const least = mostMs / wanted;
  const step = least <= 0 ? 1 : clockStep(least);
  const unit = unitOf(mostMs, step);
  return ticks(mostMs, step, (value) => `${exact(value / UNITS[unit])} ${unit}`);
}

function clockStep(leastMs: number): number {
  if (leastMs <= 500) return roundStep(leastMs);
  const seconds = CLOCK_STEPS.find((candidate) => candidate * 1000 >= leastMs);
  return seconds === undefined ? roundStep(leastMs / 86_400_000) * 86_400_000 : seconds * 1000;
}

const UNITS = { ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** The same for all ticks, so that neighbours can be compared at a glance. */
function unitOf(mostMs: number, step: number): keyof typeof UNITS {
  if (mostMs < UNITS.s) return "ms";
  if (step < UNITS.min) return "s";
  if (step < UNITS.h) return "min";
  return step < UNITS.d ? "h" : "d";
}

/** Without what multiplication added in the last digits. */
const exact = (value: number): number => Number(value.toPrecision(12));
