// How the tests look over a computation's shoulder: a source that counts who touches its data, and the events.

import * as cw from "chunkwise";

export interface Watched {
  readonly array: cw.NDArray;
  /** How often elements, the buffer or a method of the data were asked for. */
  touches(): number;
}

/** What may be asked of data without reading it. */
const HARMLESS: ReadonlySet<string | symbol> = new Set([
  "length",
  "byteLength",
  "constructor",
  // Whose memory it is, not what is in it: who reads asks for byteOffset, too.
  "buffer",
  Symbol.toStringTag,
]);

/** An array in memory whose data cannot be read unnoticed. */
export function watched(values: readonly number[]): Watched {
  let touches = 0;
  const data = new Proxy(new Float64Array(values), {
    get(target, key) {
      if (!HARMLESS.has(key)) touches++;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" && key !== "constructor" ? value.bind(target) : value;
    },
  });
  return { array: new cw.NDArray(data, [values.length], "float64"), touches: () => touches };
}

export interface Log {
  readonly onEvent: (event: cw.RunEvent) => void;
  readonly events: readonly cw.RunEvent[];
  count(type: cw.RunEvent["type"]): number;
  /** Ends of tasks, by operation. */
  tasksOf(operations: readonly string[]): number;
  bytesRead(): number;
}

export function log(): Log {
  const events: cw.RunEvent[] = [];
  const ends = (): Extract<cw.RunEvent, { type: "taskEnd" }>[] =>
    events.flatMap((event) => (event.type === "taskEnd" ? [event] : []));
  return {
    events,
    onEvent: (event) => void events.push(event),
    count: (type) => events.filter((event) => event.type === type).length,
    tasksOf: (operations) => ends().filter(({ operation }) => operations.includes(operation)).length,
    bytesRead: () => ends().reduce((sum, { bytesRead }) => sum + bytesRead, 0),
  };
}

/** The operations of a plan in which an op is computed. */
export function operationsWith(plan: cw.Plan, op: string): string[] {
  return plan.data.operations
    .filter(({ steps }) => steps.some((step) => "op" in step && step.op.name === op))
    .map(({ name }) => name);
}

/** `file:line` of whoever calls this; put it on the line in question. */
export function lineHere(): string {
  const frame = new Error().stack!.split("\n")[2]!;
  const [, file, line] = /([^()\s]+):(\d+):\d+\)?$/.exec(frame.trim())!;
  return `${file!.replace(/^file:\/\//, "")}:${line}`;
}
