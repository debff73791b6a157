// What is said of files in declarations that others read: nothing here is of Node's types.

import type { ListedObject } from "./store.ts";

export interface ListedFile extends ListedObject {
  readonly modified: number;
}

export interface FileOptions {
  /** What is written survives a power cut once it has been waited for: data are on the disk before they get their name, and the name before `set` ends. */
  durable?: boolean;
  /** Calls that block the thread: faster, and right in a worker thread. */
  blocking?: boolean;
}
