// What computations need of their sources, by hand: the table of the design, and cases where less is needed than it
// seems.

import { describe, expect, test } from "vitest";
import { ABSENT, closed, NEEDED, type Need, PRESENT } from "../../src/core/form/form.ts";
import { needsOf, reasonChain, reasonOf } from "../../src/ragged/demand/index.ts";
import { outlineOf } from "../../src/ragged/demand/outline.ts";
import { ALL, parseElementType, plainForm, raggedOpNamed, typeText } from "../../src/ragged/index.ts";
import { Graph, neededOf, presentOf } from "./demandGraph.ts";

const EVENTS = parseElementType(`{
  met: float32,
  run: int64,
  q: ?int64,
  mu: var * {pt: float32, z: float32},
  jets: var * {pt: float32, eta: float32, n: int32, p4: {pt: float32, e: float32}, id: {a: int32, b: ?int32}, tracks: var * {q: int8, d: float32}},
  name: string,
  grid: var * var * float64
}`);

type Build = (graph: Graph, events: number) => number;

/** Needed, and after a bar what must be there. */
function columns(build: Build): string {
  const graph = new Graph();
  const events = graph.source({ form: EVENTS });
  const demand = graph.demand(build(graph, events));
  expect([...demand.failures.values()]).toEqual([]);
  const need = demand.needs[events]!;
  const present = presentOf(EVENTS, need);
  return `${neededOf(EVENTS, need).join(" ")}${present.length === 0 ? "" : ` | ${present.join(" ")}`}`;
}

const CASES: readonly (readonly [text: string, build: Build, needed: string])[] = [
  // The table.
  ["num(jets)", (g, e) => g.add("num", [g.field(e, "jets")]), "jets"],
  [
    "jets[jets.pt > 1].eta",
    (g, e) => {
      const jets = g.field(e, "jets");
      const mask = g.add("greater", [g.field(jets, "pt")], { operands: [null, 1] });
      return g.field(g.add("get", [jets, mask], { items: [["array", 0]] }), "eta");
    },
    "jets.pt jets.eta",
  ],
  ["jets.p4.pt", (g, e) => g.field(e, "jets", "p4", "pt"), "jets.p4.pt"],
  ["jets.p4.pt, step by step", (g, e) => g.field(g.field(g.field(e, "jets"), "p4"), "pt"), "jets.p4.pt"],
  [
    "withField(events, met ** 2, w).mu.pt",
    (g, e) => {
      const square = g.add("pow", [g.field(e, "met")], { operands: [null, 2] });
      return g.field(g.add("withField", [e, square], { path: ["w"] }), "mu", "pt");
    },
    "mu.pt",
  ],
  [
    "concatenate([mu, zip(pt, z)], axis 1).pt",
    (g, e) => {
      const zipped = g.add("zip", [g.field(e, "jets", "pt"), g.field(e, "jets", "id", "a")], {
        fields: ["pt", "z"],
      });
      return g.field(g.add("concatenate", [g.field(e, "mu"), zipped], { axis: 1 }), "pt");
    },
    "mu.pt jets.pt",
  ],
  [
    "concatenate([mu, zip(pt, z)]).pt",
    (g, e) => {
      const zipped = g.add("zip", [g.field(e, "jets", "pt"), g.field(e, "jets", "eta")], {
        fields: ["pt", "z"],
      });
      return g.field(g.add("concatenate", [g.field(e, "mu"), zipped]), "pt");
    },
    "mu.pt jets.pt",
  ],
  ["zerosLike(mu.pt)", (g, e) => g.add("zerosLike", [g.field(e, "mu", "pt")]), "mu | mu.pt"],
  // Structure alone.
  ["num(grid, axis 2)", (g, e) => g.add("num", [g.field(e, "grid")], { axis: 2 }), "grid | grid"],
  ["num(events, axis 0)", (g, e) => g.add("num", [e], { axis: 0 }), ""],
  ["localIndex(jets, axis 1)", (g, e) => g.add("localIndex", [g.field(e, "jets")], { axis: 1 }), "jets"],
  ["localIndex(events, axis 0)", (g, e) => g.add("localIndex", [e], { axis: 0 }), ""],
  ["argcombinations(jets)", (g, e) => g.add("argcombinations", [g.field(e, "jets")], { n: 2 }), "jets"],
  [
    "argcartesian([mu, jets])",
    (g, e) => g.add("argcartesian", [g.field(e, "mu"), g.field(e, "jets")]),
    "mu jets",
  ],
  ["isNone(q)", (g, e) => g.add("isNone", [g.field(e, "q")]), "q | q"],
  ["isNone(jets)", (g, e) => g.add("isNone", [g.field(e, "jets")]), ""],
  [
    "count(jets.id.b, axis 1)",
    (g, e) => g.add("count", [g.field(e, "jets", "id", "b")], { axis: 1 }),
    "jets.id.b | jets.id.b",
  ],
  [
    "num(jets.pt + jets.eta)",
    (g, e) => g.add("num", [g.add("add", [g.field(e, "jets", "pt"), g.field(e, "jets", "eta")])]),
    "jets | jets.pt jets.eta",
  ],
  [
    "num(jets.n // jets.n): zeros would fail",
    (g, e) => {
      const n = g.field(e, "jets", "n");
      return g.add("num", [g.add("floorDivide", [n, n])]);
    },
    "jets.n",
  ],
  [
    "num(zip(mu.pt, mu.z))",
    (g, e) =>
      g.add("num", [g.add("zip", [g.field(e, "mu", "pt"), g.field(e, "mu", "z")], { fields: ["a", "b"] })]),
    "mu | mu.pt",
  ],
  // Records through operations that move, compute and select.
  [
    "(fields(mu, [pt, z]) + 1).pt",
    (g, e) => {
      const records = g.add("fields", [g.field(e, "mu")], { names: ["pt", "z"] });
      return g.field(g.add("add", [records], { operands: [null, 1] }), "pt");
    },
    "mu.pt",
  ],
  [
    "events[[met, jets]].met",
    (g, e) => g.field(g.add("get", [e], { items: [["fields", "met", "jets"]] }), "met"),
    "met",
  ],
  [
    "events[[met, mu]].mu.pt",
    (g, e) => g.field(g.add("fields", [e], { names: ["met", "mu"] }), "mu", "pt"),
    "mu.pt",
  ],
  [
    "withoutField(events, jets).mu.z",
    (g, e) => g.field(g.add("withoutField", [e], { path: ["jets"] }), "mu", "z"),
    "mu.z",
  ],
  [
    "withField(jets, pt + eta, sum).sum",
    (g, e) => {
      const jets = g.field(e, "jets");
      const sum = g.add("add", [g.field(jets, "pt"), g.field(jets, "eta")]);
      return g.field(g.add("withField", [jets, sum], { path: ["sum"] }), "sum");
    },
    "jets.pt jets.eta",
  ],
  [
    "withField(events, eta, [jets, pt]).jets.pt: the old one is not",
    (g, e) => {
      const eta = g.field(e, "jets", "eta");
      return g.field(g.add("withField", [e, eta], { path: ["jets", "pt"] }), "jets", "pt");
    },
    "jets.eta",
  ],
  [
    "zip(met, jets.pt).met goes to every jet",
    (g, e) =>
      g.field(g.add("zip", [g.field(e, "met"), g.field(e, "jets", "pt")], { fields: ["met", "pt"] }), "met"),
    "met jets | jets.pt",
  ],
  ["firsts(jets).p4.e", (g, e) => g.field(g.add("firsts", [g.field(e, "jets")]), "p4", "e"), "jets.p4.e"],
  [
    "padNone(jets, 2).eta",
    (g, e) => g.field(g.add("padNone", [g.field(e, "jets")], { target: 2 }), "eta"),
    "jets.eta",
  ],
  [
    "flatten(jets).tracks.d",
    (g, e) => g.field(g.add("flatten", [g.field(e, "jets")]), "tracks", "d"),
    "jets.tracks.d",
  ],
  [
    "num(flatten(jets.tracks, axis 2))",
    (g, e) => g.add("num", [g.add("flatten", [g.field(e, "jets", "tracks")], { axis: 2 })]),
    "jets.tracks",
  ],
  [
    "combinations(jets, 2).0.pt",
    (g, e) => g.field(g.add("combinations", [g.field(e, "jets")], { n: 2 }), "0", "pt"),
    "jets.pt",
  ],
  [
    "cartesian([mu, jets]).a.pt: of jets only how many",
    (g, e) =>
      g.field(
        g.add("cartesian", [g.field(e, "mu"), g.field(e, "jets")], { fields: ["a", "b"] }),
        ...["a", "pt"],
      ),
    "mu.pt jets",
  ],
  [
    "jets[argmax(jets.pt, keepdims)].eta",
    (g, e) => {
      const jets = g.field(e, "jets");
      const best = g.add("argmax", [g.field(jets, "pt")], { axis: 1, keepdims: true });
      return g.field(g.add("get", [jets, best], { items: [["array", 0]] }), "eta");
    },
    "jets.pt jets.eta",
  ],
  [
    "events[met > 1].mu.pt",
    (g, e) => {
      const test = g.add("greater", [g.field(e, "met")], { operands: [null, 1] });
      return g.field(g.add("get", [e, test], { items: [["array", 0]] }), "mu", "pt");
    },
    "met mu.pt",
  ],
  [
    "mask(mu, mu.pt > 1).z",
    (g, e) => {
      const mu = g.field(e, "mu");
      const test = g.add("greater", [g.field(mu, "pt")], { operands: [null, 1] });
      return g.field(g.add("mask", [mu, test]), "z");
    },
    "mu.pt mu.z",
  ],
  [
    "where(met > 1, mu.pt, 0)",
    (g, e) => {
      const test = g.add("greater", [g.field(e, "met")], { operands: [null, 1] });
      return g.add("where", [test, g.field(e, "mu", "pt")], { operands: [null, 0] });
    },
    "met mu.pt",
  ],
  [
    "sum(events.{jets.pt, grid}, axis 1).pt",
    (g, e) => {
      const records = g.add("zip", [g.field(e, "jets", "pt"), g.field(e, "grid")], {
        fields: ["pt", "grid"],
        depthLimit: 1,
      });
      return g.field(g.add("sum", [records], { axis: 1 }), "pt");
    },
    "jets.pt",
  ],
  [
    "fillNone(jets.id, 0).a",
    (g, e) => g.field(g.add("fillNone", [g.field(e, "jets", "id")], { value: 0 }), "a"),
    "jets.id.a",
  ],
  [
    "jets[:, 0].pt",
    (g, e) => g.field(g.add("get", [g.field(e, "jets")], { items: [ALL, 0] }), "pt"),
    "jets.pt",
  ],
  ["runLengths(mu.pt)", (g, e) => g.add("runLengths", [g.field(e, "mu", "pt")]), "mu.pt"],
  [
    "mu.pt[unused where] of a computation nobody asks for",
    (g, e) => {
      g.add("sqrt", [g.field(e, "met")]);
      return g.field(e, "mu", "pt");
    },
    "mu.pt",
  ],
];

describe("columns", () => {
  test.each(CASES)("%s", (_, build, needed) => {
    expect(columns(build)).toBe(needed);
  });
});

/** The number of the node at a path of fields; of a list, the list itself. */
function nodeAt(path: string): number {
  let at = 0;
  const { nodes, ends } = outlineOf(EVENTS);
  for (const name of path.split(".")) {
    while (nodes[at]!.kind !== "record") at++;
    const record = nodes[at] as Extract<(typeof nodes)[number], { kind: "record" }>;
    at++;
    for (let i = record.fields!.indexOf(name); i > 0; i--) at = ends[at]!;
  }
  return at;
}

describe("reasons", () => {
  const graph = new Graph();
  const events = graph.source({ form: EVENTS });
  const jets = graph.field(events, "jets");
  const pt = graph.field(jets, "pt");
  const test1 = graph.add("greater", [pt], { operands: [null, 1] });
  const chosen = graph.add("get", [jets, test1], { items: [["array", 0]] });
  const eta = graph.field(chosen, "eta");
  const total = graph.add("sum", [eta], { axis: 1 });
  const demand = graph.demand(total);

  test("a chain leads from a column to what is asked for", () => {
    const consumers = (path: string): number[] =>
      reasonChain(demand, events, nodeAt(path)).map(({ consumer }) => consumer);
    expect(consumers("jets.eta")).toEqual([jets, chosen, eta, total]);
    // The mask is looked at as a whole: there the chain ends.
    expect(consumers("jets.pt")).toEqual([jets, pt, test1, chosen]);
    expect(consumers("met")).toEqual([]);
  });

  test("the reason is the first that looks at values", () => {
    const reason = (path: string): number | undefined =>
      reasonOf(graph.nodes, demand, events, nodeAt(path))?.consumer;
    expect(reason("jets.eta")).toBe(total);
    expect(reason("jets.pt")).toBe(test1);
    expect(reason("met")).toBeUndefined();
  });
});

describe("what is narrowed", () => {
  test("a field that nobody wants is not added, and its input not computed", () => {
    const graph = new Graph();
    const events = graph.source({ form: EVENTS });
    const square = graph.add("square", [graph.field(events, "met")]);
    const more = graph.add("withField", [events, square], { path: ["w"] });
    const demand = graph.demand(graph.field(more, "mu", "pt"));
    expect(demand.steps[more]).toMatchObject({ op: null, inputs: [0] });
    expect(demand.steps[square]).toBeNull();
    expect(demand.needs[square]).toEqual([ABSENT]);
  });

  test("zip keeps the arrays whose fields are wanted", () => {
    const graph = new Graph();
    const events = graph.source({ form: EVENTS });
    const parts = ["pt", "eta", "n"].map((name) => graph.field(events, "jets", name));
    const zipped = graph.add("zip", parts, { fields: ["a", "b", "c"] });
    const demand = graph.demand(graph.field(zipped, "b"));
    expect(demand.steps[zipped]).toMatchObject({ attrs: { fields: ["b"] }, inputs: [1] });
  });

  test("an array that says which rows are null is kept", () => {
    const graph = new Graph();
    const form = parseElementType("{a: option[var * int32], b: option[var * int32]}");
    const source = graph.source({ form });
    const zipped = graph.add("zip", [graph.field(source, "a"), graph.field(source, "b")], {
      fields: ["a", "b"],
    });
    const demand = graph.demand(graph.field(zipped, "a"));
    expect(demand.steps[zipped]!.inputs).toEqual([0, 1]);
    expect(neededOf(form, demand.needs[source]!)).toEqual(["a", "b"]);
    expect(presentOf(form, demand.needs[source]!)).toEqual(["b"]);
  });

  test("an array that says how many rows there are is kept", () => {
    const graph = new Graph();
    const events = graph.source({ form: EVENTS });
    const best = graph.add("max", [graph.field(events, "met")], { axis: null });
    const zipped = graph.add("zip", [best, graph.field(events, "run")], { fields: ["best", "run"] });
    const demand = graph.demand(graph.field(zipped, "best"));
    expect(demand.steps[zipped]!.inputs).toEqual([0, 1]);
  });

  test("records that must have the same fields to be one type keep the same fields", () => {
    const graph = new Graph();
    const events = graph.source({ form: EVENTS });
    const joined = graph.add("concatenate", [graph.field(events, "mu"), graph.field(events, "jets")], {
      axis: 1,
    });
    const demand = graph.demand(graph.field(joined, "pt"));
    expect(demand.failures.size).toBe(0);
    expect(neededOf(EVENTS, demand.needs[events]!)).toContain("mu.pt");
    expect(neededOf(EVENTS, demand.needs[events]!)).not.toContain("mu.z");
  });
});

test("a function of which nothing is known needs all of its inputs, and of others nothing", () => {
  const graph = new Graph();
  const events = graph.source({ form: EVENTS });
  const mu = graph.field(events, "mu");
  const opaque =
    graph.nodes.push({ op: null, attrs: {}, inputs: [mu], form: parseElementType("float64") }) - 1;
  const demand = graph.demand(opaque);
  expect(neededOf(EVENTS, demand.needs[events]!)).toEqual(["mu.pt", "mu.z"]);
});

test("needs of one operation", () => {
  const form = parseElementType("var * {x: float64, y: int32}");
  const [need] = needsOf(raggedOpNamed("field"), [form], { path: ["y"] }, [NEEDED, PRESENT]);
  expect(need).toEqual([NEEDED, PRESENT, ABSENT, PRESENT]);
});

test("a need that holds: one content of a union brings the others", () => {
  const form = parseElementType("{u: union[int32, string], v: int32}");
  const some: Need = [ABSENT, ABSENT, PRESENT, ABSENT, ABSENT];
  expect(closed(form, some)).toEqual([PRESENT, PRESENT, PRESENT, PRESENT, ABSENT]);
});

test("fields within a union are there when it is: without them its contents could be one", () => {
  const form = parseElementType("union[{x: int64, w: int64}, {x: int64, w: string}]");
  const first = outlineOf(form).nodes.map((_, at) => (at === 2 ? NEEDED : ABSENT));
  const [n, p] = [NEEDED, PRESENT];
  expect(closed(form, first)).toEqual([n, n, n, p, p, p, p]);
});

test("whether a masked reduction is null follows from the lists, though there are nulls around them", () => {
  const form = parseElementType("option[var * string]");
  const attrs = { axis: 1, maskIdentity: true };
  expect(needsOf(raggedOpNamed("count"), [form], attrs, [NEEDED, PRESENT])).toEqual([
    [NEEDED, NEEDED, PRESENT],
  ]);
  const lists = parseElementType("var * var * bool");
  expect(needsOf(raggedOpNamed("count"), [lists], attrs, [NEEDED, PRESENT, PRESENT])).toEqual([
    [NEEDED, NEEDED, PRESENT],
  ]);
});

test("what becomes a union within a union takes in what fits it", () => {
  const records = parseElementType("var * ?{y: int64}");
  const added = parseElementType("union[int64, var * union[int64, string], bool]");
  const form = raggedOpNamed("withField").form([records, added], { path: ["w"] });
  expect(typeText(form)).toBe(
    "var * ?union[{y: int64, w: int64}, {y: int64, w: string}, {y: int64, w: bool}]",
  );
  expect(plainForm(form)).toEqual(form);
});

test("an axis that counts from the end stays the same: the deepest field is there", () => {
  const inputs = ["var * unknown", "var * {x: int64, y: var * unknown}"].map(parseElementType);
  const nothing = [PRESENT, PRESENT, ABSENT, ABSENT, ABSENT] as const;
  const [, records] = needsOf(raggedOpNamed("concatenate"), inputs, { axis: -2 }, nothing);
  expect(records!.every((level) => level !== ABSENT)).toBe(true);
});
