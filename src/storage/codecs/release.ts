// Memory that nobody needs any more, given back now. The collector of garbage waits until there is much of it, and memory
// that is to be bounded cannot wait. In: bytes that only the caller can see. Out: nothing; they are empty afterwards.

import { once } from "../../core/once.ts";

interface Transferable extends ArrayBuffer {
  transfer?(length: number): ArrayBuffer;
}

/** Less is not worth the trouble, and may be a part of what the platform hands out in small pieces. */
const LEAST_BYTES = 1 << 16;

/**
 * What is sent through a closed port is dropped at once. It is this side that must be closed: the other side of a port
 * learns of it in a turn of the event loop, and until then it keeps what it is sent.
 */
const nowhere = once((): MessagePort => {
  const { port1 } = new MessageChannel();
  port1.close();
  return port1;
});

export function releaseBytes({ buffer }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength < LEAST_BYTES) return;
  try {
    const { transfer } = buffer as Transferable;
    if (transfer !== undefined) transfer.call(buffer, 0);
    else nowhere().postMessage(null, [buffer]);
  } catch {
    // Memory of a WebAssembly module stays where it is.
  }
}
