// All operations on ragged arrays, by name: what the lazy half and its plans name.

import { ValueError } from "../../core/errors.ts";
import { closest } from "../../core/suggest.ts";
import { STRING_OPS } from "../strings/ops.ts";
import { valuesAstype } from "./astype.ts";
import { argcartesian, cartesian } from "./cartesian.ts";
import { concatenate, where } from "./choose.ts";
import { argcombinations, combinations } from "./combinations.ts";
import { ELEMENTWISE } from "./elementwise.ts";
import { enforceType } from "./enforceType.ts";
import { flatten, localIndex, num, ravel, unflatten } from "./flatten.ts";
import { get } from "./get/get.ts";
import { dropNone, fillNone, firsts, isNone, mask, nanToNone, padNone, singletons } from "./nulls.ts";
import type { RaggedOp } from "./op.ts";
import { reduceCombine, reduceFinish, reducePartial } from "./partial.ts";
import { broadcastArrays, field, fields, withField, withName, withoutField, zip } from "./records.ts";
import { REDUCTIONS } from "./reduce.ts";
import { fromRegular, toRegular } from "./regular.ts";
import { argsort, sort } from "./sort.ts";
import { fullLike, isclose, onesLike, runLengths, toPacked, zerosLike } from "./values.ts";

const ALL = [
  ...Object.values(ELEMENTWISE),
  ...Object.values(REDUCTIONS),
  ...[num, localIndex, flatten, ravel, unflatten],
  ...[zip, field, fields, withField, withoutField, withName, broadcastArrays],
  ...[cartesian, argcartesian, combinations, argcombinations],
  ...[sort, argsort, where, concatenate, get],
  ...[firsts, singletons, padNone, fillNone, dropNone, isNone, mask, nanToNone],
  ...[enforceType, valuesAstype, toPacked, fullLike, zerosLike, onesLike, isclose, runLengths],
  ...STRING_OPS.values(),
  ...[toRegular, fromRegular, reducePartial, reduceCombine, reduceFinish],
] as unknown as readonly RaggedOp<object>[];

export const RAGGED_OPS: ReadonlyMap<string, RaggedOp<object>> = new Map(ALL.map((op) => [op.name, op]));

export function raggedOpNamed(name: string): RaggedOp<object> {
  const op = RAGGED_OPS.get(name);
  if (op !== undefined) return op;
  throw new ValueError({
    what: `there is no ragged op ${JSON.stringify(name)}`,
    cure: closest(name, [...RAGGED_OPS.keys()]),
  });
}
