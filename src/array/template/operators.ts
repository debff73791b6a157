// Every operator: how tightly it binds, which array API function it is, and how two plain numbers fold.
// Must hold: levels and associativity are Python's. A higher level binds tighter.

export type LogicalOperator = "or" | "and";
export type UnaryOperator = "not" | "-" | "+" | "~";
export type CompareOperator = "<" | "<=" | ">" | ">=" | "==" | "!=";
export type BinaryOperator = "|" | "^" | "&" | "<<" | ">>" | "+" | "-" | "*" | "/" | "//" | "%" | "@" | "**";

export interface Operator {
  readonly level: number;
  readonly calls: string;
}

export interface FoldingUnary extends Operator {
  readonly fold?: (operand: number) => number;
}

export interface FoldingBinary extends Operator {
  readonly fold?: (left: number, right: number) => number;
  readonly rightAssociative?: true;
}

/** Keyed by the kind of the AST node that carries the operator. */
export interface OperatorTable {
  readonly logical: Readonly<Record<LogicalOperator, Operator>>;
  readonly unary: Readonly<Record<UnaryOperator, FoldingUnary>>;
  readonly compare: Readonly<Record<CompareOperator, Operator>>;
  readonly binary: Readonly<Record<BinaryOperator, FoldingBinary>>;
}

export const operators: OperatorTable = {
  logical: {
    or: { level: 1, calls: "logicalOr" },
    and: { level: 2, calls: "logicalAnd" },
  },
  unary: {
    not: { level: 3, calls: "logicalNot" },
    "-": { level: 11, calls: "negative", fold: (a) => -a },
    "+": { level: 11, calls: "positive" },
    "~": { level: 11, calls: "bitwiseInvert" },
  },
  compare: {
    "<": { level: 4, calls: "less" },
    "<=": { level: 4, calls: "lessEqual" },
    ">": { level: 4, calls: "greater" },
    ">=": { level: 4, calls: "greaterEqual" },
    "==": { level: 4, calls: "equal" },
    "!=": { level: 4, calls: "notEqual" },
  },
  binary: {
    "|": { level: 5, calls: "bitwiseOr" },
    "^": { level: 6, calls: "bitwiseXor" },
    "&": { level: 7, calls: "bitwiseAnd" },
    "<<": { level: 8, calls: "bitwiseLeftShift" },
    ">>": { level: 8, calls: "bitwiseRightShift" },
    "+": { level: 9, calls: "add", fold: (a, b) => a + b },
    "-": { level: 9, calls: "subtract", fold: (a, b) => a - b },
    "*": { level: 10, calls: "multiply", fold: (a, b) => a * b },
    "/": { level: 10, calls: "divide", fold: (a, b) => a / b },
    "//": { level: 10, calls: "floorDivide" },
    "%": { level: 10, calls: "remainder" },
    "@": { level: 10, calls: "matmul" },
    "**": { level: 12, calls: "pow", fold: (a, b) => a ** b, rightAssociative: true },
  },
};

/** Below every operator: an expression that begins afresh, as in parentheses. */
export const lowestLevel = 0;

// `hasOwn`, because a token may be spelled like something every object inherits.
export function isOperator<K extends keyof OperatorTable>(
  kind: K,
  text: string,
): text is keyof OperatorTable[K] & string {
  return Object.hasOwn(operators[kind], text);
}
