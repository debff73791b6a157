// The types of compare.mjs, for its test.

export interface Values {
  readonly data: ArrayBufferView;
  readonly dtype: string;
  readonly shape: readonly number[];
}

export function writeReference(folder: string, arrays: readonly Values[]): void;
export function compareWith(folders: readonly string[], arrays: readonly Values[]): string | null;
