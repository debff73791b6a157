// Signatures of generalised functions, as NumPy writes them: "(i,j),(j)->(i),()". In: text. Out: the core dimensions of
// every input and output by name, a number being a size. What is not a signature is an error that says why.

import { describe, type Shape, shapeText } from "../../core/chunks.ts";
import { ShapeError, ValueError } from "../../core/errors.ts";

export interface Signature {
  readonly inputs: readonly (readonly string[])[];
  readonly outputs: readonly (readonly string[])[];
}

const DIMENSION = "(?:[A-Za-z_]\\w*|[1-9]\\d*)";
const OPERAND = `\\((?:${DIMENSION}(?:,${DIMENSION})*)?\\)`;
const SIGNATURE: RegExp = new RegExp(`^(${OPERAND}(?:,${OPERAND})*)->(${OPERAND}(?:,${OPERAND})*)$`);

export function parseSignature(signature: unknown): Signature {
  const text = typeof signature === "string" ? signature.replace(/\s+/g, "") : "";
  const found = text.length > MOST_LETTERS ? null : SIGNATURE.exec(text);
  if (found !== null) return { inputs: operandsOf(found[1]!), outputs: operandsOf(found[2]!) };
  throw new ValueError({
    what: `${describe(signature)} is not a signature`,
    cure: 'Name the core dimensions of inputs and outputs, as in "(i,j),(j)->(i)"',
  });
}

/** More than anybody writes. */
const MOST_LETTERS = 1000;

function operandsOf(text: string): string[][] {
  return text
    .slice(1, -1)
    .split("),(")
    .map((names) => (names === "" ? [] : names.split(",")));
}

/** The size of every core dimension, from the inputs and from what the user says of others. */
export function coreSizes(
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
