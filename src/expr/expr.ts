// Expr: what is to be computed. An interned, immutable node: equal expressions are the same object,
// so merging common subexpressions is free and a type is never stale.
// In: an op, inputs, attributes. Out: the one node of that meaning.
// Must hold: type = op.infer(types of inputs, attrs). Chunks are not part of the type (chunks.ts).

import { type Attrs, attrsText, NO_ATTRS } from "../core/attrs.ts";
import type { DType } from "../core/dtype.ts";
import { checkSize, type Shape } from "../core/shape.ts";
import { addUser, findUser, type Interned, type UserHolder, type Users } from "./intern.ts";
import type { ArrayType, Op } from "./op.ts";
import { type Site, siteFor } from "./site.ts";

export interface Derivation {
  readonly rule: string;
  readonly from: Expr;
}

export class Expr implements Interned {
  readonly op: Op;
  readonly inputs: readonly Expr[];
  readonly attrs: Attrs;
  readonly type: ArrayType;
  /** Grows with construction, so inputs have smaller numbers than what uses them. */
  readonly id: number;
  readonly hash: number;
  /** The user's call that made it first. */
  readonly site: Site | null;
  /** Filled by key.ts on demand. */
  key: string | null = null;
  /** Which rule made it first, and of which node; null where none did. */
  derivation: Derivation | null = null;
  /** The nodes of which this is the youngest input, for interning. */
  users: Users<Expr> | null = null;

  /** Use `makeExpr`: only interned nodes compare by identity. */
  constructor(
    op: Op,
    inputs: readonly Expr[],
    attrs: Attrs,
    type: ArrayType,
    id: number,
    hash: number,
    site: Site | null,
  ) {
    this.op = op;
    this.inputs = inputs;
    this.attrs = attrs;
    this.type = type;
    this.id = id;
    this.hash = hash;
    this.site = site;
  }

  get dtype(): DType {
    return this.type.dtype;
  }
  get shape(): Shape {
    return this.type.shape;
  }
}

const NO_INPUTS: readonly Expr[] = Object.freeze([]);
/** Sources have no input whose users they could be. */
const sources: UserHolder<Expr> = { users: null };
let nextId = 0;

export function makeExpr(
  op: Op,
  inputs: readonly Expr[] = NO_INPUTS,
  attrs: Attrs = NO_ATTRS,
  site: Site | null = siteFor(op),
): Expr {
  const text = localText(attrs);
  const hash = hashNode(op, inputs, text);
  const holder: UserHolder<Expr> = youngestOf(inputs) ?? sources;
  const known = findUser(holder, hash, (node) => isSameNode(node, op, inputs, text));
  if (known !== undefined) return known;
  const node = new Expr(op, inputs, attrs, inferType(op, inputs, attrs), nextId++, hash, site);
  addUser(holder, node);
  return node;
}

function youngestOf(inputs: readonly Expr[]): Expr | null {
  let youngest: Expr | null = null;
  for (const input of inputs) if (youngest === null || input.id > youngest.id) youngest = input;
  return youngest;
}

const localText = (attrs: Attrs): string => attrsText(attrs, (resource) => `#${resource.id}`);

function inferType(op: Op, inputs: readonly Expr[], attrs: Attrs): ArrayType {
  const types = new Array<ArrayType>(inputs.length);
  for (let i = 0; i < inputs.length; i++) types[i] = inputs[i]!.type;
  const type = op.infer(types, attrs);
  if (type !== types[0]) checkSize(type.shape);
  return type;
}

function isSameNode(node: Expr, op: Op, inputs: readonly Expr[], text: string): boolean {
  if (node.op !== op || node.inputs.length !== inputs.length) return false;
  for (let i = 0; i < inputs.length; i++) if (node.inputs[i] !== inputs[i]) return false;
  return text === localText(node.attrs);
}

const opHashes = new WeakMap<Op, number>();

/** 30 bits: small enough to be kept unboxed. */
function hashNode(op: Op, inputs: readonly Expr[], text: string): number {
  let hash = opHashes.get(op);
  if (hash === undefined) {
    hash = hashText(op.name, 0x811c9dc5);
    opHashes.set(op, hash);
  }
  for (let i = 0; i < inputs.length; i++) hash = mix(hash, inputs[i]!.id);
  return (text === "" ? hash : hashText(text, hash)) & 0x3fffffff;
}

const mix = (hash: number, value: number): number => {
  const x = Math.imul(hash ^ value, 0x9e3779b1);
  return x ^ (x >>> 15);
};

function hashText(text: string, seed: number): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash ^ (hash >>> 13);
}
