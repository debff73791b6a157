// Functions of a user's, for threads to import: twice each element; and one more and one less.

export const doubled = (block) => block.data.map((value) => 2 * value);

export const around = (block) => [block.data.map((value) => value + 1), block.data.map((value) => value - 1)];
