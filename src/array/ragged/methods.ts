// Installs the methods of ragged arrays: a function with the array as its first argument.

import { userMethod } from "../../lazy/call.ts";
import * as arithmetic from "../../ops/elementwise/arithmetic.ts";
import * as exponential from "../../ops/elementwise/exponential.ts";
import * as logic from "../../ops/elementwise/logic.ts";
import * as special from "../../ops/elementwise/special.ts";
import { stopGradient } from "../../ops/elementwise/stopGradient.ts";
import * as nanReductions from "../../ops/nanReductions.ts";
import * as reductions from "../../ops/reductions.ts";
import { withName } from "./behaviors/behavior.ts";
import { MADE } from "./behaviors/vectorColumns.ts";
import { explainColumns, necessaryColumns } from "./columns.ts";
import { compute, plan } from "./compute.ts";
import { get } from "./get.ts";
import * as lists from "./listFunctions.ts";
import type { LazyMethods, RaggedMethods } from "./methodTypes.ts";
import { LazyRagged, RaggedArray } from "./raggedArrays.ts";
import type { NamedArrays } from "./recordFunctions.ts";
import * as records from "./recordFunctions.ts";
import { installTwins } from "./twins.ts";

const { where, zerosLike, onesLike, fullLike, toRegular, fromRegular, ...ofLists } = lists;
const { nancumsum, nancumprod, ...withoutNaN } = nanReductions;
const { zip, field, withField, withoutField, unzip, combinations, argcombinations } = records;

const METHODS = {
  ...{ ...arithmetic, ...exponential, ...logic, ...special, ...reductions, ...withoutNaN, ...ofLists },
  ...{ stopGradient, get, field, withName, withField, withoutField, unzip, combinations, argcombinations },
} satisfies { [K in keyof RaggedMethods<unknown, unknown>]: unknown };

const LAZY_METHODS = { compute, plan, necessaryColumns, explainColumns } satisfies {
  [K in keyof LazyMethods]: unknown;
};

/** Records of columns with a name: what formulas of vectors make. */
const madeOf = (columns: NamedArrays, name: string): unknown => withName(zip(columns), name);

type Calls = { [name: string]: (...args: unknown[]) => unknown };

/** Doors call it; a second call changes nothing. */
export function installRaggedMethods(): void {
  installTwins();
  install(RaggedArray.prototype, METHODS as object as Calls);
  install(LazyRagged.prototype, { ...METHODS, ...LAZY_METHODS } as object as Calls);
  for (const { prototype } of [RaggedArray, LazyRagged])
    Object.defineProperty(prototype, MADE, { value: madeOf, writable: true, configurable: true });
}

function install(prototype: object, methods: Calls): void {
  for (const [name, call] of Object.entries(methods))
    Object.defineProperty(prototype, name, {
      value: userMethod(name, (self: unknown, ...args: unknown[]) => call(self, ...args)),
      writable: true,
      configurable: true,
    });
}
