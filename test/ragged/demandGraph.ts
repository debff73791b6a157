// Computations to try demand on. In: sources and operations by name. Out: the whole computation's values, and those of
// the narrowed one, whose sources give zeros for what nobody needs and leave out what is absent.

import { expect } from "vitest";
import type { Form } from "../../src/core/form/form.ts";
import { ABSENT, isNeeded, NEEDED, type Need, narrowed, PRESENT } from "../../src/core/form/form.ts";
import {
  type DemandNode,
  demandOf,
  type GraphDemand,
  narrow,
  narrowedLayout,
  relativeNeed,
} from "../../src/ragged/demand/index.ts";
import { outlineOf } from "../../src/ragged/demand/outline.ts";
import {
  formOf,
  formText,
  type Layout,
  plain,
  plainForm,
  type RaggedOp,
  raggedOpNamed,
  toList,
  typeText,
} from "../../src/ragged/index.ts";
import { MemorySource } from "../../src/ragged/sources/memorySource.ts";

export class Graph {
  readonly nodes: DemandNode[] = [];
  readonly sources: Layout[] = [];

  /** Data, or for what forms alone say, a form. */
  source(data: Layout | { readonly form: Form }): number {
    const isData = !("form" in data);
    this.sources[this.nodes.length] = isData ? data : (undefined as never);
    const form = isData ? formOf(data) : data.form;
    return this.nodes.push({ op: null, attrs: {}, inputs: [], form }) - 1;
  }

  add(name: string, inputs: readonly number[], attrs: object = {}): number {
    const op = name === "narrow" ? (narrow as RaggedOp<object>) : raggedOpNamed(name);
    const { form, isItem } = op.infer(
      inputs.map((input) => this.nodes[input]!.form),
      attrs,
    );
    return this.nodes.push({ op, attrs, inputs, form, isItem }) - 1;
  }

  field(input: number, ...path: string[]): number {
    return this.add("field", [input], { path });
  }

  /** A line for each node, for messages. */
  text({ needs }: GraphDemand): string {
    const lines = this.nodes.map(
      ({ op, inputs, attrs, form }, at) =>
        `${at}: ${op?.name ?? "source"}(${inputs.join(", ")}) ${JSON.stringify(attrs)} ${typeText(form)} ${needs[at]!.join("")}`,
    );
    return lines.join("\n");
  }

  demand(sink: number = this.nodes.length - 1, need: Need | null = null): GraphDemand {
    return demandOf(this.nodes, new Map([[sink, need]]));
  }

  whole(upTo: number = this.nodes.length - 1): Layout[] {
    const values: Layout[] = [];
    for (let at = 0; at <= upTo; at++) {
      const { op, attrs, inputs } = this.nodes[at]!;
      values.push(
        op === null
          ? this.sources[at]!
          : op.run(
              inputs.map((i) => values[i]!),
              attrs,
            ),
      );
    }
    return values;
  }

  narrowed(demand: GraphDemand): (Layout | undefined)[] {
    const values: (Layout | undefined)[] = [];
    const given: Need[] = [];
    this.nodes.forEach((node, at) => {
      const need = demand.needs[at]!;
      if (need[0] === ABSENT) return;
      if (node.op === null) {
        given[at] = need;
        values[at] = new MemorySource([this.sources[at]!]).read(0, need);
        return;
      }
      values[at] = runStep(node, demand, at, values, given);
      given[at] = demand.steps[at]!.given;
      const expected = formText(plainForm(narrowed(node.form, given[at]!)));
      expect(formText(formOf(values[at]!)), `the form that ${node.op.name} gives`).toBe(expected);
      values[at] = narrow.run([values[at]!], { need: relativeNeed(given[at]!, need) });
      given[at] = need;
    });
    return values;
  }
}

function runStep(
  node: DemandNode,
  demand: GraphDemand,
  at: number,
  values: readonly (Layout | undefined)[],
  given: readonly Need[],
): Layout {
  const step = demand.steps[at]!;
  const inputs = step.inputs.map((i) => {
    const from = node.inputs[i]!;
    return narrowedLayout(values[from]!, relativeNeed(given[from]!, step.needs[i]!));
  });
  return step.op === null ? plain(inputs[0]!) : step.op.run(inputs, step.attrs);
}

/** What can be seen of a value when only so much of it is needed. */
export const seen = (value: Layout, need: Need): unknown[] => toList(new MemorySource([value]).read(0, need));

/** Leaves and lists of a form that are needed, by name: "jets" is its list, "jets.pt" a leaf. */
export function neededOf(form: Form, need: Need): string[] {
  return pathsAt(form, need, NEEDED);
}

/** Leaves that must be there, whatever they hold. */
export const presentOf = (form: Form, need: Need): string[] => pathsAt(form, need, PRESENT);

function pathsAt(form: Form, need: Need, level: number): string[] {
  const { nodes, ends } = outlineOf(form);
  const found: string[] = [];
  const visit = (at: number, path: string): void => {
    const node = nodes[at]!;
    const below = need.slice(at + 1, ends[at]);
    const isLowest = level === PRESENT ? ends[at] === at + 1 : !isNeeded(below);
    if (need[at] === level && node.kind !== "record" && isLowest) found.push(path);
    for (let child = at + 1, i = 0; child < ends[at]!; child = ends[child]!, i++) {
      const name = node.kind === "record" ? (node.fields?.[i] ?? String(i)) : null;
      visit(child, name === null ? path : path === "" ? name : `${path}.${name}`);
    }
  };
  visit(0, "");
  return [...new Set(found)];
}
