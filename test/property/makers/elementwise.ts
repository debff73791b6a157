// Makers of elementwise calls: every function of the op table by its arity and the kinds it takes, with arrays
// that broadcast and with weak scalars; where, clip and casts.

import * as cw from "chunkwise";
import { DTYPES, type DType, isComplex, isFloat, isInteger } from "../../../src/core/dtype.ts";
import type { ElementwiseFunction } from "../../../src/ops/define.ts";
import { OPS } from "../../../src/ops/index.ts";
import type { Choices } from "../choices.ts";
import type { Arg, Ref } from "../program.ts";
import { type Maker, type ProgramWriter, REAL } from "../writer.ts";

const FUNCTIONS = [...OPS.values()].filter(
  (op): op is ElementwiseFunction => op.class === "elementwise" && "arity" in op && op.name in cw,
);

/** The dtypes that an op computes with, integers of floating functions included. */
function acceptedBy(op: ElementwiseFunction, dtypes: readonly DType[]): DType[] {
  return dtypes.filter((dtype) => {
    try {
      op.computeIn(dtype);
      return true;
    } catch {
      return false;
    }
  });
}

/** A sign is asked of the second operand (or the only one), and that of a NaN means nothing. */
const SEES_SIGN_OF_NAN = new Set(["copysign", "signbit"]);

const unary =
  (op: ElementwiseFunction): Maker =>
  (writer, choices) => {
    const x = writer.coerced(writer.any(choices)!, acceptedBy(op, DTYPES), choices);
    return writer.call(op.name, SEES_SIGN_OF_NAN.has(op.name) ? withoutNaN(writer, x) : x);
  };

const binary =
  (op: ElementwiseFunction): Maker =>
  (writer, choices) => {
    const accepted = acceptedBy(op, DTYPES);
    const x = writer.coerced(writer.any(choices)!, accepted, choices);
    const y = choices.below(4) === 3 ? scalarFor(op, choices) : partner(writer, x, accepted, choices);
    const dtype = cw.resultType(writer.of(x), isRef(y) ? writer.of(y) : (y as cw.RealScalar));
    if (!accepted.includes(dtype)) return null;
    return writer.call(op.name, x, isRef(y) ? safeSecond(op.name, writer, y, dtype) : y);
  };

export const isRef = (arg: Arg): arg is Ref => typeof arg === "object" && arg !== null && "index" in arg;

/** Another value that broadcasts with the first, in a dtype that the op takes. */
function partner(writer: ProgramWriter, x: Ref, accepted: readonly DType[], choices: Choices): Ref {
  const { shape } = writer.of(x);
  return writer.coerced(writer.any(choices, (y) => broadcasts(y.shape, shape))!, accepted, choices);
}

export function broadcasts(a: readonly number[], b: readonly number[]): boolean {
  const [x, y] = [a.toReversed(), b.toReversed()];
  return x.every((n, i) => y[i] === undefined || n === y[i] || n === 1 || y[i] === 1);
}

/** Small, positive and whole fits every dtype and traps nowhere; functions of floats take others too. */
function scalarFor(op: ElementwiseFunction, choices: Choices): Arg {
  if (acceptedBy(op, ["float64"]).length === 0) return choices.pick([3, 1, 2, 5n]);
  const seesNaN = SEES_SIGN_OF_NAN.has(op.name);
  return choices.pick<Arg>([2, 1, 3n, 0.5, -1.5, -0, Infinity, seesNaN ? 1 : NaN]);
}

/** The second operand, kept from run-time errors. */
function safeSecond(name: string, writer: ProgramWriter, y: Ref, dtype: DType): Ref {
  const own = writer.of(y).dtype;
  if (SEES_SIGN_OF_NAN.has(name)) return withoutNaN(writer, y);
  if (!isInteger(dtype) || own === "bool")
    return isInteger(dtype) ? guard(name, writer, writer.call("astype", y, dtype)) : y;
  return guard(name, writer, y);
}

function guard(name: string, writer: ProgramWriter, y: Ref): Ref {
  if (name === "floorDivide" || name === "remainder") return writer.call("bitwiseOr", y, 1);
  if (name === "pow") return writer.call("bitwiseAnd", y, 3);
  if (name.endsWith("Shift")) return writer.call("bitwiseAnd", y, 63);
  return y;
}

function withoutNaN(writer: ProgramWriter, x: Ref): Ref {
  if (!isFloat(writer.of(x).dtype)) return x;
  return writer.call("where", writer.call("isnan", x), 1, x);
}

const where: Maker = (writer, choices) => {
  const condition = writer.coerced(writer.any(choices)!, ["bool"], choices);
  const { shape } = writer.of(condition);
  const x = writer.any(choices, (array) => broadcasts(array.shape, shape))!;
  const y = writer.any(
    choices,
    (array) => broadcasts(array.shape, shape) && broadcasts(array.shape, writer.of(x).shape),
  );
  return y === null ? null : writer.call("where", condition, x, y);
};

const clip: Maker = (writer, choices) => {
  const x = writer.coerced(writer.any(choices)!, REAL, choices);
  return writer.call("clip", x, choices.pick([1, null, 0]), choices.pick([3, null, 2]));
};

const astype: Maker = (writer, choices) => {
  const x = writer.any(choices)!;
  const target = choices.pick(writer.options.dtypes);
  const losesPart = isComplex(writer.of(x).dtype) && !isComplex(target) && target !== "bool";
  return writer.call("astype", losesPart ? writer.call("imag", x) : x, target);
};

const named = (arity: number, maker: (op: ElementwiseFunction) => Maker): [string, Maker][] =>
  FUNCTIONS.filter((op) => op.arity === arity).map((op) => [op.name, maker(op)]);

export const UNARY: ReadonlyMap<string, Maker> = new Map(named(1, unary));
export const BINARY: ReadonlyMap<string, Maker> = new Map(named(2, binary));
export const CHOICE: ReadonlyMap<string, Maker> = new Map(Object.entries({ where, clip, astype }));
