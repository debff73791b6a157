export interface Killed {
  readonly program: string;
  readonly executor: string;
  readonly kills: number;
  readonly completions: number;
  /** Tasks that runs found done. */
  readonly found: number;
}
export const PROGRAMS: readonly string[];
export function killAll(options: {
  kills: number;
  seed: number;
  log?: (line: string) => void;
}): Promise<Killed[]>;
