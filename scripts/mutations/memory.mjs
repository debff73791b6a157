// Mistakes about who owns memory, and for how long (docs/adr/0014): see ../mutate.mjs. Those of 0.1 are among them: numbers
// that were wrong on task threads (A1), parts that were not all there (A2), blocks that were given back under readers and
// writers (A2b).

const OWNERSHIP = "test/runtime/ownership.test.ts";
const SIMULATION = "test/runtime/simulation.test.ts";
const ABANDONED = "test/runtime/abandoned.test.ts";
const WINDOWS = "test/property/windows.test.ts";

export const TESTS = [SIMULATION, OWNERSHIP];

const MEMORY = "kernel/wasm/memory.ts";
const HOLDINGS = "runtime/scheduler/holdings.ts";

export const MUTATIONS = [
  {
    name: "A1: blocks are known by the identity of their buffer, and others have address 0",
    tests: [OWNERSHIP],
    changes: [
      [
        MEMORY,
        "if (place === undefined) return null;",
        "if (place === undefined || data.buffer !== this.buffer) return null;",
      ],
      [
        MEMORY,
        "if (address !== null) return address;",
        "if (address !== null || block !== null) return address ?? 0;",
      ],
    ],
  },
  {
    name: "A1: blocks outside of the shared memory are sent as addresses",
    tests: [OWNERSHIP],
    changes: [
      [
        "kernel/wasm/backend.ts",
        "return at === null ? null : { at, slots",
        "return { at: at ?? data.byteOffset, slots",
      ],
    ],
  },
  {
    name: "A2: a part that is named twice counts twice",
    tests: [OWNERSHIP],
    changes: [
      [
        "runtime/pools/sharing.ts",
        "return this.#named.size !== this.#named.add(name).size;",
        "return name !== null;",
      ],
      [
        "runtime/pools/sharedArrays.ts",
        'if (part.array === array && "chunk" in part) chunks.set(',
        'if (part.array === array && "chunk" in part && chunks.has(part.chunk)) throw new InvariantError({ what: "not all there" });\n    else if (part.array === array && "chunk" in part) chunks.set(',
      ],
    ],
  },
  {
    name: "A2: what a waiting task owns is freed",
    tests: [SIMULATION],
    changes: [[HOLDINGS, "entry.claims > 0 || entry.pins > 0", "entry.pins > 0"]],
  },
  {
    name: "A2: a task does not own what it finds there",
    tests: [SIMULATION],
    changes: [
      [
        "runtime/scheduler/frontier.ts",
        "return entry === undefined ? undefined : claim(top, entry);",
        "return;",
      ],
    ],
  },
  {
    name: "A2: a task does not own what it waited for",
    tests: [SIMULATION],
    changes: [["runtime/scheduler/frontier.ts", "if (keeps) claim(waiter, entry);", ""]],
  },
  {
    name: "A2: a reader of a split reshape is not known",
    tests: [WINDOWS],
    changes: [["runtime/planGraph.ts", "step <= last; step++", "step < last; step++"]],
  },
  {
    name: "A2b: the end of a thread is not awaited",
    tests: [ABANDONED],
    changes: [["runtime/pools/taskThread.ts", "    await this.#terminate();", "    void this.#terminate();"]],
  },
  {
    name: "A2b: a run's blocks are freed before its threads have ended",
    tests: [ABANDONED],
    changes: [
      ["runtime/pools/threadPool.ts", "          await thread.end();", "          void thread.end();"],
    ],
  },
  {
    name: "A2b: outputs of attempts that a run did not wait for are not given back",
    tests: [ABANDONED],
    changes: [["runtime/drive.ts", "if (isOver) return outputs.giveBack();", "if (isOver) return;"]],
  },
  {
    name: "A2b: outputs of attempts that fail are not given back",
    tests: [ABANDONED],
    changes: [["runtime/drive.ts", "  outputs.giveBack();\n  ends(", "  ends("]],
  },
  {
    name: "A2b: outputs of attempts that another outran are not given back",
    tests: [ABANDONED],
    changes: [["runtime/drive.ts", "  else outputs.giveBack();", "  else outputs.bytes = 0;"]],
  },
  {
    name: "A2b: blocks are given back while a read still fills them",
    tests: [ABANDONED],
    changes: [["runtime/task.ts", "if (this.#underWay.length > 0) return this.#failLater(error);", ""]],
  },
  {
    name: "a window one element short",
    tests: ["test/runtime/graph.test.ts"],
    changes: [
      [
        "plan/demand.ts",
        "?? [asked]",
        "?? [{ ...asked, shape: asked.shape.map((n) => Math.max(1, n - 1)) }]",
      ],
    ],
  },
];
