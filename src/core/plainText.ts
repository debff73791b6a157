// Text from anywhere for terminals and pictures. Must hold: what comes out has no control characters, so that no name can move
// the cursor or colour the screen.

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;

/** On one line, without anything that a terminal would obey. */
export const plainText = (text: string): string => text.replace(CONTROL, " ");
