// The expression as a tree of plain data.
// Must hold: `offset` is where an error about the node should point (the name of a call, the sign of an operator);
// names are canonical (camelCase); only left operands and targets nest without limit, all else at most `deepestNesting`.

import type { BinaryOperator, CompareOperator, LogicalOperator, UnaryOperator } from "./operators.ts";

export const deepestNesting = 200;

export interface Ast {
  /** The display text that the offsets refer to. */
  readonly text: string;
  readonly root: Node;
}

interface At<K extends string> {
  readonly kind: K;
  readonly offset: number;
}

export interface NumberNode extends At<"number"> {
  readonly value: number;
}
/** A whole number too large to be exact as a JavaScript number. */
export interface BigintNode extends At<"bigint"> {
  readonly value: bigint;
}
/** `2j`: the value is the imaginary part. */
export interface ImaginaryNode extends At<"imaginary"> {
  readonly value: number;
}
export interface BoolNode extends At<"bool"> {
  readonly value: boolean;
}
export interface HoleNode extends At<"hole"> {
  readonly index: number;
}
export interface NameNode extends At<"name"> {
  readonly name: string;
}
export interface UnaryNode extends At<"unary"> {
  readonly operator: UnaryOperator;
  readonly operand: Node;
}
export interface BinaryNode extends At<"binary"> {
  readonly operator: BinaryOperator;
  readonly left: Node;
  readonly right: Node;
}
export interface LogicalNode extends At<"logical"> {
  readonly operator: LogicalOperator;
  readonly left: Node;
  readonly right: Node;
}
/** `a < b <= c` is one node: left a, links `< b` and `<= c`. It means `(a < b) and (b <= c)`, b computed once. */
export interface CompareNode extends At<"compare"> {
  readonly left: Node;
  readonly links: readonly CompareLink[];
}
export interface CompareLink {
  readonly operator: CompareOperator;
  readonly offset: number;
  readonly right: Node;
}
export interface CallNode extends At<"call">, Arguments {
  readonly name: string;
}
/** `x.sum(axis=0)`, and `x.T`, which has no arguments. */
export interface MethodNode extends At<"method">, Arguments {
  readonly left: Node;
  readonly name: string;
}
export interface IndexNode extends At<"index"> {
  readonly left: Node;
  readonly items: readonly ItemNode[];
}

export type Node =
  | NumberNode
  | BigintNode
  | ImaginaryNode
  | BoolNode
  | HoleNode
  | NameNode
  | UnaryNode
  | BinaryNode
  | LogicalNode
  | CompareNode
  | CallNode
  | MethodNode
  | IndexNode;

/** Nodes whose left side may nest without limit: a sum of ten thousand terms leans that far to the left. */
export type LeaningNode = BinaryNode | LogicalNode | CompareNode | MethodNode | IndexNode;

export interface Arguments {
  readonly args: readonly ArgumentNode[];
  readonly keywords: readonly KeywordNode[];
}
export interface KeywordNode {
  readonly name: string;
  readonly offset: number;
  readonly value: ArgumentNode | StringNode;
}
export type ArgumentNode = Node | NoneNode | ListNode;
export interface StringNode extends At<"string"> {
  readonly value: string;
}
export interface NoneNode extends At<"none"> {}
/** `[0, 1]` and `(0, 1)` alike. */
export interface ListNode extends At<"list"> {
  readonly items: readonly ArgumentNode[];
}

export type ItemNode = Node | NoneNode | EllipsisNode | SliceNode;
export interface EllipsisNode extends At<"ellipsis"> {}
export interface SliceNode extends At<"slice"> {
  readonly start: Node | null;
  readonly stop: Node | null;
  readonly step: Node | null;
}
