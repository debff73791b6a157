// applyGufunc: a function of core dimensions, over all others. In: a function, its signature, and arrays. Out: one lazy
// array for each output of the signature. Core dimensions are given whole; the others (loop dimensions) broadcast and
// are cut into blocks.

import { checkFlag } from "../../core/check.ts";
import {
  broadcastShapes,
  type ChunkShape,
  checkAxisList,
  describe,
  type Shape,
  shapeText,
  singleChunk,
} from "../../core/chunks.ts";
import type { DType } from "../../core/dtype.ts";
import { AxisError, ShapeError, ValueError } from "../../core/errors.ts";
import { chunksOf } from "../../expr/expr.ts";
import { unifyChunks } from "../../expr/unify.ts";
import type { OutputGrid } from "../../kernel/routines/userCall.ts";
import { checkDType } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import { asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import { alignedWith, arraysOf, callNodes, memoryOf, outputDTypes } from "./blockCall.ts";
import { moveaxis } from "./manipulation.ts";
import type { AnyFunction, BlockFunction, ModuleFunction } from "./userFunction.ts";

// Signatures of generalised functions, as NumPy writes them: "(i,j),(j)->(i),()". In: text. Out: the core dimensions of
// every input and output by name, a number being a size. What is not a signature is an error that says why.

interface Signature {
  readonly inputs: readonly (readonly string[])[];
  readonly outputs: readonly (readonly string[])[];
}

const DIMENSION = "(?:[A-Za-z_]\\w*|[1-9]\\d*)";
const OPERAND = `\\((?:${DIMENSION}(?:,${DIMENSION})*)?\\)`;
const SIGNATURE: RegExp = new RegExp(`^(${OPERAND}(?:,${OPERAND})*)->(${OPERAND}(?:,${OPERAND})*)$`);

function parseSignature(signature: unknown): Signature {
  const text = typeof signature === "string" ? signature.replace(/\s+/g, "") : "";
  const found = text.length > MOST_LETTERS ? null : SIGNATURE.exec(text);
  if (found !== null) return { inputs: operandTexts(found[1]!), outputs: operandTexts(found[2]!) };
  throw new ValueError({
    what: `${describe(signature)} is not a signature`,
    cure: 'Name the core dimensions of inputs and outputs, as in "(i,j),(j)->(i)"',
  });
}

/** More than anybody writes. */
const MOST_LETTERS = 1000;

function operandTexts(text: string): string[][] {
  return text
    .slice(1, -1)
    .split("),(")
    .map((names) => (names === "" ? [] : names.split(",")));
}

/** The size of every core dimension, from the inputs and from what the user says of others. */
function coreSizes(
  { inputs, outputs }: Signature,
  shapes: readonly Shape[],
  given: unknown,
): ReadonlyMap<string, number> {
  const sizes = new Map(fixedSizes([...inputs, ...outputs]));
  inputs.forEach((names, k) => {
    const core = coreShape(shapes[k]!, names, k);
    names.forEach((name, axis) => {
      const known = sizes.get(name);
      if (known !== undefined && known !== core[axis])
        throw new ShapeError({
          what: `the core dimension ${name} has length ${core[axis]} in array ${k} and ${known} elsewhere`,
          cure: "Core dimensions of one name have one length; they do not broadcast",
        });
      sizes.set(name, core[axis]!);
    });
  });
  addGiven(sizes, outputs.flat(), given);
  const missing = outputs.flat().find((name) => !sizes.has(name));
  if (missing === undefined) return sizes;
  throw new ValueError({
    what: `the size of the core dimension ${missing} is not known: no input has it`,
    cure: `Pass outputSizes: {${missing}: …}`,
  });
}

const fixedSizes = (operands: readonly (readonly string[])[]): [string, number][] =>
  operands.flat().flatMap((name) => (/^\d/.test(name) ? [[name, Number(name)] as [string, number]] : []));

function coreShape(shape: Shape, names: readonly string[], k: number): Shape {
  if (shape.length >= names.length) return shape.slice(shape.length - names.length);
  throw new ShapeError({
    what: `array ${k} of shape ${shapeText(shape)} has fewer axes than its core dimensions (${names.join(",")})`,
    cure: "Give it the axes that the signature names",
  });
}

function addGiven(sizes: Map<string, number>, names: readonly string[], given: unknown): void {
  if (given === undefined) return;
  if (typeof given !== "object" || given === null)
    throw new ValueError({
      what: `outputSizes is ${describe(given)}`,
      cure: "Give an object: {k: 3}",
    });
  for (const [name, size] of Object.entries(given)) {
    const isNew = names.includes(name) && (sizes.get(name) ?? size) === size;
    if (!isNew || !Number.isSafeInteger(size) || (size as number) < 0)
      throw new ValueError({
        what: `outputSizes says that ${describe(name)} is ${describe(size)}`,
        cure: `Give whole numbers of 0 or more for core dimensions that only outputs have`,
      });
    sizes.set(name, size as number);
  }
}

/** Options of `cw.applyGufunc`. */
export interface GufuncOptions {
  /** The dtype of each output; the first array's unless given. */
  readonly outputDtypes?: DType | readonly DType[] | undefined;
  /** Sizes of core dimensions that no input has, by name. */
  readonly outputSizes?: { readonly [dimension: string]: number } | undefined;
  /** Where the core dimensions stand in each input, then in each output; at the end unless given. */
  readonly axes?: readonly (number | readonly number[])[] | undefined;
  /** true: the function is called for each element of the loop dimensions, with core dimensions alone. */
  readonly vectorize?: boolean | undefined;
  /** What a call allocates beside the blocks that it is given and gives: bytes, or a size such as "200MB". */
  readonly memory?: number | string | undefined;
}

/** Several outputs are a list. */
type GufuncResult<S extends string> = S extends `${string}->${infer Outputs}`
  ? Outputs extends `${string})${string},${string}(${string}`
    ? LazyArray[]
    : LazyArray
  : LazyArray | LazyArray[];

interface ApplyGufunc {
  <const S extends string>(
    fn: BlockFunction | ModuleFunction,
    signature: S,
    array: LazyArray,
    options?: GufuncOptions,
  ): GufuncResult<S>;
  <const Arrays extends readonly Operand[], const S extends string>(
    fn: BlockFunction<Arrays> | ModuleFunction,
    signature: S,
    arrays: Arrays,
    options?: GufuncOptions,
  ): GufuncResult<S>;
}

/**
 * Applies a function along the core dimensions that its signature names: `cw.applyGufunc((row) => row.item(0),
 * "(n)->()", x, {vectorize: true})`.
 */
export const applyGufunc: ApplyGufunc = userCall(
  "applyGufunc",
  (fn: AnyFunction, signature: string, arrays: Operand | readonly Operand[], options?: GufuncOptions) =>
    applied(fn, signature, arrays, options ?? {}) as never,
  [3, "outputDtypes", "outputSizes", "axes", "vectorize", "memory"],
);

function applied(
  fn: AnyFunction,
  text: string,
  arrays: Operand | readonly Operand[],
  options: GufuncOptions,
): LazyArray | LazyArray[] {
  const signature = parseSignature(text);
  const { vectorize = false } = options;
  checkFlag(vectorize, "vectorize");
  const given = operandsOf(arrays, signature.inputs.length);
  const axes = coreAxes(options.axes, signature, given);
  const inputs = given.map((x, k) => coresLast(x, axes?.[k]));
  const sizes = coreSizes(
    signature,
    inputs.map(({ shape }) => shape),
    options.outputSizes,
  );
  const loop = loopGrid(inputs, signature);
  const outputs = outputGrids(signature, sizes, loop, dtypesOf(options.outputDtypes, signature, inputs[0]!));
  const from = inputs.map(({ shape }, k) => {
    const lead = shape.slice(0, shape.length - signature.inputs[k]!.length);
    return [...alignedWith(lead, loop.whole), ...signature.inputs[k]!.map(() => -1)];
  });
  const each = vectorize ? { cores: signature.inputs.map((names) => names.length) } : {};
  const results = callNodes(fn, inputs, { cut: loop.cut, from, ...each, memory: memoryOf(options) }, outputs);
  const placed = results.map((x, k) => coresAt(x, axes?.[inputs.length + k], outputs[k]!));
  return placed.length === 1 ? placed[0]! : placed;
}

function operandsOf(arrays: Operand | readonly Operand[], count: number): LazyArray[] {
  const list = count === 1 ? arraysOf(arrays) : Array.isArray(arrays) ? Array.from(arrays, asLazy) : [];
  if (list.length === count) return list;
  throw new ValueError({
    what: `the signature has ${count} inputs and ${Array.isArray(arrays) ? `${arrays.length} arrays are` : "one array is"} given`,
    cure: "Give as many arrays as the signature has inputs, in a list",
  });
}

/** Axes of the core dimensions for each operand: those that the user gave, checked; null where none were. */
function coreAxes(
  given: unknown,
  { inputs, outputs }: Signature,
  arrays: readonly LazyArray[],
): readonly (readonly number[] | undefined)[] | null {
  if (given === undefined) return null;
  const operands = [...inputs, ...outputs];
  const needed = outputs.every((names) => names.length === 0) ? inputs.length : operands.length;
  if (!Array.isArray(given) || given.length < needed || given.length > operands.length)
    throw new ValueError({
      what: `axes is ${describe(given)}`,
      cure: `Give a list of axes for each of the ${inputs.length} inputs and ${outputs.length} outputs`,
    });
  return Array.from(given as readonly unknown[], (axes, k) => {
    const list = typeof axes === "number" ? [axes] : axes;
    const names = operands[k]!;
    if (!Array.isArray(list) || list.length !== names.length)
      throw new AxisError({
        what: `axes[${k}] is ${describe(axes)} and there are ${names.length} core dimensions (${names.join(",")})`,
        cure: "Give one axis for each",
      });
    return k < arrays.length ? checkAxisList(list, arrays[k]!.ndim) : (list as number[]);
  });
}

const endAxes = (count: number): number[] => Array.from({ length: count }, (_, i) => i - count);

const coresLast = (x: LazyArray, axes: readonly number[] | undefined): LazyArray =>
  axes === undefined || axes.length === 0 ? x : moveaxis(x, axes, endAxes(axes.length));

/** An output with its core dimensions, which are last, where the user wants them. */
function coresAt(x: LazyArray, axes: readonly number[] | undefined, { shape }: OutputGrid): LazyArray {
  if (axes === undefined || axes.length === 0) return x;
  return moveaxis(x, endAxes(axes.length), checkAxisList(axes, shape.length));
}

interface LoopGrid {
  readonly whole: Shape;
  readonly cut: ChunkShape;
}

function loopGrid(inputs: readonly LazyArray[], signature: Signature): LoopGrid {
  const lead = (list: readonly number[], k: number): readonly number[] =>
    list.slice(0, list.length - signature.inputs[k]!.length);
  const shapes = inputs.map(({ shape }, k) => lead(shape, k));
  const whole = broadcastShapes(shapes);
  const cut = unifyChunks(
    shapes.map((shape) => ({ shape })),
    inputs.map(({ expr }, k) => lead(chunksOf(expr), k)),
    { shape: whole },
  );
  return { whole, cut };
}

function outputGrids(
  { outputs }: Signature,
  sizes: ReadonlyMap<string, number>,
  { whole, cut }: LoopGrid,
  dtypes: readonly DType[],
): OutputGrid[] {
  return outputs.map((names, k) => {
    const core = names.map((name) => sizes.get(name)!);
    return {
      dtype: dtypes[k]!,
      shape: [...whole, ...core],
      chunks: [...cut, ...singleChunk(core)],
      axes: [...whole.map((_, axis) => axis), ...core.map(() => -1)],
    };
  });
}

function dtypesOf(given: unknown, { outputs }: Signature, first: LazyArray): DType[] {
  const list = outputDTypes(typeof given === "string" ? [given] : given, "outputDtypes");
  if (list === null) return outputs.map(() => first.dtype);
  if (list.length === outputs.length) return list.map((dtype) => checkDType(dtype));
  throw new ValueError({
    what: `the signature has ${outputs.length} outputs and ${list.length} dtypes are given`,
    cure: "Give the dtype of each output",
  });
}
