// A thread's end of its line to the thread that made it: in Node and in browsers.

export interface Port<Setting, Out, In> {
  readonly setting: Setting;
  send(message: Out): void;
  listen(receive: (message: In) => void): void;
}

interface NodeThreads {
  readonly workerData: unknown;
  readonly parentPort: {
    postMessage(message: unknown): void;
    on(event: "message", listener: (message: unknown) => void): void;
  };
}

const { process: host } = globalThis as {
  process?: { getBuiltinModule?(name: string): unknown; versions?: { node?: string } };
};

export async function port<Setting, Out, In>(): Promise<Port<Setting, Out, In>> {
  if (host?.versions?.node === undefined) return browserPort();
  const name = "node:worker_threads";
  const threads = (host.getBuiltinModule?.(name) ?? (await import(/* @vite-ignore */ name))) as NodeThreads;
  return {
    setting: threads.workerData as Setting,
    send: (message) => threads.parentPort.postMessage(message),
    listen: (receive) => threads.parentPort.on("message", (message) => receive(message as In)),
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
