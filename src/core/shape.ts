// Shapes, axes and broadcasting. In: what the user wrote. Out: checked shapes, non-negative axes.
// A shape is a list of whole numbers ≥ 0 whose product is a safe integer.

import { AxisError, ShapeError, ValueError } from "./errors.ts";

/** How long an array is along each axis: [2, 3] has two rows of three, [] a single element. */
export type Shape = readonly number[];
/** One axis, several, or all (null, undefined). */
export type AxisArgument = number | readonly number[] | null | undefined;

export const SCALAR_SHAPE: Shape = Object.freeze([]);

export function sizeOf(shape: Shape): number {
  let size = 1;
  for (const length of shape) size *= length;
  return size;
}

export function sameShape(a: Shape, b: Shape): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Row-major strides, in elements. */
export function stridesOf(shape: Shape): number[] {
  const strides = new Array<number>(shape.length);
  let stride = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    strides[axis] = stride;
    stride *= shape[axis]!;
  }
  return strides;
}

/** A shape from outside: a number or a list of them. */
export function checkShape(argument: number | Shape): Shape {
  const shape: unknown =
    typeof argument === "number" ? [argument] : Array.isArray(argument) ? Array.from(argument) : argument;
  if (!Array.isArray(shape)) {
    throw new ShapeError({
      what: `a shape is a list of whole numbers, not ${describe(argument)}`,
      cure: "Write [rows, columns]",
    });
  }
  shape.forEach((length, axis) => {
    if (typeof length === "number" && Number.isInteger(length) && length > Number.MAX_SAFE_INTEGER)
      checkSize(shape as number[]);
    if (!isLength(length)) {
      throw new ShapeError({
        what: `axis ${axis} of the shape ${shortened(`[${shape.map(describe).join(", ")}]`)} is ${describe(length)}`,
        cure: "Every length must be a whole number, 0 or more",
      });
    }
  });
  if (!Number.isSafeInteger(sizeOf(shape))) {
    throw new ShapeError({
      what: `the shape ${shortened(shapeText(shape))} has more than 2^53 elements`,
      cure: "Use a smaller shape",
    });
  }
  return Object.freeze(shape as number[]);
}

/** NumPy's limit: more axes are a mistake. */
const MOST_AXES = 64;

/** Counts of elements must be exact numbers. */
export function checkSize(shape: Shape): void {
  if (shape.length > MOST_AXES) {
    throw new ShapeError({ what: `${shape.length} axes`, cure: `An array has at most ${MOST_AXES}` });
  }
  if (Number.isSafeInteger(sizeOf(shape))) return;
  throw new ShapeError({
    what: `the shape ${shortened(shapeText(shape))} has more than 2^53 elements`,
    cure: "Use a smaller shape",
  });
}

export const isLength = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;

/** A value of any type, shortly, for messages. */
export function describe(value: unknown): string {
  if (typeof value === "string") return shortened(JSON.stringify(value));
  if (typeof value === "bigint") return shortened(`${value}n`);
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (ArrayBuffer.isView(value)) return `a ${value.constructor.name}`;
  if (typeof value === "object" && value !== null)
    return `an object of class ${value.constructor?.name ?? "null"}`;
  return String(value);
}

/** No message may drown its reader. */
const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 57)}…` : text);

/** An axis counted from the front: −1 is the last. */
export function checkAxis(axis: number, ndim: number): number {
  if (!Number.isInteger(axis)) {
    throw new AxisError({ what: `${describe(axis)} is not an axis`, cure: "An axis is a whole number" });
  }
  if (axis < -ndim || axis >= ndim) {
    const cure = ndim === 0 ? "A 0-d array has no axes" : `Use ${-ndim} to ${ndim - 1}`;
    throw new AxisError({ what: `axis ${axis} is out of range for an array of ${ndim} dimensions`, cure });
  }
  return axis < 0 ? axis + ndim : axis;
}

/** The axes meant, ascending; null means all of them. */
export function checkAxes(axes: AxisArgument, ndim: number): number[] {
  if (axes === null || axes === undefined) return Array.from({ length: ndim }, (_, axis) => axis);
  return checkAxisList(axes, ndim).sort((a, b) => a - b);
}

/** The axes meant, in the order given, none twice. */
export function checkAxisList(axes: number | readonly number[], ndim: number): number[] {
  if (typeof axes !== "number" && !Array.isArray(axes)) {
    throw new AxisError({
      what: `${describe(axes)} is not an axis`,
      cure: "Use a whole number or a list of them",
    });
  }
  const list = Array.from(typeof axes === "number" ? [axes] : axes, (axis) => checkAxis(axis, ndim));
  const seen = new Set<number>();
  for (const axis of list) {
    if (seen.has(axis))
      throw new AxisError({ what: `axis ${axis} is named twice`, cure: "Name every axis once" });
    seen.add(axis);
  }
  return list;
}

/** NumPy's broadcasting: shapes are aligned at their ends, and 1 stretches. */
export function broadcastShapes(shapes: readonly Shape[]): Shape {
  const first = shapes[0] ?? SCALAR_SHAPE;
  let result = first;
  for (let i = 1; i < shapes.length; i++) result = broadcastPair(result, shapes[i]!);
  return result;
}

function broadcastPair(a: Shape, b: Shape): Shape {
  if (sameShape(a, b) || b.length === 0) return a;
  if (a.length === 0) return b;
  const ndim = Math.max(a.length, b.length);
  const result = new Array<number>(ndim);
  for (let back = 1; back <= ndim; back++) {
    const x = a[a.length - back] ?? 1;
    const y = b[b.length - back] ?? 1;
    if (x !== y && x !== 1 && y !== 1) throw broadcastError(a, b, ndim - back, x, y);
    result[ndim - back] = x === 1 ? y : x;
  }
  return Object.freeze(result);
}

function broadcastError(a: Shape, b: Shape, axis: number, x: number, y: number): ShapeError {
  return new ShapeError({
    what: `shapes ${shapeText(a)} and ${shapeText(b)} do not broadcast: at axis ${axis} they are ${x} and ${y} long`,
    cure: "Lengths must be equal, or one of them 1; reshape or expandDims one operand",
  });
}

export const shapeText = (shape: Shape): string => `[${shape.join(", ")}]`;

/** A whole number from outside. */
export function checkInteger(value: unknown, name: string): number {
  if (Number.isSafeInteger(value)) return value as number;
  throw new ValueError({ what: `${name} is ${describe(value)}`, cure: "It must be a whole number" });
}
