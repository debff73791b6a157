// The language of patterns: what the left side of a rule says about a node, and the right side about its
// replacement. A pattern is plain data (`form` and a few conditions); compile.ts makes a matcher of it and
// patternRule.ts a builder. The type `Binds` says what a match has bound, so that computed right sides are typed.
//
//   p.multiply(x, 1)                        an op; commutative ops match in both orders
//   x, y, z, …                              variables: any node; the same one where repeated
//   1, true, 2n                             a constant of that value (0 is not −0; never a complex one)
//   constant("c").where(isPower, "…")       any real, bool or complex constant; binds its value
//   x.where(isFloating, "x is floating")    a condition, with its text for explain
//   single(p.exp(x))                        nothing else uses that node
//   seeThrough(["broadcast", "cast"], x)    the node, or what lies below those ops (the lowest first)
//   p.sum(x, { axes: bind("axes"), keepdims: true })   attributes: equal, or bound
//   p.sum(x, attrs)                         binds all attributes
//   p.concat(x, rest("others"), attrs)      any number of further inputs
//   nary(add, [x, p.negative(x)], rest("others"))      a chain of an associative op as a flat list
//   p.exp(x).as("e")                        names the matched node
//   on(myOp)(x), on([less, greater])(x, y)  ops by record
//
// On a right side attributes are written in the order in which the API writes them (axes before keepdims): nodes
// are equal when the texts of their attributes are.

import type { Attr, Attrs } from "../core/block.ts";
import { describe, type Shape } from "../core/chunks.ts";
import type { DType } from "../core/dtype.ts";
import { ValueError } from "../core/errors.ts";
import { isScalar, type Scalar } from "../core/numbers.ts";
import type { Expr } from "../expr/expr.ts";
import type { Op } from "../expr/op.ts";
import { OPS, opNamed } from "../ops/index.ts";
import type { OpName } from "./opNames.ts";

/** A test of something a pattern has found, and what it says, for explain. */
export interface Condition<Subject> {
  /** What must hold, in words. */
  readonly text: string;
  /** Does it hold? */
  test(subject: Subject): boolean;
}

export type Form =
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "literal"; readonly value: Scalar }
  | { readonly kind: "constant"; readonly name: string; readonly values: readonly Condition<Scalar>[] }
  | OpForm
  | {
      readonly kind: "nary";
      readonly op: Op;
      readonly members: readonly Pattern[];
      readonly rest: string | null;
    }
  | { readonly kind: "through"; readonly ops: readonly Op[]; readonly inner: Pattern };

export interface OpForm {
  readonly kind: "op";
  readonly ops: readonly Op[];
  /** Those before and after the rest, if there is one. */
  readonly inputs: readonly Pattern[];
  readonly rest: { readonly name: string; readonly at: number } | null;
  readonly attrs: AttrsForm;
}

export type AttrsForm =
  | { readonly kind: "any" }
  | { readonly kind: "whole"; readonly name: string }
  | { readonly kind: "record"; readonly entries: readonly (readonly [name: string, value: AttrPattern])[] };

/** What a node must look like: `p.multiply(x, 1)` and `variable("name")` are of the class `Pattern`. */
export class Pattern<Binds = unknown> {
  /** Only a type: what a match binds. */
  declare readonly binds: Binds;
  readonly form: Form;
  readonly conditions: readonly Condition<Expr>[];
  readonly isSingle: boolean;
  /** The name the whole matched node is bound to. */
  readonly alias: string | null;

  constructor(form: Form, from?: Pick<Pattern, "conditions" | "isSingle" | "alias">) {
    this.form = form;
    this.conditions = from?.conditions ?? [];
    this.isSingle = from?.isSingle ?? false;
    this.alias = from?.alias ?? null;
  }

  /** Only nodes that pass; the text says what must hold. */
  where(test: (node: Expr) => boolean, text: string): Pattern<Binds> {
    return this.#with({ conditions: [...this.conditions, { text, test }] });
  }

  /** Binds the node that this pattern matches. */
  as<Name extends string>(name: Name): Pattern<Binds & { readonly [N in Name]: Expr }> {
    return this.#with({ alias: name }) as Pattern<Binds & { readonly [N in Name]: Expr }>;
  }

  /** Only nodes that nothing else uses. */
  single(): Pattern<Binds> {
    return this.#with({ isSingle: true });
  }

  #with(change: Partial<Pick<Pattern, "conditions" | "isSingle" | "alias">>): Pattern<Binds> {
    const { conditions, isSingle, alias } = this;
    return new Pattern(this.form, { conditions, isSingle, alias, ...change });
  }
}

export type Variable<Name extends string> = Pattern<{ readonly [N in Name]: Expr }>;

/** Matches any node, and binds it; where repeated, the same one: `p.subtract(variable("u"), variable("u"))`. */
export const variable = <Name extends string>(name: Name): Variable<Name> =>
  new Pattern({ kind: "variable", name });

/** A variable for patterns: `p.subtract(x, x)`. */
export const x: Variable<"x"> = variable("x");
/** A variable for patterns: `p.divide(p.multiply(x, y), y)`. */
export const y: Variable<"y"> = variable("y");
/** A variable for patterns: `p.add(p.multiply(x, y), p.multiply(x, z))`. */
export const z: Variable<"z"> = variable("z");
/** A variable for patterns: `p.add(w, x)`. */
export const w: Variable<"w"> = variable("w");
/** A variable for patterns: `p.minimum(a, b)`. */
export const a: Variable<"a"> = variable("a");
/** A variable for patterns: `p.minimum(a, b)`. */
export const b: Variable<"b"> = variable("b");
/** A variable for patterns: `p.where(condition, x, y)`. */
export const condition: Variable<"condition"> = variable("condition");

/** A constant: binds its value. */
export class Constant<Name extends string> extends Pattern<{ readonly [N in Name]: Scalar }> {
  /** Only values that pass. */
  whereValue(test: (value: Scalar) => boolean, text: string): Constant<Name> {
    const { name, values } = this.form as Extract<Form, { kind: "constant" }>;
    return new Constant<Name>({ kind: "constant", name, values: [...values, { text, test }] }, this);
  }
}

/**
 * Any constant (a `full` of any shape), of which the value is bound; on a right side that value: `p.multiply(x,
 * constant("c", (c) => c === 2, "c is 2"))`.
 */
export function constant<Name extends string>(
  name: Name,
  test?: (value: Scalar) => boolean,
  text: string = `${name} fits`,
): Constant<Name> {
  const any = new Constant<Name>({ kind: "constant", name, values: [] });
  return test === undefined ? any : any.whereValue(test, text);
}

/** Any number of further inputs, as a list. */
export class Rest<Name extends string> {
  readonly name: Name;

  constructor(name: Name) {
    this.name = name;
  }
}
/** Any number of further inputs, bound as a list: `p.concat(x, rest("others"), attrs)`. */
export const rest = <Name extends string>(name: Name): Rest<Name> => new Rest(name);

/** What attributes of these names are. */
interface KnownAttrs {
  readonly axes: readonly number[];
  readonly axis: number;
  readonly keepdims: boolean;
  readonly shape: Shape;
  readonly dtype: DType;
  readonly start: readonly number[];
  readonly step: readonly number[];
}
type AttrNamed<Name extends string> = Name extends keyof KnownAttrs ? KnownAttrs[Name] : Attr;

/** An attribute that is bound, or compared where its name is bound already. */
export class Bind<Name extends string, Value> {
  readonly name: Name;
  readonly conditions: readonly Condition<Value>[];

  constructor(name: Name, conditions: readonly Condition<Value>[] = []) {
    this.name = name;
    this.conditions = conditions;
  }

  where(test: (value: Value) => boolean, text: string): Bind<Name, Value> {
    return new Bind(this.name, [...this.conditions, { text, test }]);
  }
}
/**
 * An attribute that is bound, or compared where its name is bound already: `p.sum(x, {axes: bind("axes"), keepdims:
 * true})`.
 */
export const bind = <Name extends string>(name: Name): Bind<Name, AttrNamed<Name>> => new Bind(name);

/** All attributes of a node as they are. */
export class WholeAttrs<Name extends string> {
  readonly name: Name;

  constructor(name: Name) {
    this.name = name;
  }
}
/** All attributes of a node, bound under a name: `p.sum(p.sum(x, wholeAttrs("inner")), wholeAttrs("outer"))`. */
export const wholeAttrs = <Name extends string>(name: Name): WholeAttrs<Name> => new WholeAttrs(name);
/** All attributes of a node, bound as `attrs`: `p.sum(x, attrs)`. */
export const attrs: WholeAttrs<"attrs"> = wholeAttrs("attrs");

export type AttrPattern = Attr | Bind<string, unknown>;
export type AttrRecord = { readonly [name: string]: AttrPattern };
export type Input = Pattern | Scalar;
export type Argument = Input | Rest<string> | WholeAttrs<string> | AttrRecord;

/** What the arguments of an op's pattern bind. */
export type BindsOf<Arguments extends readonly unknown[]> = Arguments extends readonly [
  infer First,
  ...infer Others,
]
  ? BindsOfOne<First> & BindsOf<Others>
  : unknown;
type BindsOfOne<T> =
  T extends Pattern<infer Binds>
    ? Binds
    : T extends Rest<infer Name>
      ? { readonly [N in Name]: readonly Expr[] }
      : T extends WholeAttrs<infer Name>
        ? { readonly [N in Name]: Attrs }
        : T extends Scalar
          ? unknown
          : BindsOfRecord<T>;
type BindsOfRecord<R> = {
  readonly [K in keyof R as R[K] extends Bind<infer Name, unknown> ? Name : never]: R[K] extends Bind<
    string,
    infer Value
  >
    ? Value
    : never;
};

export type Builder = <const Arguments extends readonly Argument[]>(
  ...args: Arguments
) => Pattern<BindsOf<Arguments>>;

/**
 * A pattern for one op, or for any of several: for ops that are not in the table, and families of ops. `on(sinc)(x)`.
 */
export const on =
  (ops: Op | readonly Op[]): Builder =>
  (...args) =>
    new Pattern(opForm(Array.isArray(ops) ? ops : [ops as Op], args));

/** A builder for every op of the table, by its name: `p.log(p.add(1, x))`. */
export const p: { readonly [Name in OpName]: Builder } = Object.fromEntries(
  [...OPS].map(([name, op]) => [name, on(op)]),
) as { [Name in OpName]: Builder };

function opForm(ops: readonly Op[], args: readonly Argument[]): OpForm {
  const inputs: Pattern[] = [];
  let others: OpForm["rest"] = null;
  let form: AttrsForm = { kind: "any" };
  for (const arg of args) {
    if (arg instanceof Pattern || isScalar(arg)) inputs.push(asPattern(arg));
    else if (arg instanceof Rest) others = { name: arg.name, at: inputs.length };
    else if (arg instanceof WholeAttrs) form = { kind: "whole", name: arg.name };
    else form = { kind: "record", entries: Object.entries(arg as AttrRecord) };
  }
  return { kind: "op", ops, inputs, rest: others, attrs: form };
}

/** A pattern, or the constant that a scalar stands for. */
export function asPattern(input: Input): Pattern {
  if (input instanceof Pattern) return input;
  if (isScalar(input)) return new Pattern({ kind: "literal", value: input });
  throw new ValueError({
    what: `${describe(input)} is no pattern`,
    cure: "Write a variable, a constant or p.op(…)",
  });
}

/** A node that nothing else uses: `single(p.exp(x))`. */
export const single = <Binds>(pattern: Pattern<Binds>): Pattern<Binds> => pattern.single();

/**
 * The node, or what lies below any number of these ops (of one input), the lowest that fits: `seeThrough(["broadcast",
 * "cast"], x)`.
 */
export function seeThrough<const I extends Input>(
  ops: readonly (OpName | Op)[],
  pattern: I,
): Pattern<BindsOf<[I]>> {
  const records = ops.map((op) => (typeof op === "string" ? opNamed(op) : op));
  return new Pattern({ kind: "through", ops: records, inner: asPattern(pattern) });
}

/**
 * A chain of a commutative and associative op as a flat list, through nodes that nothing else uses:
 * `nary(opNamed("add"), [x, p.negative(x)], rest("others"))`. Each member matches one entry, in any order, and the rest
 * is what remains, in its order. On a right side the members and the rest are joined again from left to right.
 */
export function nary<const Members extends readonly Input[], Name extends string = never>(
  op: Op,
  members: Members,
  others?: Rest<Name>,
): Pattern<BindsOf<Members> & { readonly [N in Name]: readonly Expr[] }> {
  return new Pattern({ kind: "nary", op, members: members.map(asPattern), rest: others?.name ?? null });
}
