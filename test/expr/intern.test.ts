// Interning: one node for equal expressions, however many users an input has, now and after they have aged.

import { expect, test } from "vitest";
import { type Expr, makeExpr, withInputs } from "../../src/expr/expr.ts";
import { UserTable } from "../../src/expr/intern.ts";
import { opNamed } from "../../src/ops/index.ts";
import { n, source } from "../rewrite/nodes.ts";

const UNARY = ["exp", "sin", "cos", "log", "tanh", "negative", "abs", "sqrt", "square", "floor", "ceil"];
const aged = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

test("few and many users of one node are found again, also when they are old", async () => {
  const x = source(4001);
  const first = UNARY.map((name) => n(name, x));
  expect(new Set(first).size).toBe(UNARY.length);
  expect(UNARY.map((name) => n(name, x))).toEqual(first);
  await aged();
  expect(UNARY.every((name, i) => n(name, x) === first[i])).toBe(true);
  const sums = Array.from({ length: 500 }, (_, i) => n("add", x, i));
  await aged();
  expect(sums.every((sum, i) => n("add", x, i) === sum)).toBe(true);
  expect(UNARY.every((name, i) => n(name, x) === first[i])).toBe(true);
});

test("order of inputs, attributes and ops make a difference", () => {
  const [x, y] = [source(4002), source(4003)];
  expect(n("subtract", x, y)).not.toBe(n("subtract", y, x));
  expect(n("add", x, y)).not.toBe(n("multiply", x, y));
  const total = (keepdims: boolean): Expr => makeExpr(opNamed("sum"), [x], { axes: [0], keepdims });
  expect(total(true)).toBe(total(true));
  expect(total(true)).not.toBe(total(false));
  expect(makeExpr(opNamed("exp"), [x], {})).toBe(n("exp", x));
});

test("a node over other inputs is the one that is made anew, of the type that its inputs give", () => {
  const [x, y] = [source(4004), source(4005)];
  const wide = source(4006, "float64", [3, 4]);
  const sum = n("add", x, y);
  expect(withInputs(sum, [y, x])).toBe(n("add", y, x));
  expect(withInputs(sum, [wide, y]).shape).toEqual([3, 4]);
  expect(withInputs(sum, [wide, y])).toBe(n("add", wide, y));
  expect(withInputs(sum, [x, y])).toBe(sum);
});

test("a table keeps what is there", () => {
  const x = source(4007);
  const nodes = Array.from({ length: 200 }, (_, i) => n("add", x, i));
  const table = new UserTable<Expr>();
  for (const node of nodes) table.add(node);
  table.age();
  expect(table.sweep()).toBe(200);
  for (const node of nodes) expect(table.find(node.op, node.inputs, node.attrsText)).toBe(node);
  expect(table.find(opNamed("multiply"), nodes[0]!.inputs, "")).toBeUndefined();
});
