// The front half of cw.expr: tokens, precedence, every error message, and evaluation with a context that writes text.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type {
  ArgumentNode,
  Ast,
  ItemNode,
  KeywordNode,
  Node,
  StringNode,
} from "../src/array/template/ast.ts";
import type { EvaluationContext, IndexItem } from "../src/array/template/evaluate.ts";
import { evaluate, UnknownName } from "../src/array/template/evaluate.ts";
import { parse } from "../src/array/template/parse.ts";
import { ExprSyntaxError } from "../src/array/template/syntaxError.ts";
import { tokenize } from "../src/array/template/tokenize.ts";
import { ChunkwiseError } from "../src/core/errors.ts";

type AnyNode = Node | ArgumentNode | StringNode | ItemNode;

/** Used as a template tag: parses what it is given. */
function expr(strings: TemplateStringsArray, ..._values: unknown[]): Ast {
  return parse(strings.raw);
}

/** Every operation in its own parentheses, so that the shape of the tree can be read. */
function show(node: AnyNode | null): string {
  if (node === null) return "";
  switch (node.kind) {
    case "number":
    case "bool":
      return String(node.value);
    case "bigint":
      return `${node.value}n`;
    case "imaginary":
      return `${node.value}j`;
    case "string":
      return JSON.stringify(node.value);
    case "none":
      return "None";
    case "ellipsis":
      return "...";
    case "hole":
      return `$${node.index}`;
    case "name":
      return node.name;
    case "unary":
      return `(${node.operator} ${show(node.operand)})`;
    case "binary":
    case "logical":
      return `(${show(node.left)} ${node.operator} ${show(node.right)})`;
    case "compare":
      return `(${show(node.left)}${node.links.map((link) => ` ${link.operator} ${show(link.right)}`).join("")})`;
    case "call":
      return `${node.name}(${showArguments(node)})`;
    case "method":
      return `${show(node.left)}.${node.name}(${showArguments(node)})`;
    case "index":
      return `${show(node.left)}[${node.items.map(show).join(", ")}]`;
    case "slice":
      return `${show(node.start)}:${show(node.stop)}:${show(node.step)}`;
    case "list":
      return `[${node.items.map(show).join(", ")}]`;
    default:
      return node satisfies never;
  }
}

function showArguments(node: { args: readonly ArgumentNode[]; keywords: readonly KeywordNode[] }): string {
  return [...node.args.map(show), ...node.keywords.map(({ name, value }) => `${name}=${show(value)}`)].join(
    ", ",
  );
}

/** The error of parsing, which must be ours. */
function failure(source: string | readonly string[] | Ast, context = writer()): ExprSyntaxError {
  try {
    const ast = typeof source === "string" ? parse([source]) : "root" in source ? source : parse(source);
    evaluate(ast, context);
  } catch (error) {
    if (error instanceof ExprSyntaxError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

/** A context that builds text. Values that are not text yet are written as JSON. */
function writer(holes: readonly unknown[] = ["x", "y", "z"]): EvaluationContext<unknown> {
  const constants = new Map<string, unknown>([
    ["pi", Math.PI],
    ["e", Math.E],
    ["a", "a"],
    ["b", "b"],
    ["c", "c"],
  ]);
  const written = (args: unknown[], keywords: Map<string, unknown>) =>
    [...args.map(write), ...[...keywords].map(([name, value]) => `${name}=${write(value)}`)].join(", ");
  return {
    hole: (index) => holes[index],
    constant: (name) => constants.get(name),
    call: (name, args, keywords) => `${name}(${written(args, keywords)})`,
    method: (target, name, args, keywords) => `${write(target)}.${name}(${written(args, keywords)})`,
    index: (target, items) => `${write(target)}[${items.map(write).join(", ")}]`,
  };
}

function write(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "bigint" ? `${value}n` : JSON.stringify(value);
}

describe("tokens", () => {
  test("holes are numbered, and offsets refer to the display text", () => {
    const { text, tokens } = tokenize(["(", "*2 +\n\t", ")"]);
    expect(text).toBe(`(\${0}*2 +  \${1})`);
    expect(tokens.map((token) => [token.kind, token.text, token.offset])).toEqual([
      ["symbol", "(", 0],
      ["hole", `\${0}`, 1],
      ["symbol", "*", 5],
      ["number", "2", 6],
      ["symbol", "+", 8],
      ["hole", `\${1}`, 11],
      ["symbol", ")", 15],
      ["end", "", 16],
    ]);
    for (const token of tokens) expect(text.startsWith(token.text, token.offset)).toBe(true);
  });

  test.each<[string, number | bigint]>([
    ["1", 1],
    ["1.5", 1.5],
    [".5", 0.5],
    ["1.", 1],
    ["1e-3", 0.001],
    ["1E3", 1000],
    ["1_000.000_1", 1000.0001],
    ["0x1f", 31],
    ["0b101", 5],
    ["0o17", 15],
    ["0", 0],
    ["00", 0],
    ["9007199254740991", 9007199254740991],
    ["9007199254740993", 9007199254740993n],
    ["0xffff_ffff_ffff_ffff", 2n ** 64n - 1n],
  ])("number %s", (text, value) => {
    expect(tokenize([text]).tokens[0]).toEqual({ kind: "number", text, value, offset: 0 });
  });

  test("1.5j is imaginary", () => {
    expect(tokenize(["1.5j"]).tokens[0]).toEqual({ kind: "imaginary", text: "1.5j", value: 1.5, offset: 0 });
  });

  test("no tokens but the end", () => {
    expect(tokenize([]).tokens).toEqual([{ kind: "end", text: "", offset: 0 }]);
    expect(tokenize([" \n"]).tokens).toEqual([{ kind: "end", text: "", offset: 2 }]);
  });
});

describe("precedence and associativity are Python's", () => {
  test.each([
    ["a or b and c", "(a or (b and c))"],
    ["a and b or c", "((a and b) or c)"],
    ["a or b or c", "((a or b) or c)"],
    ["not a and b", "((not a) and b)"],
    ["not a == b", "(not (a == b))"],
    ["not not a", "(not (not a))"],
    ["a and not b", "(a and (not b))"],
    ["a < b | c", "(a < (b | c))"],
    ["a | b == c", "((a | b) == c)"],
    ["a < b <= c != a", "(a < b <= c != a)"],
    ["(a < b) < c", "((a < b) < c)"],
    ["a | b ^ c & a", "(a | (b ^ (c & a)))"],
    ["a & b ^ c | a", "(((a & b) ^ c) | a)"],
    ["a & b << c", "(a & (b << c))"],
    ["a << b + c", "(a << (b + c))"],
    ["a << b >> c", "((a << b) >> c)"],
    ["a + b * c", "(a + (b * c))"],
    ["a * b + c", "((a * b) + c)"],
    ["a - b - c", "((a - b) - c)"],
    ["a / b / c", "((a / b) / c)"],
    ["a * b // c % a @ b / c", "(((((a * b) // c) % a) @ b) / c)"],
    ["-a * b", "((- a) * b)"],
    ["a * -b", "(a * (- b))"],
    ["a - -b", "(a - (- b))"],
    ["a--b", "(a - (- b))"],
    ["-+~a", "(- (+ (~ a)))"],
    ["-a ** 2", "(- (a ** 2))"],
    ["2 ** -1", "(2 ** (- 1))"],
    ["2 ** -a ** b", "(2 ** (- (a ** b)))"],
    ["2 ** -1 * 3", "((2 ** (- 1)) * 3)"],
    ["a ** b ** c", "(a ** (b ** c))"],
    ["(a ** b) ** c", "((a ** b) ** c)"],
    ["a ** b[0]", "(a ** b[0])"],
    ["-a.T", "(- a.T())"],
    ["-f(a)[0]", "(- f(a)[0])"],
    ["a.T @ b", "(a.T() @ b)"],
    ["(a + b).T", "(a + b).T()"],
    ["((a))", "a"],
  ])("%s", (source, shape) => {
    expect(show(parse([source]).root)).toBe(shape);
  });
});

describe("values, calls and indices", () => {
  test.each([
    ["True", "true"],
    ["false", "false"],
    ["2j", "2j"],
    ["18446744073709551615", "18446744073709551615n"],
    ["f()", "f()"],
    ["f(a, b,)", "f(a, b)"],
    ["sqrt (a)", "sqrt(a)"],
    ["logical_and(a, b)", "logicalAnd(a, b)"],
    ["logicalAnd(a, b)", "logicalAnd(a, b)"],
    ["cumulative_sum(a, include_initial=True)", "cumulativeSum(a, includeInitial=true)"],
    ["__proto__(a)", "__proto__(a)"],
    ["constructor", "constructor"],
    ["f(a, hasOwnProperty=1)", "f(a, hasOwnProperty=1)"],
    ["sum(a, axis=0, keepdims=True)", "sum(a, axis=0, keepdims=true)"],
    ["sum(a, axis=(0, 1))", "sum(a, axis=[0, 1])"],
    ["sum(a, axis=[0, -1])", "sum(a, axis=[0, (- 1)])"],
    ["sum(a, axis=(0,))", "sum(a, axis=[0])"],
    ["sum(a, axis=(0))", "sum(a, axis=0)"],
    ["sum(a, axis=(0)+1)", "sum(a, axis=(0 + 1))"],
    ["sum(a, axis=None)", "sum(a, axis=None)"],
    ["reshape(a, ())", "reshape(a, [])"],
    ["reshape(a, (2, (3 + 4) * 2))", "reshape(a, [2, ((3 + 4) * 2)])"],
    ["f([(1, 2), [], [None]])", "f([[1, 2], [], [None]])"],
    ['astype(a, dtype="float32")', 'astype(a, dtype="float32")'],
    ["astype(a, dtype='float32')", 'astype(a, dtype="float32")'],
    ["a.T.mT", "a.T().mT()"],
    ["a.expand_dims(axis=0).sum()", "a.expandDims(axis=0).sum()"],
    ["linalg.norm(a)", "linalg.norm(a)"],
    ["a[0]", "a[0]"],
    ["a[1:3, ..., None, ::-2, -1]", "a[1:3:, ..., None, ::(- 2), (- 1)]"],
    ["a[:]", "a[::]"],
    ["a[::]", "a[::]"],
    ["a[1:]", "a[1::]"],
    ["a[:1]", "a[:1:]"],
    ["a[1::2]", "a[1::2]"],
    ["a[:b+1, null,]", "a[:(b + 1):, None]"],
    ["a[b > 0]", "a[(b > 0)]"],
    ["a[0][1].T[2]", "a[0][1].T()[2]"],
  ])("%s", (source, shape) => {
    expect(show(parse([source]).root)).toBe(shape);
  });

  test("holes stand wherever a value may", () => {
    const { text, root } = expr`${0}[${1}:${2}, -${3}].sum(axis=${4}) / f(${5}, [${6}])`;
    expect(show(root)).toBe("($0[$1:$2:, (- $3)].sum(axis=$4) / f($5, [$6]))");
    expect(text).toBe(`\${0}[\${1}:\${2}, -\${3}].sum(axis=\${4}) / f(\${5}, [\${6}])`);
  });

  test("the template of the design", () => {
    const { root } = expr`(${0}*2 + ${1}*3) / (1 + ${0}**2)`;
    expect(show(root)).toBe("((($0 * 2) + ($1 * 3)) / (1 + ($2 ** 2)))");
  });

  test("a template may span lines", () => {
    const { root } = expr`
      where(${0} > 0,
            ${1},
            -${2})
    `;
    expect(show(root)).toBe("where(($0 > 0), $1, (- $2))");
  });

  test("an error points at the operator or the name of a node", () => {
    const { root } = parse(["a + f(b)[0]"]);
    expect(root).toEqual({
      kind: "binary",
      operator: "+",
      offset: 2,
      left: { kind: "name", name: "a", offset: 0 },
      right: {
        kind: "index",
        offset: 8,
        left: {
          kind: "call",
          name: "f",
          offset: 4,
          args: [{ kind: "name", name: "b", offset: 6 }],
          keywords: [],
        },
        items: [{ kind: "number", value: 0, offset: 9 }],
      },
    });
  });
});

describe("every error says where, what and the cure", () => {
  test("its class and its fields", () => {
    const error = failure(["1 + ", " && 2"]);
    expect(error).toBeInstanceOf(ChunkwiseError);
    expect(error.name).toBe("ExprSyntaxError");
    expect(error.text).toBe(`1 + \${0} && 2`);
    expect(error.column).toBe(10);
    expect(error.cure).toBe("Write `and` or `&`");
  });

  const message = (source: string | readonly string[]) => `\n${failure(source).message}\n`;

  test("nothing, or too little", () => {
    expect(message("")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 1:

        ^
      Expected a value, found the end
      "
    `);
    expect(message("a +")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 4:
        a +
           ^
      Expected a value, found the end
      "
    `);
    expect(message("a + * b")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 5:
        a + * b
            ^
      Expected a value, found \`*\`
      "
    `);
    expect(message("f(a,,b)")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 5:
        f(a,,b)
            ^
      Expected a value, found \`,\`
      "
    `);
    expect(message("f(axis=)")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 8:
        f(axis=)
               ^
      Expected a value, found \`)\`
      "
    `);
    expect(message("()")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 2:
        ()
         ^
      Expected a value, found \`)\`
      "
    `);
    expect(message("a[]")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 2:
        a[]
         ^
      Expected an index, found \`]\`. For everything, write \`[...]\`.
      "
    `);
  });

  test("JavaScript's spellings", () => {
    expect(message(["", " > 0 && ", " < 1"])).toMatchInlineSnapshot(`
      "
      Invalid expression, column 10:
        \${0} > 0 && \${1} < 1
                 ^
      Expected a value or an operator, found \`&&\`. Write \`and\` or \`&\`.
      "
    `);
    expect(message("a || b")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 3:
        a || b
          ^
      Expected a value or an operator, found \`||\`. Write \`or\` or \`|\`.
      "
    `);
    expect(message("!a")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 1:
        !a
        ^
      Expected a value or an operator, found \`!\`. Write \`not x\`.
      "
    `);
    expect(message("a === b")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 3:
        a === b
          ^
      Expected a value or an operator, found \`===\`. Write \`==\`.
      "
    `);
    expect(message("a !== b")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 3:
        a !== b
          ^
      Expected a value or an operator, found \`!==\`. Write \`!=\`.
      "
    `);
    expect(message("a >>> b")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 3:
        a >>> b
          ^
      Expected a value or an operator, found \`>>>\`. Write \`>>\`.
      "
    `);
    expect(message("a > 0 ? a : b")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 7:
        a > 0 ? a : b
              ^
      Expected a value or an operator, found \`?\`. Write \`where(condition, a, b)\`.
      "
    `);
    expect(message("a = b")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 3:
        a = b
          ^
      Expected an operator or the end, found \`=\`. To compare, write \`==\`.
      "
    `);
    expect(message("f(a + 1 = b)")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 9:
        f(a + 1 = b)
                ^
      Expected \`,\` or \`)\`, found \`=\`. To compare, write \`==\`.
      "
    `);
    expect(message("$x + 1")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 1:
        $x + 1
        ^
      Expected a value or an operator, found \`$\`. A value is put in with \`\${value}\`.
      "
    `);
  });

  test("the spellings of mathematics and other languages", () => {
    const cures = (sources: string[]) => sources.map((source) => `${source} → ${failure(source).cure}`);
    expect(
      cures([
        "a ≤ b",
        "a ≥ b",
        "a ≠ b",
        "a × b",
        "a · b",
        "a ÷ b",
        "a − b",
        "a – b",
        "a²",
        "a³",
        "√a",
        "2π",
        "∞",
      ]),
    ).toMatchInlineSnapshot(`
      [
        "a ≤ b → Write \`<=\`",
        "a ≥ b → Write \`>=\`",
        "a ≠ b → Write \`!=\`",
        "a × b → Write \`*\`",
        "a · b → Write \`*\`",
        "a ÷ b → Write \`/\`",
        "a − b → Write \`-\`, the ASCII minus",
        "a – b → Write \`-\`, the ASCII minus",
        "a² → Write \`**2\`",
        "a³ → Write \`**3\`",
        "√a → Write \`sqrt(x)\`",
        "2π → Write \`pi\`",
        "∞ → Write \`inf\`",
      ]
    `);
    expect(
      cures([
        "a <> b",
        "a => b",
        "a =< b",
        "a[…]",
        "a if b",
        "a AND b",
        "a OR b",
        "a is b",
        "a mod b",
        "a div b",
        "a xor b",
      ]),
    ).toMatchInlineSnapshot(`
      [
        "a <> b → Write \`!=\`",
        "a => b → Write \`>=\`",
        "a =< b → Write \`<=\`",
        "a[…] → Write \`...\`, three dots",
        "a if b → Write \`where(condition, a, b)\`",
        "a AND b → Write \`and\`",
        "a OR b → Write \`or\`",
        "a is b → Write \`==\`",
        "a mod b → Write \`%\`",
        "a div b → Write \`//\`",
        "a xor b → Write \`^\`",
      ]
    `);
  });

  test("implicit multiplication", () => {
    expect(message("2x")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 2:
        2x
         ^
      Expected an operator or the end, found \`x\`. To multiply, write \`2*x\`.
      "
    `);
    expect(message("2(a + b)")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 2:
        2(a + b)
         ^
      Expected an operator or the end, found \`(\`. To multiply, write \`2*(…)\`.
      "
    `);
    expect(message("(a + b)(a - b)")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 8:
        (a + b)(a - b)
               ^
      Expected an operator or the end, found \`(\`. To multiply, write \`(…)*(…)\`.
      "
    `);
    expect(message(["", "", ""])).toMatchInlineSnapshot(`
      "
      Invalid expression, column 5:
        \${0}\${1}
            ^
      Expected an operator or the end, found \`\${1}\`. To multiply, write \`\${0}*\${1}\`.
      "
    `);
    expect(message(["", "(a)"])).toMatchInlineSnapshot(`
      "
      Invalid expression, column 5:
        \${0}(a)
            ^
      Expected an operator or the end, found \`(\`. To multiply, write \`\${0}*(…)\`.
      "
    `);
    expect(message("f(2 a)")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 5:
        f(2 a)
            ^
      Expected \`,\` or \`)\`, found \`a\`. To multiply, write \`2*a\`.
      "
    `);
  });

  test("brackets", () => {
    expect(message("(a + (b * c)")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 1:
        (a + (b * c)
        ^
      Expected \`)\` to close this \`(\`, found the end. Add the missing \`)\`.
      "
    `);
    expect(message("sum(a[0, axis=0)")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 6:
        sum(a[0, axis=0)
             ^
      Expected \`]\` to close this \`[\`, found \`)\` in column 16. Add the missing \`]\`.
      "
    `);
    expect(message("a[1:2")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 2:
        a[1:2
         ^
      Expected \`]\` to close this \`[\`, found the end. Add the missing \`]\`.
      "
    `);
    expect(message("a + b) * c")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 6:
        a + b) * c
             ^
      Expected an operator or the end, found \`)\`, which closes nothing. Remove it, or add the bracket that it should close.
      "
    `);
    expect(message("f(a; b)")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 4:
        f(a; b)
           ^
      Expected a value or an operator, found \`;\`
      "
    `);
  });

  test("things in the wrong place", () => {
    expect(message("1 + not a")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 5:
        1 + not a
            ^
      Expected a value, found \`not\`. Put it in parentheses: \`(not x)\`.
      "
    `);
    expect(message("[1, 2] + a")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 1:
        [1, 2] + a
        ^
      Expected a value, found \`[\`. A list stands only as an argument, as in \`axis=[0, 1]\`; elsewhere put it in with \`\${list}\`.
      "
    `);
    expect(message("a[[0, 2]]")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 3:
        a[[0, 2]]
          ^
      Expected a value, found \`[\`. A list stands only as an argument, as in \`axis=[0, 1]\`; elsewhere put it in with \`\${list}\`.
      "
    `);
    expect(message("(a, b) * 2")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 3:
        (a, b) * 2
          ^
      Expected an operator or \`)\`, found \`,\`. A tuple stands only as an argument, as in \`axis=(0, 1)\`.
      "
    `);
    expect(message("a, b")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 2:
        a, b
         ^
      Expected an operator or the end, found \`,\`. A tuple stands only as an argument, as in \`axis=(0, 1)\`.
      "
    `);
    expect(message("None + 1")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 1:
        None + 1
        ^
      Expected a value, found \`None\`. \`None\` stands only as an argument or as an index.
      "
    `);
    expect(message("... + 1")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 1:
        ... + 1
        ^
      Expected a value, found \`...\`. \`...\` stands only as an index, as in \`x[..., 0]\`.
      "
    `);
    expect(message("f(1:2)")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 4:
        f(1:2)
           ^
      Expected \`,\` or \`)\`, found \`:\`. A slice stands only as an index, as in \`x[1:3]\`.
      "
    `);
    expect(message("f(:2)")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 3:
        f(:2)
          ^
      Expected a value, found \`:\`. A slice stands only as an index, as in \`x[1:3]\`.
      "
    `);
    expect(message('astype(a, "float32")')).toMatchInlineSnapshot(`
      "
      Invalid expression, column 11:
        astype(a, "float32")
                  ^
      Expected a value, found \`"float32"\`. A string stands only after \`name=\`, as in \`dtype="float32"\`.
      "
    `);
    expect(message('f(dtype="float32" + 1)')).toMatchInlineSnapshot(`
      "
      Invalid expression, column 19:
        f(dtype="float32" + 1)
                          ^
      Expected \`,\` or \`)\`, found \`+\`
      "
    `);
  });

  test("arguments, methods and attributes", () => {
    expect(message("sum(a, axis=0, b)")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 16:
        sum(a, axis=0, b)
                       ^
      Expected another \`name=value\`, found \`b\`. Put the arguments without a name first.
      "
    `);
    expect(message("sum(a, axis=0, axis=1)")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 16:
        sum(a, axis=0, axis=1)
                       ^
      Expected a new keyword, found \`axis\` again. Remove one of the two.
      "
    `);
    expect(message("a.sum + 1")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 3:
        a.sum + 1
          ^
      Expected \`(\` after the method \`sum\`, found \`+\`. Write \`.sum()\`.
      "
    `);
    expect(message("a.")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 3:
        a.
          ^
      Expected the name of a method, found the end
      "
    `);
  });

  test("numbers and strings", () => {
    expect(message("1__0")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 1:
        1__0
        ^
      \`_\` in a number stands only between two digits
      "
    `);
    expect(message("a + 007")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 5:
        a + 007
            ^
      A whole number does not begin with 0. Remove the zeros; an octal number is written \`0o17\`.
      "
    `);
    expect(message("0b12")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 1:
        0b12
        ^
      A digit does not belong to the base of this number
      "
    `);
    expect(message("18446744073709551616")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 1:
        18446744073709551616
        ^
      This whole number does not fit in 64 bits. Write it as a float, as in \`1e30\`.
      "
    `);
    expect(message('f(dtype="float32)')).toMatchInlineSnapshot(`
      "
      Invalid expression, column 9:
        f(dtype="float32)
                ^
      The string that begins with " does not end before the next line, hole or end. Close it, or put the whole value in with \`\${value}\`.
      "
    `);
    expect(message(['f(dtype="', '")'])).toMatchInlineSnapshot(`
      "
      Invalid expression, column 9:
        f(dtype="\${0}")
                ^
      The string that begins with " does not end before the next line, hole or end. Close it, or put the whole value in with \`\${value}\`.
      "
    `);
  });

  test("characters nobody can see", () => {
    expect(message("a \u200b+ b")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 3:
        a  + b
          ^
      Expected a value or an operator, found the character U+200B
      "
    `);
    expect(message("a + \u001b[31m")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 5:
        a +  [31m
            ^
      Expected a value or an operator, found the character U+001B
      "
    `);
    expect(message("a # b")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 3:
        a # b
          ^
      Expected a value or an operator, found \`#\`
      "
    `);
  });

  test("a cooked piece with a bad escape is undefined", () => {
    expect(message([undefined as unknown as string])).toMatchInlineSnapshot(`
      "
      Invalid expression, column 1:
        \\
        ^
      Expected a value or an operator, found \`\\\`
      "
    `);
  });

  test("several lines are shown as one, the caret stays in place after an emoji", () => {
    expect(message("a +\n  b c")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 9:
        a +   b c
                ^
      Expected an operator or the end, found \`c\`. To multiply, write \`b*c\`.
      "
    `);
    expect(message("f(k='🦆', 2)")).toMatchInlineSnapshot(`
      "
      Invalid expression, column 11:
        f(k='🦆', 2)
                 ^
      Expected another \`name=value\`, found \`2\`. Put the arguments without a name first.
      "
    `);
  });

  test("a long text is cut around the place", () => {
    expect(message(`${"a + ".repeat(100)}2x${" + b".repeat(100)}`)).toMatchInlineSnapshot(`
      "
      Invalid expression, column 402:
        … + a + a + a + a + a + a + a + a + 2x + b + b + b + b + b + b + b + b + …
                                             ^
      Expected an operator or the end, found \`x\`. To multiply, write \`2*x\`.
      "
    `);
    expect(message(`2 ${"x".repeat(1000)}`)).toMatchInlineSnapshot(`
      "
      Invalid expression, column 3:
        2 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
          ^
      Expected an operator or the end, found \`xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…\`. To multiply, write \`2*xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…\`.
      "
    `);
  });

  test("too deep", () => {
    expect(message(`${"(".repeat(201)}a${")".repeat(201)}`)).toMatchInlineSnapshot(`
      "
      Invalid expression, column 201:
        …(((((((((((((((((((((((((((((((((((((a))))))))))))))))))))))))))))))))))…
                                             ^
      The expression is nested more than 200 levels deep, brackets and operators counted. Compute a part of it first and put that in with \`\${part}\`.
      "
    `);
  });
});

describe("evaluation", () => {
  const run = (source: string, holes?: readonly unknown[]) =>
    write(evaluate(parse(source.split("#")), writer(holes)));

  test.each([
    ["a + b", "add(a, b)"],
    ["a - b", "subtract(a, b)"],
    ["a * b", "multiply(a, b)"],
    ["a / b", "divide(a, b)"],
    ["a // b", "floorDivide(a, b)"],
    ["a % b", "remainder(a, b)"],
    ["a ** b", "pow(a, b)"],
    ["a @ b", "matmul(a, b)"],
    ["a < b", "less(a, b)"],
    ["a <= b", "lessEqual(a, b)"],
    ["a > b", "greater(a, b)"],
    ["a >= b", "greaterEqual(a, b)"],
    ["a == b", "equal(a, b)"],
    ["a != b", "notEqual(a, b)"],
    ["a & b", "bitwiseAnd(a, b)"],
    ["a | b", "bitwiseOr(a, b)"],
    ["a ^ b", "bitwiseXor(a, b)"],
    ["~a", "bitwiseInvert(a)"],
    ["a << b", "bitwiseLeftShift(a, b)"],
    ["a >> b", "bitwiseRightShift(a, b)"],
    ["a and b", "logicalAnd(a, b)"],
    ["a or b", "logicalOr(a, b)"],
    ["not a", "logicalNot(a)"],
    ["-a", "negative(a)"],
    ["+a", "positive(a)"],
  ])("the operator of %s", (source, text) => {
    expect(run(source)).toBe(text);
  });

  test.each([
    ["2*3", "6"],
    ["-1", "-1"],
    ["1/2", "0.5"],
    ["2**-1", "0.5"],
    ["1 + 2 - 4", "-1"],
    ["-2**2", "-4"],
    ["2*pi*a", `multiply(${2 * Math.PI}, a)`],
    ["a*2*3", "multiply(multiply(a, 2), 3)"],
    ["a*(2*3)", "multiply(a, 6)"],
    ["#*2", "10"],
    ["7 // 2", "floorDivide(7, 2)"],
    ["7 % 2", "remainder(7, 2)"],
    ["1 < 2", "less(1, 2)"],
    ["+1", "positive(1)"],
    ["True + 1", "add(true, 1)"],
    ["-9223372036854775808", "-9223372036854775808n"],
    ["9007199254740993 + 1", "add(9007199254740993n, 1)"],
    ["1 + 2j", "add(1, complex(0, 2))"],
  ])("plain numbers fold: %s", (source, text) => {
    expect(run(source, [5])).toBe(text);
  });

  test.each([
    ["(#*2 + #*3) / (1 + #**2)", "divide(add(multiply(x, 2), multiply(y, 3)), add(1, pow(z, 2)))"],
    ["a < b < c", "logicalAnd(less(a, b), less(b, c))"],
    ["a < b < c < 1", "logicalAnd(logicalAnd(less(a, b), less(b, c)), less(c, 1))"],
    ["sum(a, axis=(0, 1), dtype='float32')", "sum(a, axis=[0,1], dtype=float32)"],
    ["f(None, [1, [2]], True)", "f(null, [1,[2]], true)"],
    ["logical_and(a, b)", "logicalAnd(a, b)"],
    ["#.sum(axis=-1).T", "x.sum(axis=-1).T()"],
    ["a and b or not c", "logicalOr(logicalAnd(a, b), logicalNot(c))"],
    ["__proto__(a, __proto__=1)", "__proto__(a, __proto__=1)"],
  ])("%s", (source, text) => {
    expect(run(source)).toBe(text);
  });

  test("the middle of a chain of comparisons is computed once", () => {
    let calls = 0;
    const context = { ...writer(), hole: () => `h${calls++}` };
    expect(evaluate(expr`a < ${0} < c`, context)).toBe("logicalAnd(less(a, h0), less(h0, c))");
  });

  test("indices", () => {
    const itemsOf = (ast: Ast, holes: readonly unknown[] = []) => {
      let items: IndexItem[] = [];
      evaluate(ast, { ...writer(holes), index: (_, found) => (items = found) });
      return items;
    };
    const none = { start: null, stop: null, step: null };
    expect(itemsOf(expr`a[1:3, ..., None, ::-2, -1, :]`)).toEqual([
      { start: 1, stop: 3, step: null },
      "...",
      null,
      { ...none, step: -2 },
      -1,
      none,
    ]);
    const array = [0, 2];
    expect(
      itemsOf(expr`a[${0}, ${1}, ${2}, -${3}, ${4}:${5}-1, ${6}:]`, [array, 3, null, 4n, 1, 9, undefined]),
    ).toEqual([{ value: array }, 3, null, -4, { start: 1, stop: 8, step: null }, none]);
    expect(itemsOf(expr`a[b > 0, -0, 2*3]`)).toEqual([{ value: "greater(b, 0)" }, 0, 6]);
  });

  test("indices that are not whole", () => {
    expect(`\n${failure("a[1/2]").message}\n`).toMatchInlineSnapshot(`
      "
      Invalid expression, column 4:
        a[1/2]
           ^
      Expected a whole number as index, found 0.5. Round it first.
      "
    `);
    expect(`\n${failure("a[:b]").message}\n`).toMatchInlineSnapshot(`
      "
      Invalid expression, column 4:
        a[:b]
           ^
      Expected a whole number as bound of the slice, found a value of type string
      "
    `);
    expect(`\n${failure(parse(["a[:", "]"]), writer([{}])).message}\n`).toMatchInlineSnapshot(`
      "
      Invalid expression, column 4:
        a[:\${0}]
           ^
      Expected a whole number as bound of the slice, found a value of type object. Compute it first and put it in with \`\${bound}\`.
      "
    `);
    expect(`\n${failure("a[0.5:]").message}\n`).toMatchInlineSnapshot(`
      "
      Invalid expression, column 3:
        a[0.5:]
          ^
      Expected a whole number as bound of the slice, found 0.5
      "
    `);
  });

  test("names the context does not know", () => {
    const context: EvaluationContext<unknown> = {
      ...writer(),
      call: (name, _, keywords) => {
        for (const keyword of keywords.keys())
          if (keyword !== "axis") throw new UnknownName(keyword, ["axis"]);
        throw new UnknownName(name, ["sqrt", "square"]);
      },
      method: (_, name) => {
        throw new UnknownName(name, []);
      },
    };
    expect(`\n${failure("1 + sqr(a)", context).message}\n`).toMatchInlineSnapshot(`
      "
      Invalid expression, column 5:
        1 + sqr(a)
            ^
      Unknown name \`sqr\`. Perhaps you meant \`sqrt\` or \`square\`.
      "
    `);
    expect(`\n${failure("sum(a, axs=0)", context).message}\n`).toMatchInlineSnapshot(`
      "
      Invalid expression, column 8:
        sum(a, axs=0)
               ^
      Unknown name \`axs\`. Perhaps you meant \`axis\`.
      "
    `);
    expect(`\n${failure("a.foo_bar()", context).message}\n`).toMatchInlineSnapshot(`
      "
      Invalid expression, column 3:
        a.foo_bar()
          ^
      Unknown name \`fooBar\`
      "
    `);
    expect(`\n${failure("a @ b", context).message}\n`).toMatchInlineSnapshot(`
      "
      Invalid expression, column 3:
        a @ b
          ^
      Unknown name \`matmul\`. Perhaps you meant \`sqrt\` or \`square\`.
      "
    `);
    expect(`\n${failure("2 * constructor", context).message}\n`).toMatchInlineSnapshot(`
      "
      Invalid expression, column 5:
        2 * constructor
            ^
      Unknown name \`constructor\`
      "
    `);
  });

  test("other errors of the context pass unchanged", () => {
    const broken = new TypeError("shapes differ");
    const context = {
      ...writer(),
      call: () => {
        throw broken;
      },
    };
    expect(() => evaluate(expr`a + b`, context)).toThrow(broken);
  });

  test("`result` makes the final value what the caller wants, and gives evaluate its type", () => {
    const context = { ...writer(), result: (value: unknown) => ({ wrapped: value }) };
    const result: { wrapped: unknown } = evaluate(expr`2 * 3`, context);
    expect(result).toEqual({ wrapped: 6 });
  });
});

describe("hostile input", () => {
  const many = 100_000;
  const evaluated = (source: string) =>
    evaluate(parse([source]), { ...writer(), call: () => "v", method: () => "v", index: () => "v" });

  test("ten thousand brackets end in a typed error, closed or not", () => {
    for (const [open, close] of [
      ["(", ")"],
      ["f(", ")"],
      ["a[", "]"],
      ["f([", "])"],
      ["-", ""],
      ["not ", ""],
      ["2**", ""],
    ]) {
      const closed = failure(`${open?.repeat(10_000)}a${close?.repeat(10_000)}`);
      expect(closed.message).toContain("nested more than 200 levels deep");
      if (close !== "") expect(failure(`${open?.repeat(10_000)}`).message).toContain("found the end");
      expect(closed.message.length).toBeLessThan(500);
    }
  });

  test("the deepest that is allowed needs little stack, with all levels of operators inside each bracket", () => {
    const level = "a or a and a < a | a ^ a & a << a + a * a ** (";
    expect(failure(`${level.repeat(10_000)}a${")".repeat(10_000)}`).message).toContain(
      "nested more than 200",
    );
    expect(evaluated(`${level.repeat(18)}a${")".repeat(18)}`)).toBe("v");
    expect(evaluated(`${"(".repeat(200)}a${")".repeat(200)}`)).toBe("a");
  });

  test.each([
    ["a sum", `${"a + ".repeat(many)}a`],
    ["a product of sums", `${"(a + b) * ".repeat(many)}a`],
    ["a chain of and", `${"a and ".repeat(many)}a`],
    ["a chain of comparisons", `${"a < ".repeat(many)}a`],
    ["attributes", `a${".T".repeat(many)}`],
    ["indices", `a${"[0]".repeat(many)}`],
    ["methods", `a${".m(1)".repeat(many)}`],
    ["arguments", `f(${"a, ".repeat(many)})`],
    ["keywords", `f(${Array.from({ length: many }, (_, index) => `k${index}=1`).join(", ")})`],
    ["a list", `f([${"1, ".repeat(many)}])`],
    ["index items", `a[${"1:2, ".repeat(many)}]`],
    ["blanks", `a${" ".repeat(10 * many)}`],
    ["a number", `0.${"1".repeat(10 * many)} * a`],
    ["a string", `f(k="${"s".repeat(10 * many)}")`],
  ])("very long: %s", (_, source) => {
    evaluated(source);
  });

  test("very long and wrong", () => {
    const long = 10 * many;
    for (const source of [
      "a".repeat(long),
      `1${"_".repeat(long)}`,
      "9".repeat(long),
      `"${"s".repeat(long)}`,
    ]) {
      expect(failure(source).message.length).toBeLessThan(500);
    }
  });

  test("any text gives an AST or our error", () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary" }),
      fc
        .array(
          fc.constantFrom(
            ..."a 1 . ( ) [ ] , : = + - * ** / < == not and ... None 'x' \" ! & && j 0x _ __proto__".split(
              " ",
            ),
          ),
        )
        .map((words) => words.join("")),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 4 }), (pieces) => {
        try {
          parse(pieces);
        } catch (error) {
          expect(error).toBeInstanceOf(ExprSyntaxError);
          const { column, text, message } = error as ExprSyntaxError;
          expect(column).toBeGreaterThanOrEqual(1);
          expect(column).toBeLessThanOrEqual(text.length + 1);
          expect(message.split("\n")).toHaveLength(4);
        }
      }),
      { numRuns: 4000 },
    );
  });
});

// --- print → parse → the same AST ---------------------------------------------------------------------------------

/** Python's table once more, written down independently of the parser. */
const levels: Readonly<Record<string, number>> = Object.fromEntries(
  [
    ["or"],
    ["and"],
    ["not"],
    ["<", "<=", ">", ">=", "==", "!="],
    ["|"],
    ["^"],
    ["&"],
    ["<<", ">>"],
    ["+", "-"],
    ["*", "/", "//", "%", "@"],
    ["unary"],
    ["**"],
  ].flatMap((row, index) => row.map((operator) => [operator, index + 1])),
);
const level = (operator: string): number => levels[operator] ?? 0;
const primary = 13;
const holeMark = "\u0001";

/** How to put an expression of one level where at least another is needed. */
type Wrap = (text: string, has: number, needs: number) => string;
const whereNeeded: Wrap = (text, has, needs) => (has < needs ? `(${text})` : text);
const everywhere: Wrap = (text) => `(${text})`;

function print(node: AnyNode, needs: number, wrap: Wrap): string {
  const inner = (child: AnyNode | null, least: number) => (child === null ? "" : print(child, least, wrap));
  const list = (nodes: readonly AnyNode[]) => nodes.map((child) => inner(child, 0)).join(", ");
  const args = (of: { args: readonly ArgumentNode[]; keywords: readonly KeywordNode[] }) =>
    [
      ...of.args.map((arg) => inner(arg, 0)),
      ...of.keywords.map((k) => `${k.name}=${inner(k.value, 0)}`),
    ].join(", ");
  switch (node.kind) {
    case "number":
      // `1.T` would be the number `1.` and the name T.
      return wrap(String(node.value), primary - 1, needs);
    case "bigint":
      return wrap(String(node.value), primary - 1, needs);
    case "imaginary":
      return `${node.value}j`;
    case "bool":
      return node.value ? "True" : "false";
    case "hole":
      return holeMark;
    case "name":
      return node.name;
    case "string":
      return `'${node.value}'`;
    case "none":
      return "None";
    case "ellipsis":
      return "...";
    case "list":
      return `[${list(node.items)}]`;
    case "slice":
      return `${inner(node.start, 0)}:${inner(node.stop, 0)}:${inner(node.step, 0)}`;
    case "call":
      return `${node.name}(${args(node)})`;
    case "method": {
      const suffix = node.name === "T" ? "" : `(${args(node)})`;
      return `${inner(node.left, primary)}.${node.name}${suffix}`;
    }
    case "index":
      return `${inner(node.left, primary)}[${list(node.items)}]`;
    case "unary": {
      const own = level(node.operator === "not" ? "not" : "unary");
      return wrap(`${node.operator} ${inner(node.operand, own)}`, own, needs);
    }
    case "compare": {
      const own = level("<");
      const links = node.links.map((link) => ` ${link.operator} ${inner(link.right, own + 1)}`);
      return wrap(inner(node.left, own + 1) + links.join(""), own, needs);
    }
    case "binary":
    case "logical": {
      const own = level(node.operator);
      const [left, right] = node.operator === "**" ? [primary, level("unary")] : [own, own + 1];
      return wrap(`${inner(node.left, left)} ${node.operator} ${inner(node.right, right)}`, own, needs);
    }
    default:
      return node satisfies never;
  }
}

const offset = fc.constant(0);
const names = fc.constantFrom(
  "a",
  "sqrt",
  "logicalAnd",
  "e",
  "j",
  "x1",
  "_",
  "__proto__",
  "constructor",
  "toString",
);

const { node: anyNode } = fc.letrec<{
  node: Node;
  argument: ArgumentNode;
  item: ItemNode;
  keywords: KeywordNode[];
}>((tie) => {
  const depth = { maxDepth: 4, depthSize: "max", depthIdentifier: "node" } as const;
  const node = tie("node");
  const kind = <K extends string>(value: K) => fc.constant(value);
  const bound = fc.option(node, { nil: null });
  const args = fc.array(tie("argument"), { maxLength: 3 });
  const keywords = tie("keywords");
  const positive = fc.oneof(fc.nat(9), fc.double({ min: 0, max: 1e6, noNaN: true }));
  const none = fc.record({ kind: kind("none"), offset });
  const string = fc.record({ kind: kind("string"), offset, value: fc.constantFrom("", "float32", "a(+ b") });
  const compareOperator = fc.constantFrom("<", "<=", ">", ">=", "==", "!=");
  const binaryOperator = fc.constantFrom("|", "^", "&", "<<", ">>", "+", "-", "*", "/", "//", "%", "@", "**");
  const links = fc.array(fc.record({ operator: compareOperator, offset, right: node }), {
    minLength: 1,
    maxLength: 3,
  });
  const leaf = fc.oneof(
    fc.record({ kind: kind("number"), offset, value: positive }),
    fc.record({ kind: kind("bigint"), offset, value: fc.bigInt(2n ** 53n, 2n ** 64n - 1n) }),
    fc.record({ kind: kind("imaginary"), offset, value: positive }),
    fc.record({ kind: kind("bool"), offset, value: fc.boolean() }),
    fc.record({ kind: kind("hole"), offset, index: fc.constant(0) }),
    fc.record({ kind: kind("name"), offset, name: names }),
  );
  const operation = fc.oneof(
    fc.record({
      kind: kind("unary"),
      offset,
      operator: fc.constantFrom("-", "+", "~", "not"),
      operand: node,
    }),
    fc.record({ kind: kind("binary"), offset, operator: binaryOperator, left: node, right: node }),
    fc.record({
      kind: kind("logical"),
      offset,
      operator: fc.constantFrom("and", "or"),
      left: node,
      right: node,
    }),
    fc.record({ kind: kind("compare"), offset, left: node, links }),
  );
  const application = fc.oneof(
    fc.record({ kind: kind("call"), offset, name: names, args, keywords }),
    fc.record({ kind: kind("method"), offset, left: node, name: names, args, keywords }),
    fc.record({
      kind: kind("method"),
      offset,
      left: node,
      name: kind("T"),
      args: fc.constant([]),
      keywords: fc.constant([]),
    }),
    fc.record({
      kind: kind("index"),
      offset,
      left: node,
      items: fc.array(tie("item"), { minLength: 1, maxLength: 3 }),
    }),
  );
  return {
    // Weighted towards operators: shallow trees would say little about precedence.
    node: fc.oneof(
      depth,
      { arbitrary: leaf, weight: 1 },
      { arbitrary: operation, weight: 4 },
      { arbitrary: application, weight: 1 },
    ) as fc.Arbitrary<Node>,
    argument: fc.oneof(depth, node, none, fc.record({ kind: kind("list"), offset, items: args })),
    item: fc.oneof(
      node,
      none,
      fc.record({ kind: kind("ellipsis"), offset }),
      fc.record({ kind: kind("slice"), offset, start: bound, stop: bound, step: bound }),
    ),
    keywords: fc.uniqueArray(fc.record({ name: names, offset, value: fc.oneof(tie("argument"), string) }), {
      selector: ({ name }) => name,
      maxLength: 2,
    }),
  };
});

/** The same tree with every offset 0, and the holes it has, in the order of the text. */
function withoutPlaces(tree: unknown, holes: number[]): unknown {
  if (Array.isArray(tree)) return tree.map((part) => withoutPlaces(part, holes));
  if (typeof tree !== "object" || tree === null) return tree;
  if ("index" in tree) holes.push(Number(tree.index));
  const zeroed = ([key, value]: [string, unknown]) => [
    key,
    key === "offset" || key === "index" ? 0 : withoutPlaces(value, holes),
  ];
  return Object.fromEntries(Object.entries(tree).map(zeroed));
}

describe("print → parse → the same AST", () => {
  test.each<[string, Wrap]>([
    ["with parentheses where needed", whereNeeded],
    ["with parentheses everywhere", everywhere],
  ])("%s", (_, wrap) => {
    fc.assert(
      fc.property(anyNode, (node) => {
        const pieces = print(node, 0, wrap).split(holeMark);
        const holes: number[] = [];
        expect(withoutPlaces(parse(pieces).root, holes)).toEqual(node);
        expect(holes).toEqual(Array.from({ length: pieces.length - 1 }, (_, index) => index));
      }),
      { numRuns: 4000 },
    );
  });
});
