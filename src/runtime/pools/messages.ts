// What the main thread and task threads tell each other. Plain data that can be cloned; blocks are as the main
// thread's backend shows them.

import type { Box } from "../../core/chunks.ts";
import type { SharedBlock } from "../../kernel/backend.ts";
import type { PartitionLocation } from "../../ops/partitions.ts";
import type { Json } from "../../plan/planJson.ts";
import type { SentCodec } from "../../storage/codecs/table.ts";
import type { SentFormat } from "../../storage/formats/table.ts";
import type { PlainData, StoreLocation } from "../../storage/store.ts";
import type { TaskStats } from "../events.ts";

/** A store by its location, or one that only the main thread can reach, by a number. */
export type StoreHandle = StoreLocation | { readonly kind: "proxy"; readonly id: number };

/** An array in a store, and the format that reads or writes it there. */
export interface FormatPlace {
  readonly array: string;
  readonly format: string;
  readonly store: StoreHandle;
  readonly path: string;
  /** Of a source the options it was opened with, of a target what it sends its writers. */
  readonly sent: PlainData | undefined;
}

/** An intermediate in a store. */
export interface StoredPlace {
  readonly array: string;
  readonly store: StoreHandle;
  readonly path: string;
  readonly writeEmptyChunks: boolean;
  /** A chunk that is not there is an error. */
  readonly expectsAll: boolean;
}

/** A ragged source. */
export interface PartitionedPlace {
  readonly array: string;
  readonly location: PartitionLocation;
}

/** A partition that a task made, packed. */
export interface SentPart {
  readonly id: number;
  readonly array: string;
  readonly bytes: Uint8Array;
}

/** What a task reads or writes of an array that is in memory: a chunk, by its number, */
export interface SharedChunk {
  readonly array: string;
  readonly chunk: number;
  readonly block: SharedBlock;
}

/** or a window of an array that is there as a whole. */
export interface SharedWindow {
  readonly array: string;
  readonly box: Box;
  readonly block: SharedBlock;
}

export type SharedPart = SharedChunk | SharedWindow;

/** A task all of whose arrays are in stores. */
export interface BareTask {
  readonly id: number;
  /** Tasks of one lane run one after another. */
  readonly lane: number;
  readonly op: number;
  readonly task: number;
}

export interface SentTask extends BareTask {
  readonly reads: readonly SharedPart[];
  readonly writes: readonly SharedPart[];
  /** Intermediates that are in a store: read there where `reads` has no part, and written there when `storesAll`. */
  readonly held: readonly StoredPlace[];
  readonly storesAll: boolean;
}

export interface DoneTask {
  readonly id: number;
  readonly stats: TaskStats;
}

export interface FailedTask {
  readonly id: number;
  readonly error: SentError;
}

/** A run that a thread is to do tasks of. */
export type Opening = ToThread & { readonly type: "open" };

export type ToThread =
  | {
      readonly type: "open";
      readonly run: number;
      readonly plan: Json;
      /** Of the plan's arrays: packed tasks name them by number. */
      readonly names: readonly string[];
      readonly sources: readonly FormatPlace[];
      readonly targets: readonly FormatPlace[];
      readonly partitioned: readonly PartitionedPlace[];
      /** Arrays of the run's own that are in a store from the beginning, and stay there. */
      readonly stored: readonly StoredPlace[];
      /** Codecs and formats of the user's, which arrays may name. */
      readonly codecs: readonly SentCodec[];
      readonly formats: readonly SentFormat[];
      /** By operation: the memory that was stated for its tasks. */
      readonly limits: readonly number[];
      /** What a task on partitions may have in all, where that is known. */
      readonly taskMem?: number;
    }
  | { readonly type: "close"; readonly run: number }
  | { readonly type: "tasks"; readonly run: number; readonly tasks: readonly (BareTask | SentTask)[] }
  /** As packTasks makes them: without intermediates in stores. */
  | { readonly type: "packedTasks"; readonly run: number; readonly tasks: Float64Array }
  | {
      readonly type: "answer";
      readonly request: number;
      readonly value: unknown;
      readonly error?: SentError;
    };

export type FromThread =
  | { readonly type: "ready" }
  /** `done` as packDone makes it. */
  | {
      readonly type: "reports";
      readonly done: Float64Array;
      readonly failed: readonly FailedTask[];
      readonly parts: readonly SentPart[];
    }
  | {
      readonly type: "request";
      readonly request: number;
      readonly store: number;
      readonly method: string;
      readonly args: readonly unknown[];
    };

/** What a thread is started with. */
export interface ThreadSetting {
  /** What the main thread's backend shares. */
  readonly shared: unknown;
}

/** An error as data: messages do not carry classes. */
export interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly what: string | undefined;
  readonly where: string | undefined;
  readonly cure: string | undefined;
  readonly retryable: boolean;
  readonly code: string | undefined;
  /** Of a LostChunkError: which. */
  readonly lost: { readonly path: string; readonly place: readonly number[] | null } | undefined;
  /** The step of the operation that failed, where that is known. */
  readonly origin: number | undefined;
}
