// Programs that go wrong in the ways that the battery must see: whoever tests it gives them to it (--programs). What
// they do depends on the process: the reference is right, the run is not.

const isRun = process.argv[1]?.endsWith("child.mjs") ?? false;

const MAKERS = {
  right: (_, x) => x.add(1),
  "one-bit": (_, x) => (isRun ? x.set("599999:", 2 ** -53) : x.set("599999:", 0)),
  "another-dtype": (_, x) => (isRun ? x.astype("float32") : x),
  throws: (_, x) => (isRun ? x.reshape([7]) : x),
  crashes: (_, x) => (isRun ? process.exit(3) : x),
};

export const PROGRAMS = new Map(
  Object.entries(MAKERS).map(([name, make]) => [name, { name, family: name, source: "line", make }]),
);
