// References: arguments, correctly rounded values and what the rounding took away (generate/references.py).

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FloatDType } from "../../src/core/dtype.ts";
import type { Prim } from "../../src/kernel/scalar.ts";
import type { Floats } from "./evaluate.ts";

export interface Reference {
  readonly args: readonly Floats[];
  readonly values: Floats;
  /** Exact value − rounded value, in ulps. */
  readonly rests: Float64Array;
}

interface Encoded {
  readonly arguments: readonly string[];
  readonly values: string;
  readonly rests: string;
}

function decode(text: string, type: FloatDType): Floats {
  const { buffer } = Uint8Array.from(Buffer.from(text, "base64"));
  return type === "float64" ? new Float64Array(buffer) : new Float32Array(buffer);
}

export function referenceOf(name: Prim, type: FloatDType): Reference {
  const file = join(import.meta.dirname, "fixtures", `${name}.json`);
  const data = (JSON.parse(readFileSync(file, "utf8")) as { [T in FloatDType]: Encoded })[type];
  const rests = Float64Array.from(new Int8Array(Buffer.from(data.rests, "base64")), (rest) => rest / 250);
  return {
    args: data.arguments.map((text) => decode(text, type)),
    values: decode(data.values, type),
    rests,
  };
}
