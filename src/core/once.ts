// A constant that is made when it is first asked for. In: a function without arguments that always makes the same. Out: that.
// Must hold: whoever asks twice cannot tell whether it was made once or twice, but by the time it took. What changes
// results, or grows, belongs to a value that somebody owns instead.

export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
