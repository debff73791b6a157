// einsum: sums of products by the names of axes. In: subscripts as NumPy writes them, and arrays. Out: contractions of two arrays at a
// time, in an order of little work: the cheapest of all for up to eight arrays, the cheapest next one beyond.
// Must hold: an axis's name has one length everywhere, or 1.

import { describe, shapeText, sizeOf } from "../../core/chunks.ts";
import { checkKind } from "../../core/dtype.ts";
import { ShapeError, ValueError } from "../../core/errors.ts";
import { type Built, built, node, promoteOperands } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import { asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import { contract } from "../../ops/contraction.ts";
import { permute } from "../../ops/moves/axisMoves.ts";
import { sum } from "../../ops/reductions.ts";
import { moveaxis, squeeze } from "./manipulation.ts";
import { diagonal } from "./products.ts";

/** An array and the names of its axes, each once. */
interface Named {
  readonly x: LazyArray;
  readonly names: readonly string[];
}

/** Sums of products by names of axes; those that the result lacks are summed: `cw.einsum("ij,jk->ik", a, b)`. */
export const einsum: (subscripts: string, ...operands: readonly Operand[]) => LazyArray = userCall(
  "einsum",
  (subscripts: string, ...operands: readonly Operand[]): Built => {
    const arrays = promoted(operands);
    const { inputs, output } = namesOf(subscripts, arrays);
    const lengths = lengthsOf(inputs, arrays);
    let parts = arrays.map((x, i) => distinct(x, inputs[i]!, lengths));
    parts = parts.map((part, i) =>
      withoutOwn(part, [...output, ...parts.flatMap((other, j) => (j === i ? [] : other.names))]),
    );
    for (const [i, j] of pathOf(
      parts.map(({ names }) => names),
      output,
      lengths,
    )) {
      const others = parts.filter((_, k) => k !== i && k !== j);
      const kept = new Set([...output, ...others.flatMap(({ names }) => names)]);
      parts = [...others, product(parts[i]!, parts[j]!, kept)];
    }
    return ordered(parts[0]!, output) as Built;
  },
);

function promoted(operands: readonly Operand[]): LazyArray[] {
  if (operands.length === 0)
    throw new ValueError({ what: "there are no arrays", cure: "Pass one for each of the subscripts" });
  const arrays = operands.map(asLazy);
  const { exprs } = promoteOperands(arrays, (dtype) => checkKind("numeric", dtype));
  return exprs.map((expr, i) => built(expr, [arrays[i]!]));
}

/** The names of all axes; those that an ellipsis stands for have numbers, counted from the last. */
function namesOf(
  subscripts: unknown,
  arrays: readonly LazyArray[],
): { inputs: string[][]; output: string[] } {
  const found =
    typeof subscripts === "string" ? /^([^>]*?)(?:->(.*))?$/.exec(subscripts.replace(/\s+/g, "")) : null;
  const texts = found?.[1]?.split(",") ?? [];
  const isRight = (text: string): boolean => /^[A-Za-z]*(\.\.\.)?[A-Za-z]*$/.test(text);
  if (found === null || texts.length !== arrays.length || ![...texts, found[2] ?? ""].every(isRight))
    throw new ValueError({
      what: `${describe(subscripts)} are no subscripts of ${arrays.length} arrays`,
      cure: 'Name the axes of each array and of the result by letters, as in "ij,jk->ik"',
    });
  const inputs = texts.map((text, i) => expanded(text, arrays[i]!.ndim));
  const wild = [...new Set(inputs.flat().filter((name) => name.startsWith("-")))].sort(
    (a, b) => Number(a) - Number(b),
  );
  const output = found[2] === undefined ? implied(inputs, wild) : withWild(found[2], wild);
  const unknown = output.find((name, i) => !inputs.flat().includes(name) || output.indexOf(name) !== i);
  if (unknown === undefined) return { inputs, output };
  throw new ValueError({
    what: `the result's axis ${describe(unknown)} is no array's, or there twice`,
    cure: "Name axes of the arrays, each once",
  });
}

function expanded(text: string, ndim: number): string[] {
  const letters = text.replace("...", "");
  const free = ndim - letters.length;
  if (free < 0 || (free > 0 && !text.includes("...")))
    throw new ShapeError({
      what: `${describe(text)} names ${letters.length} axes of an array that has ${ndim}`,
      cure: "Name each axis, or write an ellipsis for the others",
    });
  const wild = Array.from({ length: free }, (_, i) => String(i - free));
  return withWild(text, wild);
}

const withWild = (text: string, wild: readonly string[]): string[] => {
  const [before, after] = text.split("...") as [string, string | undefined];
  return after === undefined ? [...before] : [...before, ...wild, ...after];
};

/** Names that are there once, in the order of the alphabet, behind those of ellipses. */
function implied(inputs: readonly (readonly string[])[], wild: readonly string[]): string[] {
  const all = inputs.flat().filter((name) => !name.startsWith("-"));
  return [...wild, ...[...new Set(all)].filter((name) => all.indexOf(name) === all.lastIndexOf(name)).sort()];
}

function lengthsOf(
  inputs: readonly (readonly string[])[],
  arrays: readonly LazyArray[],
): Map<string, number> {
  const lengths = new Map<string, number>();
  inputs.forEach((names, i) =>
    names.forEach((name, axis) => {
      const length = arrays[i]!.shape[axis]!;
      const known = lengths.get(name) ?? 1;
      if (known !== 1 && length !== 1 && length !== known)
        throw new ShapeError({
          what: `the axis ${describe(name)} has length ${length} in array ${i} (shape ${shapeText(arrays[i]!.shape)}) and ${known} elsewhere`,
          cure: "Axes of one name must be equally long, or of length 1",
        });
      lengths.set(name, known === 1 ? length : known);
    }),
  );
  return lengths;
}

/** Axes of one name are one, their diagonal; those of length 1 that are longer elsewhere are dropped. */
function distinct(given: LazyArray, all: readonly string[], lengths: ReadonlyMap<string, number>): Named {
  let x = given;
  let names = [...all];
  const short = names.flatMap((name, axis) => (x.shape[axis] === 1 && lengths.get(name) !== 1 ? [axis] : []));
  if (short.length > 0) x = squeeze(x, short);
  names = names.filter((_, axis) => !short.includes(axis));
  for (;;) {
    const twice = names.findIndex((name, axis) => names.indexOf(name) !== axis);
    if (twice < 0) return { x, names };
    const name = names[twice]!;
    x = diagonal(moveaxis(x, [names.indexOf(name), twice], [-2, -1]));
    names = [
      ...names.filter((other) => other !== name),
      ...names.filter((other, axis) => other === name && axis !== twice && axis !== names.indexOf(name)),
      name,
    ];
  }
}

/** Names that nobody else has are summed at once. */
function withoutOwn({ x, names }: Named, kept: readonly string[]): Named {
  const axis = names.flatMap((name, at) => (kept.includes(name) ? [] : [at]));
  if (axis.length === 0) return { x, names };
  return { x: sum(x, { axis, dtype: x.dtype }), names: names.filter((name) => kept.includes(name)) };
}

function product(a: Named, b: Named, kept: ReadonlySet<string>): Named {
  const common = a.names.filter((name) => b.names.includes(name));
  const [batch, summed] = [common.filter((name) => kept.has(name)), common.filter((name) => !kept.has(name))];
  const places = (of: Named, names: readonly string[]): number[] =>
    names.map((name) => of.names.indexOf(name));
  const x = node(contract, [a.x, b.x], {
    ...{ batchA: places(a, batch), batchB: places(b, batch) },
    ...{ contractA: places(a, summed), contractB: places(b, summed) },
  });
  const free = (of: Named): string[] => of.names.filter((name) => !common.includes(name));
  return { x, names: [...batch, ...free(a), ...free(b)] };
}

const ordered = ({ x, names }: Named, output: readonly string[]): LazyArray =>
  names.every((name, axis) => name === output[axis])
    ? x
    : node(permute, [x], { axes: output.map((name) => names.indexOf(name)) });

type Names = readonly string[];
type Path = readonly (readonly [number, number])[];

/** So many arrays are tried in every order. */
const MOST_EXACT = 8;

/** Which two are multiplied next, by their places among those that are left; the product becomes the last. */
function pathOf(parts: readonly Names[], output: Names, lengths: ReadonlyMap<string, number>): Path {
  return parts.length <= MOST_EXACT
    ? best(parts, output, lengths, new Map()).path
    : greedy(parts, output, lengths);
}

/** The names that are left of a product, and what it costs: all combinations of the names of both. */
function step(
  parts: readonly Names[],
  i: number,
  j: number,
  output: Names,
  lengths: ReadonlyMap<string, number>,
) {
  const others = parts.filter((_, k) => k !== i && k !== j);
  const all = [...new Set([...parts[i]!, ...parts[j]!])];
  const kept = all.filter((name) => output.includes(name) || others.some((names) => names.includes(name)));
  return { left: [...others, kept], cost: sizeOf(all.map((name) => lengths.get(name)!)) };
}

interface Plan {
  readonly cost: number;
  readonly path: Path;
}

function best(
  parts: readonly Names[],
  output: Names,
  lengths: ReadonlyMap<string, number>,
  known: Map<string, Plan>,
): Plan {
  if (parts.length === 1) return { cost: 0, path: [] };
  const key = parts.map((names) => names.join()).join(";");
  const done = known.get(key);
  if (done !== undefined) return done;
  let found: Plan = { cost: Number.POSITIVE_INFINITY, path: [[0, 1]] };
  for (let j = 1; j < parts.length; j++)
    for (let i = 0; i < j; i++) {
      const { left, cost } = step(parts, i, j, output, lengths);
      const rest = best(left, output, lengths, known);
      if (cost + rest.cost < found.cost) found = { cost: cost + rest.cost, path: [[i, j], ...rest.path] };
    }
  // Where sizes are beyond counting any order will do.
  if (found.path.length < parts.length - 1)
    found = { cost: found.cost, path: greedy(parts, output, lengths) };
  known.set(key, found);
  return found;
}

function greedy(parts: readonly Names[], output: Names, lengths: ReadonlyMap<string, number>): Path {
  const path: [number, number][] = [];
  for (let left = parts; left.length > 1; ) {
    let [least, next, pair]: [number, readonly Names[], [number, number]] = [
      Number.POSITIVE_INFINITY,
      left,
      [0, 1],
    ];
    for (let j = 1; j < left.length; j++)
      for (let i = 0; i < j; i++) {
        const { left: after, cost } = step(left, i, j, output, lengths);
        if (cost < least || next === left) [least, next, pair] = [cost, after, [i, j]];
      }
    path.push(pair);
    left = next;
  }
  return path;
}
