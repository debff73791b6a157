// Tests of rules, one by one. In: a family of rules, and for each an expression on which it must fire. Out: tests
// that it fires, that before → after is what the golden file says, and that the reference interpreter gives the
// same value before and after, as far as the rule's class promises, for special values, dtypes and shapes.
// `CHUNKWISE_SEED=<n>` gives other data; a failure names the seed. New golden text is written by `vitest -u`.

import { describe, expect, test } from "vitest";
import type { Block } from "../../src/core/block.ts";
import { type Shape, shapeText } from "../../src/core/chunks.ts";
import type { DType } from "../../src/core/dtype.ts";
import { ChunkwiseError, RuleError } from "../../src/core/errors.ts";
import { type Expr, postOrder } from "../../src/expr/expr.ts";
import { rewrite } from "../../src/rewrite/driver.ts";
import { Dispatcher, type Rule } from "../../src/rewrite/rule.ts";
import { slotsOf } from "../property/compare.ts";
import { SEED } from "../property/settings.ts";
import { evaluateReference } from "../reference.ts";
import { allowedBy, type Difference, differenceOf } from "./closeness.ts";
import { formulaText } from "./formula.ts";
import { LONGEST, type Profile, pairedBlock, randomBlock, sourceOf } from "./operands.ts";

export interface OperandOptions {
  readonly dtype?: DType;
  readonly shape?: Shape;
}

/** A source by its name: the same name is the same source. */
export type MakeOperand = (name: string, options?: OperandOptions) => Expr;

export interface RuleCase {
  readonly rule: string;
  /** An expression on which the rule must fire. May throw for dtypes and shapes that it cannot have. */
  build(operand: MakeOperand): Expr;
  /** All that the expression accepts of DEFAULT_DTYPES unless said; the rule must fire for each that is said. */
  readonly dtypes?: readonly DType[];
}

export const DEFAULT_DTYPES: readonly DType[] = [
  ...(["float64", "float32", "int32", "int64", "uint8", "bool", "complex128"] as const),
];

/** Shapes of the first operand, the second, and so on, over again. */
const SHAPES: readonly (readonly Shape[])[] = [
  ...[[[2, 3]], [[]], [[3]], [[0]], [[3, 3]], [[2, 1, 3]]],
  ...[
    [[2, 3], [3]],
    [[2, 1], [3]],
    [[], [2, 3]],
    [[2, 3], []],
    [[1], [3]],
    [[3], [1]],
    [[1], [0]],
  ],
  ...[[[2, 1], [2, 3], [3]]],
];
const LONG: readonly Shape[] = [[LONGEST]];
const ROUNDS: readonly Profile[] = ["special", "ordinary", "special", "positive", "mild", "special"];
/** Rules that may round are not tried with numbers that overflow when they are added in another order. */
const ROUNDS_WITHOUT_OVERFLOW: readonly Profile[] = ["mild", "ordinary", "mild", "positive"];

export function testRules(family: string, rules: readonly Rule[], cases: readonly RuleCase[]): void {
  describe(`rules: ${family}`, () => {
    test("every rule has a case, and every case a rule", () => {
      const names = rules.map(({ name }) => name);
      expect(new Set(names).size, "names are unique").toBe(names.length);
      expect(names.filter((name) => !cases.some((one) => one.rule === name))).toEqual([]);
      expect(cases.map((one) => one.rule).filter((name) => !names.includes(name))).toEqual([]);
    });

    test("golden text", async () => {
      const text = rules.map((rule) => goldenText(rule, casesOf(rule, cases))).join("\n");
      await expect(`${text}\n`).toMatchFileSnapshot(`__snapshots__/rules-${family}.txt`);
    });

    for (const rule of rules)
      for (const [i, one] of casesOf(rule, cases).entries())
        test(`${rule.name}${i === 0 ? "" : ` (${i + 1})`}: ${rule.equation}`, () => checkRule(rule, one));
  });
}

/** Throws where the rule does not fire on the case, or changes more than its class allows. */
export const checkRule = (rule: Rule, one: RuleCase): void => new Trial(rule, one).run();

const casesOf = (rule: Rule, cases: readonly RuleCase[]): readonly RuleCase[] =>
  cases.filter((one) => one.rule === rule.name);

// ---- one expression with its operands ----

interface Built {
  readonly before: Expr;
  readonly operands: ReadonlyMap<string, Expr>;
}

type Fill = (dtype: DType, shape: Shape, name: string, operand: number) => Block;

/** The case's expression, or null where it cannot be for this dtype and these shapes. */
function buildWith(one: RuleCase, dtype: DType, shapes: readonly Shape[], fill: Fill): Built | null {
  const operands = new Map<string, Expr>();
  const operand: MakeOperand = (name, options = {}) => {
    const known = operands.get(name);
    if (known !== undefined) return known;
    const shape = options.shape ?? shapes[operands.size % shapes.length]!;
    const made = sourceOf(fill(options.dtype ?? dtype, shape, name, operands.size));
    operands.set(name, made);
    return made;
  };
  try {
    const before = one.build(operand);
    return postOrder([before]).every(hasItsAxes) ? { before, operands } : null;
  } catch (error) {
    if (error instanceof ChunkwiseError && !(error instanceof RuleError)) return null;
    throw error;
  }
}

/** makeExpr trusts that axes exist: the API has checked them. */
function hasItsAxes({ op, attrs, inputs, shape }: Expr): boolean {
  const ndim = op.name === "expandDims" ? shape.length : (inputs[0]?.shape.length ?? 0);
  const { axes, axis } = attrs as { readonly axes?: unknown; readonly axis?: unknown };
  const isThere = (one: unknown): boolean => typeof one !== "number" || (one >= 0 && one < ndim);
  const list = Array.isArray(axes) ? (axes as readonly unknown[]) : [];
  return (op.class === "source" || isThere(axis)) && list.every(isThere) && shape.every((n) => n >= 0);
}

const textOf = ({ before, operands }: Built, after: Expr): string => {
  const names = new Map([...operands].map(([name, expr]) => [expr, name]));
  return `${formulaText(before, names)}  →  ${formulaText(after, names)}`;
};

const typesText = ({ operands }: Built): string =>
  [...operands].map(([name, { dtype, shape }]) => `${name}: ${dtype} ${shapeText(shape)}`).join(", ");

const plainFill: Fill = (dtype, shape, name) => randomBlock(dtype, shape, "positive", name);

// ---- golden text ----

function goldenText(rule: Rule, cases: readonly RuleCase[]): string {
  const head = `${rule.name} (${classText(rule)}): ${rule.equation}`;
  return [head, ...cases.map((one) => `  ${firstFiring(rule, one) ?? "does not fire"}`)].join("\n");
}

export const classText = ({ changes, tags }: Rule): string =>
  tags.includes("stabilize") ? "stabilize" : changes.length === 0 ? "exact" : changes.join(", ");

function firstFiring(rule: Rule, one: RuleCase): string | null {
  for (const dtype of one.dtypes ?? DEFAULT_DTYPES)
    for (const shapes of SHAPES) {
      const built = buildWith(one, dtype, shapes, plainFill);
      const after = built === null ? null : applied(rule, built.before);
      if (after !== null) return `${textOf(built!, after)}    [${typesText(built!)}]`;
    }
  return null;
}

/** What the one rule makes of an expression; null if it does not fire. */
function applied(rule: Rule, before: Expr): Expr | null {
  const { roots, applied } = rewrite([before], new Dispatcher([rule]));
  return applied.size > 0 ? roots[0]! : null;
}

// ---- values before and after ----

class Trial {
  readonly #rule: Rule;
  readonly #case: RuleCase;
  #compared = 0;

  constructor(rule: Rule, one: RuleCase) {
    this.#rule = rule;
    this.#case = one;
  }

  run(): void {
    const { dtypes } = this.#case;
    const fired = (dtypes ?? DEFAULT_DTYPES).filter((dtype) => this.#runDType(dtype));
    if (dtypes !== undefined) expect(fired, "dtypes for which the rule fires").toEqual(dtypes);
    expect(fired.length, `${this.#rule.name} fires`).toBeGreaterThan(0);
    expect(this.#compared, "arrays that were compared").toBeGreaterThan(0);
  }

  /** Does the rule fire for some shapes? All of them are compared. */
  #runDType(dtype: DType): boolean {
    const seen = new Set<string>();
    let fires = false;
    for (const shapes of [...SHAPES, LONG]) {
      const built = buildWith(this.#case, dtype, shapes, plainFill);
      if (built === null || applied(this.#rule, built.before) === null) continue;
      fires = true;
      const types = typesText(built);
      if (seen.has(types)) continue;
      seen.add(types);
      this.#compareRounds(dtype, shapes, types);
    }
    return fires;
  }

  #compareRounds(dtype: DType, shapes: readonly Shape[], types: string): void {
    const rounds = this.#rule.changes.includes("rounding") ? ROUNDS_WITHOUT_OVERFLOW : ROUNDS;
    const isLong = shapes === LONG;
    for (const [round, profile] of (isLong ? rounds.slice(0, 1) : rounds).entries()) {
      const fill: Fill = (type, shape, name, operand) => {
        const seed = `${SEED}/${types}/${round}/${name}`;
        if (isLong && shape[0] === LONGEST) return pairedBlock(type, shape, profile, operand, seed);
        return randomBlock(type, shape, profile, seed);
      };
      this.#compare(buildWith(this.#case, dtype, shapes, fill)!, profile);
    }
  }

  #compare(built: Built, profile: Profile): void {
    const { before } = built;
    const after = applied(this.#rule, before);
    if (after === null)
      throw new Error(`${this.#rule.name} fires or not, as the data is: ${typesText(built)}`);
    const old = valuesOf(before);
    // What cannot be computed (an integer divided by zero) may become anything.
    if (old instanceof ChunkwiseError) return;
    const now = evaluateReference([after]);
    const isTame = profile === "ordinary" || profile === "positive";
    const difference = differenceOf(old.get(before)!, now.get(after)!, allowedBy([this.#rule], isTame), [
      ...old.values(),
      ...now.values(),
    ]);
    this.#compared++;
    if (difference !== null) throw new Error(this.#report(built, after, difference, profile));
  }

  #report(built: Built, after: Expr, { slot, before, after: now }: Difference, profile: Profile): string {
    const values = [...built.operands].map(([name, expr]) => `  ${name} = ${valuesText(expr)}`);
    return [
      `${this.#rule.name} (${classText(this.#rule)}): ${this.#rule.equation}`,
      `  ${textOf(built, after)}`,
      `  slot ${slot}: ${numberText(before)} became ${numberText(now)} (values: ${profile}, CHUNKWISE_SEED=${SEED})`,
      ...values,
      `  before = ${valuesText(built.before)}`,
      `  after  = ${valuesText(after)}`,
    ].join("\n");
  }
}

function valuesOf(root: Expr): Map<Expr, Block> | ChunkwiseError {
  try {
    return evaluateReference([root]);
  } catch (error) {
    if (error instanceof ChunkwiseError) return error;
    throw error;
  }
}

const numberText = (value: number | bigint): string => (Object.is(value, -0) ? "-0" : String(value));

const MOST_VALUES = 24;

function valuesText(expr: Expr): string {
  const slots = slotsOf(evaluateReference([expr]).get(expr)!);
  const shown = slots.slice(0, MOST_VALUES).map(numberText).join(", ");
  return `${expr.dtype} ${shapeText(expr.shape)} [${shown}${slots.length > MOST_VALUES ? ", …" : ""}]`;
}
