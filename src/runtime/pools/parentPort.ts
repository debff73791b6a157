// A thread's end of its line to the thread that made it: in Node and in browsers.

import { builtin } from "../../storage/builtin.ts";

export interface Port<Setting, Out, In> {
  readonly setting: Setting;
  send(message: Out): void;
  listen(receive: (message: In) => void): void;
}

export async function parentPort<Setting, Out, In>(): Promise<Port<Setting, Out, In>> {
  const threads = await builtin("node:worker_threads");
  if (threads === undefined) return browserPort();
  const { workerData, parentPort: line } = threads;
  return {
    setting: workerData as Setting,
    send: (message) => line!.postMessage(message),
    listen: (receive) => line!.on("message", receive),
  };
}

interface BrowserScope {
  postMessage(message: unknown): void;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
}

/** The first message is the setting. */
function browserPort<Setting, Out, In>(): Promise<Port<Setting, Out, In>> {
  const scope = globalThis as unknown as BrowserScope;
  return new Promise((resolve) => {
    scope.onmessage = ({ data }) =>
      resolve({
        setting: data as Setting,
        send: (message) => scope.postMessage(message),
        listen: (receive) => {
          scope.onmessage = (event) => receive(event.data as In);
        },
      });
  });
}
