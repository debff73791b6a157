// Expr: what is to be computed. An interned, immutable node: equal expressions are the same object,
// so merging common subexpressions is free and a type is never stale.
// In: an op, inputs, attributes. Out: the one node of that meaning.
// Must hold: type = op.infer(types of inputs, attrs). Chunks are not part of the type (`chunksOf`).

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { type Attrs, attrsText, NO_ATTRS, type Resource } from "../core/block.ts";
import { type ChunkShape, checkSize, type Shape, sameShape, sizeOf } from "../core/chunks.ts";
import { type DType, infoOf } from "../core/dtype.ts";
import { hasUnknown } from "../core/unknown.ts";
import { checkArity } from "./arity.ts";
import { addUser, findUser, type Interned, Interning, type UserHolder, type Users } from "./intern.ts";
import { type ArrayType, assertDense, checkUnknown, denseOf, inferType, type Op } from "./op.ts";
import { type Site, siteFor } from "./site.ts";
import { ofUsualSize, unifyChunks } from "./unify.ts";

/** Numbers of orders that put nodes into places (rewrite/functionGraph.ts): larger than those of the orders that they took nodes from. */
export interface Placing {
  readonly number: number;
}

/** A step that led to a node: the rule, and what it was applied to. */
export interface Derivation {
  /** The rule's name. */
  readonly rule: string;
  /** The node it replaced. */
  readonly from: Expr;
}

/**
 * A node of an expression: its op, its inputs, its attributes. Equal ones are one object: `x.expr` is that of a lazy
 * array.
 */
export class Expr implements Interned, UserHolder<Expr> {
  // Declared, not initialised: a node is the most frequent object of all, and so each field is written once.
  // What walks look at comes first, to lie in one line of the cache.
  declare readonly op: Op;
  declare readonly inputs: readonly Expr[];
  /** Where the last order that has it put it; of use to that order alone (rewrite/functionGraph.ts). */
  declare place: number;
  /** Which order gave it that place. */
  declare placing: Placing | null;
  /** Nothing in it waits for a stage: it can be lowered, and all lengths are known. */
  declare readonly isSettled: boolean;
  /** Inputs have smaller numbers than what uses them. */
  declare readonly id: number;
  declare readonly type: ArrayType;
  /** The nodes of which this is the youngest input, for interning. */
  declare users: Users<Expr> | null;
  declare readonly attrs: Attrs;
  /** One text for equal attributes. */
  declare readonly attrsText: string;
  /** The user's call that made it first. */
  declare readonly site: Site | null;
  /** What it shares with its youngest input. */
  declare readonly interning: Interning<Expr>;
  /** Which rule made it first, and of which node; null where none did. */
  declare derivation: Derivation | null;

  /** Use `makeExpr`: only interned nodes compare by identity. */
  constructor(
    op: Op,
    inputs: readonly Expr[],
    attrs: Attrs,
    text: string,
    type: ArrayType,
    holder: UserHolder<Expr>,
    site: Site | null,
  ) {
    this.op = op;
    this.inputs = inputs;
    this.place = 0;
    this.placing = null;
    this.isSettled = areSettled(op, inputs);
    this.id = holder.interning.numberAfter(holder.id);
    this.type = type;
    this.users = null;
    this.attrs = attrs;
    this.attrsText = text;
    this.site = site;
    this.interning = holder.interning;
    this.derivation = null;
  }

  /** Of a dense array. */
  get dtype(): DType {
    return denseOf(this.type).dtype;
  }
  /** Of a dense array. */
  get shape(): Shape {
    return denseOf(this.type).shape;
  }
}

function areSettled(op: Op, inputs: readonly Expr[]): boolean {
  for (let i = 0; i < inputs.length; i++) if (!inputs[i]!.isSettled) return false;
  return op.class !== "staged";
}

const NO_INPUTS: readonly Expr[] = Object.freeze([]);
/** Sources have no input whose users they could be: they are those of their op. */
const sources = new WeakMap<Op, Interning<Expr>>();

function sourcesOf(op: Op): Interning<Expr> {
  let own = sources.get(op);
  if (own === undefined) {
    own = new Interning();
    sources.set(op, own);
  }
  return own;
}

/** A node: `makeExpr(opNamed("add"), [x.expr, y.expr])`. The site is that of the call under way unless given. */
export function makeExpr(
  op: Op,
  inputs: readonly Expr[] = NO_INPUTS,
  attrs: Attrs = NO_ATTRS,
  site?: Site | null,
): Expr {
  const text = localText(attrs);
  const holder = holderOf(op, inputs);
  const known = findUser(holder, op, inputs, text);
  if (known !== undefined) return known;
  const type = typeOver(op, inputs, attrs);
  return addNode(holder, op, inputs, attrs, text, type, site === undefined ? siteFor(op) : site);
}

/** A node over other inputs: the same op, attributes and line. Inputs of the same types give the same type. */
export function withInputs(node: Expr, inputs: readonly Expr[]): Expr {
  const { op, attrs, attrsText: text, site } = node;
  const holder = holderOf(op, inputs);
  const known = findUser(holder, op, inputs, text);
  if (known !== undefined) return known;
  const type = hasSameTypes(node.inputs, inputs) ? node.type : typeOver(op, inputs, attrs);
  return addNode(holder, op, inputs, attrs, text, type, site);
}

function addNode(
  holder: UserHolder<Expr>,
  op: Op,
  inputs: readonly Expr[],
  attrs: Attrs,
  text: string,
  type: ArrayType,
  site: Site | null,
): Expr {
  const node = new Expr(op, inputs, attrs, text, type, holder, site);
  addUser(holder, node);
  return node;
}

/** The youngest input. */
function holderOf(op: Op, inputs: readonly Expr[]): UserHolder<Expr> {
  if (inputs.length === 0) return sourcesOf(op);
  let youngest = inputs[0]!;
  for (let i = 1; i < inputs.length; i++) if (inputs[i]!.id > youngest.id) youngest = inputs[i]!;
  return youngest;
}

const localText = (attrs: Attrs): string =>
  attrs === NO_ATTRS ? "" : attrsText(attrs, (resource) => `#${resource.id}`);

function typeOver(op: Op, inputs: readonly Expr[], attrs: Attrs): ArrayType {
  const types = new Array<ArrayType>(inputs.length);
  for (let i = 0; i < inputs.length; i++) types[i] = inputs[i]!.type;
  checkArity(op, inputs.length);
  const type = inferType(op, types, attrs);
  if (op.class !== "staged" && isUnknown(types, type)) checkUnknown(op, types, attrs, type);
  if (type !== types[0] && type.kind === "dense") checkSize(type.shape);
  return type;
}

/** A length of the inputs or of the result is not known yet. */
function isUnknown(inputs: readonly ArrayType[], type: ArrayType): boolean {
  if (type.kind === "dense" && hasUnknown(type.shape)) return true;
  for (let i = 0; i < inputs.length; i++) {
    const input = inputs[i]!;
    if (input.kind === "dense" && hasUnknown(input.shape)) return true;
  }
  return false;
}

/** The very same types: equal ones are inferred from again, and that is rare. */
function hasSameTypes(a: readonly Expr[], b: readonly Expr[]): boolean {
  for (let i = 0; i < a.length; i++) if (a[i]!.type !== b[i]?.type) return false;
  return a.length === b.length;
}

// Walks over expressions, with an explicit stack: a chain of a million nodes must not overflow ours.

/** Every node once, inputs before what uses them, in a fixed order. What is done already is left out, with all below it. */
export function postOrder(roots: readonly Expr[], isDone?: (node: Expr) => boolean): Expr[] {
  const order: Expr[] = [];
  const seen = new Set<Expr>();
  const stack: Expr[] = [];
  const nextInput: number[] = [];
  const push = (node: Expr): void => {
    if (seen.has(node) || isDone?.(node) === true) return;
    seen.add(node);
    stack.push(node);
    nextInput.push(0);
  };
  for (const root of roots) {
    push(root);
    while (stack.length > 0) {
      const node = stack[stack.length - 1]!;
      const at = nextInput[nextInput.length - 1]!++;
      if (at < node.inputs.length) push(node.inputs[at]!);
      else {
        order.push(node);
        stack.pop();
        nextInput.pop();
      }
    }
  }
  return order;
}

/** Computes something for every node from what its inputs gave. */
export function foldExpr<Result>(
  roots: readonly Expr[],
  visit: (node: Expr, inputs: readonly Result[]) => Result,
): Map<Expr, Result> {
  const results = new Map<Expr, Result>();
  for (const node of postOrder(roots)) {
    results.set(
      node,
      visit(
        node,
        node.inputs.map((input) => results.get(input)!),
      ),
    );
  }
  return results;
}

// Content keys: a name for a computation that is the same in every process. A key hashes the op, its
// attributes, the keys of the inputs, and the fingerprints of what is in memory: 128 bits of SHA-256, so
// two different computations never share a name.

type Keys = WeakMap<Expr, string>;
const keys: Keys = new WeakMap();
const keysHere: Keys = new WeakMap();

/** 32 hexadecimal digits. */
export const contentKey = (expr: Expr): string => keyOf(expr, keys, (resource) => resource.fingerprint());

/** The same with data by their identity, not their bytes: for names that mean something to this process alone. */
export const keyHere = (expr: Expr): string => keyOf(expr, keysHere, (resource) => `#${resource.id}`);

function keyOf(expr: Expr, known: Keys, resourceText: (resource: Resource) => string): string {
  for (const node of postOrder([expr], (input) => known.has(input))) {
    const inputs = node.inputs.map((input) => known.get(input)).join(",");
    const isMark = node.op.class === "elementwise" && node.op.isMark === true;
    known.set(
      node,
      isMark ? inputs : hashText(`${node.op.name}(${inputs}){${attrsText(node.attrs, resourceText)}}`),
    );
  }
  return known.get(expr)!;
}

const hashText = (text: string): string => bytesToHex(sha256(utf8ToBytes(text))).slice(0, 32);

/** The fingerprint of bytes in memory. */
export const fingerprintBytes = (bytes: Uint8Array): string => bytesToHex(sha256(bytes)).slice(0, 32);

// Chunks of an expression: derived, never part of its type. Sources know theirs, moves and routines say
// how they carry them over, the rest follows from the op's class.

const known = new WeakMap<Expr, ChunkShape>();

/** Nodes whose elements were repeated: how they are cut is a choice of ours, and of no array that is stored. */
const stretched = new WeakSet<Expr>();

export function chunksOf(expr: Expr): ChunkShape {
  const done = known.get(expr);
  if (done !== undefined) return done;
  for (const node of postOrder([expr], (input) => known.has(input))) {
    known.set(node, inferChunks(node));
    if (isStretched(node)) stretched.add(node);
  }
  return known.get(expr)!;
}

/** Of inputs that are all numbers or cut alike, which most are, the cut they have; undefined where it must be found out. */
function commonChunks({ inputs, shape: whole }: Expr): ChunkShape | undefined {
  let common: ChunkShape | undefined;
  for (let i = 0; i < inputs.length; i++) {
    const { shape } = inputs[i]!;
    if (shape.length === 0) continue;
    const chunks = known.get(inputs[i]!)!;
    if (!sameShape(shape, whole) || (common !== undefined && !sameShape(chunks, common))) return undefined;
    common ??= chunks;
  }
  return common;
}

/** More elements than before; or what is made, element by element, of nothing else. */
function isStretched({ op, inputs, attrs, type }: Expr): boolean {
  if (op.class === "move" && !op.injective && "shape" in type)
    return sizeOf(type.shape) > sizeOf(inputs[0]!.shape) || stretched.has(inputs[0]!);
  if (op.class === "move") return inputs.length === 1 && !("chunks" in attrs) && stretched.has(inputs[0]!);
  if (op.class !== "elementwise") return false;
  let isAny = false;
  for (const input of inputs) {
    if (input.shape.length === 0) continue;
    if (!stretched.has(input)) return false;
    isAny = true;
  }
  return isAny;
}

/** Inputs that are stored somewhere say how the result is cut, where together they have all its axes. */
function anchors(node: Expr): readonly Expr[] {
  const { inputs, shape } = node;
  if (!inputs.some((input) => stretched.has(input))) return inputs;
  const anchored = inputs.filter((input) => !stretched.has(input));
  const isCovered = shape.every((length, axis) =>
    anchored.some(
      (input) => length === 1 || input.shape[axis - shape.length + input.shape.length] === length,
    ),
  );
  return isCovered ? anchored : inputs;
}

function inferChunks(node: Expr): ChunkShape {
  const { op, attrs, type } = node;
  const common = op.class === "elementwise" ? commonChunks(node) : undefined;
  if (common !== undefined) return common;
  if (op.class === "source") return op.chunks(attrs, type);
  if (op.class === "ragged") return op.chunks(type, attrs);
  if (op.class === "staged" && op.takesRagged === true) return op.chunks([], [], attrs, denseOf(type));
  const types = node.inputs.map((input) => input.type);
  assertDense(types);
  const chunks = node.inputs.map((input) => known.get(input)!);
  switch (op.class) {
    case "elementwise": {
      const used = anchors(node);
      return unifyChunks(
        used.map((input) => denseOf(input.type)),
        used.map((input) => known.get(input)!),
        denseOf(type),
      );
    }
    case "reduce":
      return reducedChunks(chunks[0]!, attrs["axes"] as readonly number[], attrs["keepdims"] as boolean);
    case "scan":
      return chunks[0]!;
    case "move":
    case "routine":
    case "staged":
      return op.chunks(chunks, types, attrs, denseOf(type));
    case "contract":
      return ofUsualSize(
        contractChunks(chunks, attrs as unknown as ContractAxes),
        Math.max(...chunks.map(sizeOf)),
        infoOf(node.dtype).bytes,
      );
    default:
      op satisfies never;
      throw op;
  }
}

function reducedChunks(chunks: ChunkShape, axes: readonly number[], keepdims: boolean): ChunkShape {
  if (keepdims) return chunks.map((chunk, axis) => (axes.includes(axis) ? 1 : chunk));
  return chunks.filter((_, axis) => !axes.includes(axis));
}

/** Attributes of a contraction: which axes of a and b go together. */
export interface ContractAxes {
  readonly batchA: readonly number[];
  readonly batchB: readonly number[];
  readonly contractA: readonly number[];
  readonly contractB: readonly number[];
}

export const freeAxes = (ndim: number, batch: readonly number[], contract: readonly number[]): number[] =>
  Array.from({ length: ndim }, (_, axis) => axis).filter(
    (axis) => !batch.includes(axis) && !contract.includes(axis),
  );

function contractChunks([a, b]: readonly ChunkShape[], axes: ContractAxes): ChunkShape {
  const freeA = freeAxes(a!.length, axes.batchA, axes.contractA);
  const freeB = freeAxes(b!.length, axes.batchB, axes.contractB);
  return [...axes.batchA.map((x) => a![x]!), ...freeA.map((x) => a![x]!), ...freeB.map((x) => b![x]!)];
}
