// Layouts in memory as a source. In: one layout per partition, all of one form. Out: what is needed of them, sharing
// their memory. Must hold: what nobody needs is zeros here too, so that a computation that looks at it by mistake is
// found out by any test that uses memory.

import { ShapeError } from "../../core/errors.ts";
import { ABSENT, closed, type Form, NEEDED, type Need } from "../../core/form/form.ts";
import { formText } from "../../core/form/formJson.ts";
import { typeText } from "../../core/form/typeText.ts";
import { fingerprintBytes } from "../../expr/expr.ts";
import type { TableLocation } from "../../storage/formats/raggedFormat.ts";
import { toBuffers } from "../io/buffers.ts";
import { formOf, type Layout } from "../layout/layout.ts";
import {
  checkedPartition,
  childrenThere,
  flattened,
  formThere,
  lowestNeeded,
  type NodeCost,
  type Numbered,
  numbered,
  RaggedSource,
} from "./source.ts";
import { zerosOf } from "./zeros.ts";

export class MemorySource extends RaggedSource {
  readonly name: string;
  readonly form: Form;
  readonly rows: readonly number[];
  readonly layouts: readonly Layout[];
  readonly #tree: Numbered;
  #fingerprint: string | null = null;

  /** At least one layout: a source without partitions would have no form. */
  constructor(layouts: readonly Layout[], options: { readonly name?: string } = {}) {
    super();
    this.form = commonForm(layouts);
    this.name = options.name ?? "memory";
    this.layouts = layouts;
    this.rows = layouts.map(({ length }) => length);
    this.#tree = numbered(this.form);
  }

  fingerprint(): string {
    this.#fingerprint ??= `memory ${this.layouts.map(layoutFingerprint).join(",")}`;
    return this.#fingerprint;
  }

  read(partition: number, need: Need): Layout {
    const layout = this.layouts[checkedPartition(this, partition)]!;
    return partOf(layout, this.#tree, closed(this.form, need));
  }

  bytesOf(partition: number, need: Need): number {
    const sizes = bufferBytes(this.layouts[checkedPartition(this, partition)]!);
    return sizes.reduce((sum, bytes, at) => sum + (need[at] === ABSENT ? 0 : bytes), 0);
  }

  costs(): readonly NodeCost[] {
    const sizes = this.layouts.map(bufferBytes);
    return flattened(this.#tree).map(({ form, path, at }) => ({
      column: form.kind === "record" ? null : path,
      bytes: sizes.reduce((sum, bytes) => sum + bytes[at]!, 0),
    }));
  }

  /** A list or an option of which nothing below is needed stands for itself: in memory its buffer is its own. */
  touched(need: Need): readonly number[] {
    return lowestNeeded(this.#tree, closed(this.form, need)).map(({ at }) => at);
  }

  location(): TableLocation | null {
    return null;
  }
}

function commonForm(layouts: readonly Layout[]): Form {
  const [first] = layouts;
  if (first === undefined)
    throw new ShapeError({ what: "a source of no partitions", cure: "Give one layout at least" });
  const form = formOf(first);
  const text = formText(form);
  layouts.forEach((layout, i) => {
    const other = formOf(layout);
    if (formText(other) === text) return;
    throw new ShapeError({
      what: `partition ${i} is ${typeText(other)} and partition 0 is ${typeText(form)}, or held in another way`,
      cure: "Give all partitions one form",
    });
  });
  return form;
}

function layoutFingerprint(layout: Layout): string {
  const { form, length, container } = toBuffers(layout);
  const buffers = Object.values(container).map((data) =>
    fingerprintBytes(new Uint8Array(data.buffer, data.byteOffset, data.byteLength)),
  );
  const text = `${length} ${formText(form)} ${buffers.join(" ")}`;
  return fingerprintBytes(new TextEncoder().encode(text));
}

const childrenOfLayout = (layout: Layout): readonly Layout[] =>
  "contents" in layout ? layout.contents : "content" in layout ? [layout.content] : [];

/** Of each node in preorder. */
export function bufferBytes(layout: Layout): number[] {
  const own = Object.values(layout).filter(ArrayBuffer.isView) as ArrayBufferView[];
  const bytes = own.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return [bytes, ...childrenOfLayout(layout).flatMap(bufferBytes)];
}

/** What is needed of a layout of the whole form; the rest is zeros. */
export function partOf(layout: Layout, node: Numbered, need: Need): Layout {
  if (need[node.at] !== NEEDED) return zerosOf(formThere(node, need), layout.length);
  const all = childrenOfLayout(layout);
  const there = childrenThere(node, need);
  const parts = there.map((child) => partOf(all[node.children.indexOf(child)]!, child, need));
  if (parts.length === all.length && parts.every((part, i) => part === all[i])) return layout;
  if (layout.kind === "record") {
    const { fields } = formThere(node, need) as Extract<Form, { kind: "record" }>;
    return { ...layout, fields, contents: parts };
  }
  return layout.kind === "union"
    ? { ...layout, contents: parts }
    : ({ ...layout, content: parts[0]! } as Layout);
}
