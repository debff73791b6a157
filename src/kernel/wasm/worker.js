// A thread that helps with jobs. In: the shared memory, its own scratch, and where the words of the job lie
// (control.ts writes them). It sleeps until a job opens, takes parts of it while there are any, and sleeps again.
// Plain JavaScript, and on its own: it is loaded as it is, from the sources and from the built package.

/**
 * @typedef {{memory: WebAssembly.Memory, scratch: number, control: number, spins: number, slotWords: number,
 *   words: {[name: string]: number}}} Setting
 */

/**
 * Kernels by number, compiled where they are new to this thread.
 * @param {Setting} setting
 * @param {Int32Array} words
 */
function kernelsOf({ memory, scratch, words: at }, words) {
  /** @type {Map<number, (parameters: number, from: number, to: number) => void>} */
  const kernels = new Map();

  /** Throwing ends the kernel; the reason is left for the thread that asked. */
  const trap = (kind, origin) => {
    Atomics.store(words, at.trapKind, kind);
    Atomics.store(words, at.trapOrigin, origin);
    throw new Error("trap");
  };

  return (number) => {
    const known = kernels.get(number);
    if (known !== undefined) return known;
    // The engine knows equal bytes, so this compiles nothing again.
    const bytes = new Uint8Array(memory.buffer, words[at.codeAt] >>> 0, words[at.codeBytes]).slice();
    const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), {
      env: { memory, trap, scratch },
    });
    if (kernels.size >= 1000) kernels.clear();
    kernels.set(number, instance.exports.run);
    return instance.exports.run;
  };
}

/** @param {Setting} setting */
function serve(setting) {
  const { memory, control, spins, slotWords, words: at } = setting;
  const words = new Int32Array(memory.buffer, control, 256);
  const kernelOf = kernelsOf(setting, words);

  /** Units that are all there: as many as a part at a time. */
  const workOnUnits = (run) => {
    const units = words[at.units];
    const part = words[at.part];
    for (;;) {
      const from = Atomics.add(words, at.next, part);
      if (from >= units) return;
      run(words[at.parameters], from, Math.min(units, from + part));
    }
  };

  /** Tiles that are made one after another: each is taken before it is there, and waited for. */
  const workOnTiles = (run, epoch) => {
    const tiles = words[at.units];
    const slots = words[at.slots];
    for (;;) {
      const tile = Atomics.add(words, at.next, 1);
      if (tile >= tiles) return;
      const slot = at.firstSlot + (tile % slots) * slotWords;
      for (let looks = 0; ; looks++) {
        const state = Atomics.load(words, slot);
        if (state === tile + 1) break;
        if (Atomics.load(words, at.epoch) !== epoch) return;
        if (looks > spins) Atomics.wait(words, slot, state, 1);
      }
      run(words[at.parameters] + (tile % slots) * words[at.part], 0, words[slot + 1]);
      Atomics.store(words, slot, -(tile + 1));
      Atomics.notify(words, slot);
    }
  };

  const work = (epoch) => {
    try {
      const run = kernelOf(words[at.kernel]);
      if (words[at.slots] === 0) workOnUnits(run);
      else workOnTiles(run, epoch);
    } catch {
      if (Atomics.load(words, at.trapKind) < 0) Atomics.store(words, at.failed, 1);
      Atomics.store(words, at.next, words[at.units]);
    }
  };

  const isNew = (epoch, seen) => epoch % 2 === 1 && epoch !== seen;

  let seen = 0;
  for (;;) {
    let epoch = Atomics.load(words, at.epoch);
    // A job often follows another at once; waking up takes longer than looking for a while.
    for (let i = 0; i < spins && !isNew(epoch, seen); i++) epoch = Atomics.load(words, at.epoch);
    if (!isNew(epoch, seen)) {
      Atomics.wait(words, at.epoch, epoch);
      continue;
    }
    Atomics.add(words, at.inside, 1);
    if (Atomics.load(words, at.epoch) === epoch) {
      seen = epoch;
      work(epoch);
    }
    if (Atomics.sub(words, at.inside, 1) === 1) Atomics.notify(words, at.inside);
  }
}

if (typeof process === "object" && process.versions?.node) {
  const { workerData } = await import("node:worker_threads");
  serve(workerData);
} else {
  globalThis.onmessage = ({ data }) => serve(data);
}
