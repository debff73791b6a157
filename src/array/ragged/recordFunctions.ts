// Functions on records and on several arrays: fields, zip and unzip, pairs and combinations, arrays one after another.

import { describe } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import { isScalar, type Scalar } from "../../core/numbers.ts";
import { userCall } from "../../lazy/call.ts";
import * as ops from "../../ragged/index.ts";
import { apply } from "./apply.ts";
import { checkCount, checkPath } from "./argumentChecks.ts";
import {
  asRagged,
  isConstant,
  type Ragged,
  RaggedArray,
  type RaggedInput,
  type RaggedOperand,
  splitOperands,
} from "./raggedArrays.ts";
import type { Joint } from "./types.ts";

/** Arrays by name (records), or in a list (tuples). */
export type NamedArrays = { readonly [name: string]: RaggedInput } | readonly RaggedInput[];
/** The arrays' types. */
type Of<Arrays> = Arrays extends readonly (infer A)[] ? A : Arrays[keyof Arrays];

function named(arrays: NamedArrays): { fields: readonly string[] | null; inputs: Ragged[] } {
  if (Array.isArray(arrays)) return { fields: null, inputs: Array.from(arrays, asRagged) };
  if (typeof arrays !== "object" || arrays === null)
    throw new ValueError({
      what: `${describe(arrays)} holds no arrays`,
      cure: "Pass {name: array} or a list of arrays",
    });
  const entries = Object.entries(arrays);
  return { fields: entries.map(([name]) => name), inputs: entries.map(([, array]) => asRagged(array)) };
}

/** Arrays, and values that every record has, by name. */
export type NamedOperands = NamedArrays | { readonly [name: string]: RaggedOperand };

/**
 * Records of arrays, down to where their lists differ (or to depthLimit): `rg.zip({x: [1, 2], y: [3, 4]})` is [{x: 1,
 * y: 3}, {x: 2, y: 4}], and `rg.zip({x: [1, 2], k: 7})` is [{x: 1, k: 7}, {x: 2, k: 7}].
 */
export const zip: <const A extends NamedOperands>(
  arrays: A,
  options?: { readonly depthLimit?: number | null | undefined },
) => Joint<Of<A>> = userCall(
  "zip",
  (given: NamedOperands, options: object = {}) => {
    const isNames = !Array.isArray(given) && typeof given === "object" && given !== null;
    const entries = isNames ? Object.entries(given) : [];
    const constants = entries.filter(([, value]) => isConstant(value));
    const arrays = entries.filter(([, value]) => !isConstant(value));
    if (constants.length === 0 || arrays.length === 0) {
      const { fields, inputs } = named(given as NamedArrays);
      return apply(ops.zip as never, inputs, { fields, ...options }) as never;
    }
    const { fields, inputs } = named(Object.fromEntries(arrays) as NamedArrays);
    const records = apply(ops.zip as never, inputs, { fields, ...options }) as Ragged;
    const all = constants.reduce(
      (array, [name, value]) => apply(ops.withField as never, [array], { path: [name], value }) as Ragged,
      records,
    );
    // In the order in which they are written.
    return apply(ops.get as never, [all], { items: [["fields", ...Object.keys(given)]] }) as never;
  },
  [1, "depthLimit"],
);

/** Each field by itself: `const [x, y] = rg.unzip([{x: 1, y: 2}, {x: 3, y: 4}])`, where x is [1, 3]. */
export const unzip: <const X extends RaggedInput>(x: X) => Joint<X>[] = userCall(
  "unzip",
  (x: RaggedInput) => {
    const array = asRagged(x);
    return array.fields.map((name) => apply(ops.field as never, [array], { path: [name] })) as never;
  },
);

/** A field; of a field, of a field, where several names are given: `rg.field(events, "jets", "pt")`. */
export const field: <const X extends RaggedInput>(x: X, ...path: readonly string[]) => Joint<X> = userCall(
  "field",
  (x: RaggedInput, ...path: readonly string[]) => {
    if (path.length === 0 || path.some((name) => typeof name !== "string"))
      throw new ValueError({ what: "no field is named", cure: 'Name fields, as field(x, "jets", "pt")' });
    return apply(ops.field as never, [asRagged(x)], { path }) as never;
  },
);

/** Names of the fields of records: `rg.fields([{x: 1, y: 2}])` is ["x", "y"]. */
export const fields: (x: RaggedInput) => readonly string[] = userCall(
  "fields",
  (x: RaggedInput) => asRagged(x).fields,
);

/**
 * The records with another field, or with another in its place: `rg.withField([{x: 1}], [5], "y")` is [{x: 1, y: 5}].
 */
export const withField: <const X extends RaggedInput, const V extends RaggedInput | Scalar | string>(
  x: X,
  value: V,
  name: string | readonly string[],
) => Joint<X | V> = userCall(
  "withField",
  (x: RaggedInput, value: RaggedInput | Scalar | string, name: string | readonly string[]) => {
    const path = checkPath(name);
    const isConstant = isScalar(value) || typeof value === "string";
    return (
      isConstant
        ? apply(ops.withField as never, [asRagged(x)], { path, value })
        : apply(ops.withField as never, [asRagged(x), asRagged(value)], { path })
    ) as never;
  },
);

/** The records without a field: `rg.withoutField([{x: 1, y: 2}], "y")` is [{x: 1}]. */
export const withoutField: <const X extends RaggedInput>(x: X, name: string | readonly string[]) => Joint<X> =
  userCall(
    "withoutField",
    (x: RaggedInput, name: string | readonly string[]) =>
      apply(ops.withoutField as never, [asRagged(x)], { path: checkPath(name) }) as never,
  );

/** Options of `rg.cartesian` and `rg.argcartesian`. */
export interface CartesianOptions {
  /** Along which axis; 1, the lists of rows, unless given. */
  readonly axis?: number | undefined;
  /** Lists within lists: for every element of the first arrays. */
  readonly nested?: boolean | readonly number[] | undefined;
}

type Cartesian = <const A extends NamedArrays>(arrays: A, options?: CartesianOptions) => Joint<Of<A>>;

const cartesianOf = (record: object): Cartesian =>
  userCall(
    (record as { name: string }).name,
    (arrays: NamedArrays, options: CartesianOptions = {}) => {
      const { fields, inputs } = named(arrays);
      return apply(record as never, inputs, { fields, ...options }) as never;
    },
    [1, "axis", "nested"],
  ) as Cartesian;

/** Every element with every element, list by list: `rg.cartesian([[[1, 2]], [[3]]])` is [[[1, 3], [2, 3]]]. */
export const cartesian: Cartesian = cartesianOf(ops.cartesian);
/** The same, of places: `rg.argcartesian([[[1, 2]], [[3]]])` is [[[0, 0], [1, 0]]]. */
export const argcartesian: Cartesian = cartesianOf(ops.argcartesian);

/** Options of `rg.combinations` and `rg.argcombinations`. */
export interface CombinationOptions {
  /** Along which axis; 1, the lists of rows, unless given. */
  readonly axis?: number | undefined;
  /** true: an element may be taken several times. */
  readonly replacement?: boolean | undefined;
  /** Names of the n fields; tuples unless given. */
  readonly fields?: readonly string[] | undefined;
}

type Combinations = <const X extends RaggedInput>(x: X, n: number, options?: CombinationOptions) => Joint<X>;

const combinationsOf = (record: object): Combinations =>
  userCall(
    (record as { name: string }).name,
    (x: RaggedInput, n: number, options: CombinationOptions = {}) =>
      apply(record as never, [asRagged(x)], { n: checkCount("n", n, 1), ...options }) as never,
    [2, "axis", "replacement", "fields"],
  ) as Combinations;

/**
 * n elements of each list, in every way there is without order: `rg.combinations([[1, 2, 3]], 2)` is [[[1, 2], [1, 3],
 * [2, 3]]].
 */
export const combinations: Combinations = combinationsOf(ops.combinations);
/** The same, of places: `rg.argcombinations([[7, 8, 9]], 2)` is [[[0, 1], [0, 2], [1, 2]]]. */
export const argcombinations: Combinations = combinationsOf(ops.argcombinations);

/** Values among arrays: along the axis of the rows a row each, further in an element of every list. */
function withConstants(values: readonly unknown[], axis: number): { arrays: Ragged[]; attrs: object } {
  const { arrays, operands } = splitOperands(values);
  if (operands.every((value) => value === null)) return { arrays, attrs: {} };
  const probes = arrays.map(({ form }) => ops.plainProbe(form));
  if (ops.frontOf(probes, axis) > 0) return { arrays, attrs: { operands } };
  let next = 0;
  const rows = operands.map((value) =>
    value === null ? arrays[next++]! : new RaggedArray(ops.constantRows(value as Scalar, probes, 1)),
  );
  return { arrays: rows, attrs: {} };
}

/**
 * Arrays one after another, and values among them; what does not fit in one type is a union: `rg.concatenate([[[1, 2]],
 * [[3]]])` is [[1, 2], [3]].
 */
export const concatenate: <const X extends RaggedOperand>(
  arrays: readonly X[],
  options?: { readonly axis?: number | undefined; readonly mergeBool?: boolean | undefined },
) => Joint<X> = userCall(
  "concatenate",
  (values: readonly RaggedOperand[], options: { readonly axis?: number | undefined } = {}) => {
    if (!Array.isArray(values))
      throw new ValueError({
        what: `${describe(values)} is no list of arrays`,
        cure: "Write concatenate([x, y])",
      });
    if (values.length === 0) return apply(ops.concatenate as never, [], options) as never;
    const { arrays, attrs } = withConstants(Array.from(values), options.axis ?? 0);
    return apply(ops.concatenate as never, arrays, { ...options, ...attrs }) as never;
  },
  [1, "axis", "mergeBool"],
);

/**
 * Each array with the lists that they have together: `rg.broadcastArrays([[1, 2], [3]], [10, 20])`, the second as [[10,
 * 10], [20]].
 */
export const broadcastArrays: <const X extends RaggedInput>(...arrays: readonly X[]) => Joint<X>[] = userCall(
  "broadcastArrays",
  (...arrays: readonly RaggedInput[]) => {
    const inputs = arrays.map(asRagged);
    return inputs.map((_, which) => apply(ops.broadcastArrays as never, inputs, { which })) as never;
  },
);
