// What the axes of an expression are called, and what is said of it: derived, as chunks are, and no part of its type. In: an
// expression. Out: names from its sources and marks, carried along by what each op does to axes; attributes as long as the
// values are the same quantities. Must hold: nothing that is computed, planned or keyed asks for either (docs/adr/0029).

import type { Attrs } from "../core/block.ts";
import { Resource } from "../core/block.ts";
import { type DimNames, type JsonObject, type Labels, metNames, nameless } from "../core/labels.ts";
import { type ContractAxes, type Expr, freeAxes, postOrder } from "./expr.ts";
import { type Carries, denseOf, type Op } from "./op.ts";

const names = new WeakMap<Expr, DimNames>();

/** A name for each axis, or null. */
export function dimsOf(expr: Expr): DimNames {
  const done = names.get(expr);
  if (done !== undefined) return done;
  for (const node of postOrder([expr], (input) => names.has(input)))
    names.set(node, node.type.kind === "dense" ? namesOf(node) : nameless(0));
  return names.get(expr)!;
}

/** What a source or a mark says itself. */
function ownLabels(attrs: Attrs): Labels | null {
  for (const value of Object.values(attrs))
    if (value instanceof Resource) {
      const labels = value.labels();
      if (labels !== null) return labels;
    }
  return null;
}

function namesOf(node: Expr): DimNames {
  const { op, inputs, attrs, shape } = node;
  const dims = inputs.map((input) => names.get(input)!);
  switch (op.class) {
    case "source":
      return ownLabels(attrs)?.dims ?? nameless(shape.length);
    case "elementwise":
      return (op.isMark === true ? ownLabels(attrs)?.dims : null) ?? metNames(dims, shape.length);
    case "scan":
      return dims[0]!;
    case "reduce": {
      const axes = attrs["axes"] as readonly number[];
      return attrs["keepdims"] === true ? dims[0]! : dims[0]!.filter((_, axis) => !axes.includes(axis));
    }
    case "contract":
      return contractNames(dims, attrs as unknown as ContractAxes);
    case "move":
    case "routine":
    case "staged":
      return carriedNames(node, dims[0] ?? []);
    case "ragged":
      return nameless(shape.length);
    default:
      throw op satisfies never;
  }
}

function contractNames([a, b]: readonly DimNames[], axes: ContractAxes): DimNames {
  const batch = axes.batchA.map((axis, i) => metNames([[a![axis]!], [b![axes.batchB[i]!]!]], 1)[0]!);
  const free = [
    ...freeAxes(a!.length, axes.batchA, axes.contractA).map((axis) => a![axis]!),
    ...freeAxes(b!.length, axes.batchB, axes.contractB).map((axis) => b![axis]!),
  ];
  const all = [...batch, ...free];
  return all.map((name) => (all.indexOf(name) === all.lastIndexOf(name) ? name : null));
}

/** Which axes of the first input go on as which of the output's. */
function carriedNames({ op, inputs, attrs, type }: Expr, dims: DimNames): DimNames {
  const output = denseOf(type);
  const [first] = inputs;
  if (first === undefined || first.type.kind !== "dense") return nameless(output.shape.length);
  const carries = carriesOf(op);
  const { shape } = output;
  if (carries === "same") return dims.length === shape.length ? dims : nameless(shape.length);
  if (carries === undefined) {
    if (dims.length !== shape.length) return nameless(shape.length);
    return dims.map((name, axis) => (first.shape[axis] === shape[axis] ? name : null));
  }
  const types = inputs.flatMap((input) => (input.type.kind === "dense" ? [input.type] : []));
  return carries(types, attrs, output).map((axis) => (axis === null ? null : dims[axis]!));
}

function carriesOf(op: Op): Carries | undefined {
  if (op.class === "move") return op.carries ?? "same";
  return op.class === "routine" || op.class === "staged" ? op.carries : undefined;
}

const EMPTY: JsonObject = Object.freeze({});

/** What is said of it: of an array that was selected from, turned or cast, what is said of that; of what was computed, nothing. */
export function attributesOf(expr: Expr): JsonObject {
  for (let node: Expr | undefined = expr; node !== undefined; node = sameQuantity(node)) {
    const own = ownLabels(node.attrs)?.attributes;
    if (own != null) return own;
  }
  return EMPTY;
}

function sameQuantity({ op, inputs }: Expr): Expr | undefined {
  if (op.class === "source" || op.class === "ragged") return undefined;
  const isMark = op.class === "elementwise" && op.isMark === true;
  return op.class === "move" || isMark || op.keepsMeaning === true ? inputs[0] : undefined;
}
