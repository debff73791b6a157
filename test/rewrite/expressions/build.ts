// A random program as a lazy array. In: the library's functions (a script and a test have them from different places), the
// program, and how sources are cut. Out: the array of its last value.

import type * as cw from "chunkwise";
import type { ProgramSource, ProgramStep, RandomProgram } from "./program.ts";

type Call = (...args: readonly unknown[]) => cw.LazyArray;
type Library = typeof cw;
type Functions = { readonly [name: string]: Call };

const NAMED: { readonly [name: string]: number } = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  "-inf": Number.NEGATIVE_INFINITY,
  "-0": -0,
};

const ARRAYS = {
  float64: Float64Array,
  float32: Float32Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  uint8: Uint8Array,
  bool: Uint8Array,
};

function sourceBlock(library: Library, { dtype, shape, data, order }: ProgramSource): cw.NDArray {
  if (order !== undefined) {
    const values = Uint8Array.from({ length: shape[0]! }, (_, i) => order[0] * i + order[1]);
    return new library.NDArray(dtype === "int8" ? new Int8Array(values.buffer) : values, shape);
  }
  const numbers = data.map((value) => (typeof value === "string" ? NAMED[value]! : value));
  const list = dtype === "int64" ? BigInt64Array.from(numbers, BigInt) : ARRAYS[dtype].from(numbers);
  return new library.NDArray(list, shape, dtype);
}

export function buildProgram(
  library: Library,
  program: RandomProgram,
  chunks: number | "all" = "all",
): cw.LazyArray {
  const values: cw.LazyArray[] = program.sources.map((source) =>
    library.asarray(sourceBlock(library, source), { chunks }),
  );
  for (const step of program.steps) values.push(applied(library, step, values));
  return values.at(-1)!;
}

/** Arguments that come before the options, by op. */
function applied(
  library: Library,
  { op, inputs, attrs }: ProgramStep,
  values: readonly cw.LazyArray[],
): cw.LazyArray {
  const given = inputs.map((input) => values[input]!);
  const call = (library as unknown as Functions)[op]!;
  if ("value" in attrs)
    return attrs["isLeft"] === true ? call(attrs["value"], given[0]) : call(given[0], attrs["value"]);
  if ("runs" in attrs) {
    const runs = attrs["runs"] as readonly (readonly (number | null)[])[];
    const items = runs.map(([start, stop, step]) => new library.Slice(start!, stop!, step!));
    return op === "get" ? call(given[0], ...items) : call(given[0], items, given[1]);
  }
  switch (op) {
    case "astype":
      return call(given[0], attrs["dtype"]);
    case "permuteDims":
      return call(given[0], attrs["axes"]);
    case "reshape":
    case "broadcastTo":
      return call(given[0], attrs["shape"]);
    case "squeeze":
      return call(given[0], attrs["axis"]);
    case "roll":
      return call(given[0], attrs["shift"], { axis: attrs["axis"] });
    case "repeat":
      return call(given[0], attrs["count"], { axis: attrs["axis"] });
    case "concat":
      return call(given, attrs);
    default:
      return Object.keys(attrs).length === 0 ? call(...given) : call(...given, attrs);
  }
}
