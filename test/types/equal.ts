// Assertions on types: tsc checks them, at run time they do nothing.

/** Are two types the same? Not merely assignable to each other. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Does not compile unless it is given `true`. */
export type Expect<T extends true> = T;

/** isExactly<NDArray<"float32">>()(value) does not compile unless that is the value's type. */
export const isExactly =
  <Expected>() =>
  <Actual>(_value: Actual, ..._differs: Equal<Expected, Actual> extends true ? [] : [never]): void => {};
