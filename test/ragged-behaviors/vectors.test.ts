// Vectors beside NumPy's matrices in long doubles (generate.py); every system of coordinates beside every other; what is read of
// files; names through operations; own behaviors.

import { readFileSync } from "node:fs";
import * as cw from "chunkwise";
import * as rg from "chunkwise/ragged";
import { describe, expect, test } from "vitest";

type Four = readonly [number, number, number, number];
type Numbers = "theta" | "p" | "mass" | "dot" | "dot3" | "deltaPhi" | "deltaEta" | "deltaR" | "angle";
type Others = "rapidity" | "gamma" | "beta" | "mt" | "et";
type Lists = "xyzt" | "sum" | "difference" | "cross" | "boost" | "rest" | "rotated" | "turned";
type Case = { readonly [K in "a" | "b"]: Four } & { readonly [K in Numbers | Others]: number } & {
  readonly [K in Lists]: readonly number[];
};
const CASES = JSON.parse(readFileSync(new URL("./fixture.json", import.meta.url), "utf8")) as readonly Case[];

const column = (name: "a" | "b", at: number): Float64Array =>
  Float64Array.from(CASES, (one) => one[name][at]!);
const recordsOf = (name: "a" | "b"): rg.RaggedArray =>
  rg.zip({ pt: column(name, 0), eta: column(name, 1), phi: column(name, 2), mass: column(name, 3) });
const [a, b] = [recordsOf("a").withName("Momentum4D"), recordsOf("b").withName("Momentum4D")];

/** To the last few digits of what the numbers are made of. */
function expectClose(found: unknown, wanted: readonly number[], scale: number | readonly number[] = 1): void {
  const list = (found as rg.RaggedArray).toList() as number[];
  expect(list.length).toBe(wanted.length);
  list.forEach((value, i) => {
    const size = typeof scale === "number" ? scale : scale[i]!;
    expect(Math.abs(value - wanted[i]!)).toBeLessThanOrEqual(1e-13 * (Math.abs(wanted[i]!) + size));
  });
}
const wanted = (name: Numbers | Others): number[] => CASES.map((one) => one[name]);
const wantedAt = (name: Lists, at: number): number[] => CASES.map((one) => one[name][at]!);
/** Energies, which sums and differences are made of. */
const size = CASES.map(({ sum }) => sum[3]!);
const squares = size.map((energy) => energy * energy);

function expectVector(v: object, name: Lists, dimensions: number, scale = size): void {
  const coordinates = ["x", "y", "z", "t"].slice(0, dimensions);
  coordinates.forEach((coordinate, at) => {
    expectClose((v as { [name: string]: unknown })[coordinate], wantedAt(name, at), scale);
  });
}

describe("beside matrices in long doubles", () => {
  test("coordinates and lengths", () => {
    expectVector(a, "xyzt", 4);
    expectClose(a.theta, wanted("theta"));
    expectClose(a.p, wanted("p"));
    expectClose(a.rapidity, wanted("rapidity"), 10);
    expectClose(a.beta, wanted("beta"));
    expectClose(a.mt, wanted("mt"), size);
    expectClose(a.et, wanted("et"));
    expectClose(a.gamma, wanted("gamma"));
  });

  test("sums, differences, products", () => {
    expectVector(a.add(b), "sum", 4);
    expectVector(rg.add(a, b), "sum", 4);
    expectVector(a.subtract(b), "difference", 4);
    expectClose(a.add(b).mass, wanted("mass"), size);
    expectClose(a.dot(b), wanted("dot"), squares);
    expectClose(a.to3D().dot(b.to3D()), wanted("dot3"), squares);
    expectVector(a.cross(b), "cross", 3, squares);
  });

  test("angles", () => {
    expectClose(a.deltaPhi(b), wanted("deltaPhi"), 4);
    expectClose(a.deltaEta(b), wanted("deltaEta"), 4);
    expectClose(a.deltaR(b), wanted("deltaR"), 4);
    expectClose(a.deltaAngle(b), wanted("angle"), 1e3);
  });

  test("boosts and rotations", () => {
    const boosted = CASES.map(({ boost }) => 100 * boost[3]!);
    expectVector(a.boost(b), "boost", 4, boosted);
    // Of a velocity alone what is missing to that of light is rounded.
    const rounded = CASES.map(
      ({ sum, xyzt, b: [, , , mass] }, i) => boosted[i]! * ((sum[3]! - xyzt[3]!) / mass) ** 2,
    );
    expectVector(a.boost(b.toBeta3()), "boost", 4, rounded);
    const total = a.add(b);
    expectVector(
      a.boostCMOf(total),
      "rest",
      4,
      boosted.map((n, i) => n * (size[i]! / CASES[i]!.mass) ** 2),
    );
    expectVector(a.rotateAxis({ x: 1, y: 2, z: -0.5 }, 0.7), "rotated", 3);
    expectVector(a.rotateZ(2.5), "turned", 3);
    expectVector(a.rotateX(1).rotateX(-1), "xyzt", 4);
    expectVector(a.rotateY(1).rotateY(-1), "xyzt", 4);
  });
});

describe("every system of coordinates", () => {
  const around = {
    cartesian: ["px", "py"],
    polar: ["pt", "phi"],
    xy: ["x", "y"],
    rho: ["rho", "phi"],
  } as const;
  const along = ["pz", "eta", "theta", "z"] as const;
  const inTime = ["energy", "mass", "t", "tau"] as const;
  const systems = Object.values(around).flatMap((two) =>
    along.flatMap((z) => inTime.map((t) => [[...two, z, t].join(" "), [...two, z, t]] as const)),
  );
  test.each(systems)("%s", (_, fields) => {
    const columns = Object.fromEntries(
      fields.map((field) => [field, (a as unknown as { [name: string]: rg.RaggedArray })[field]!]),
    );
    const v = rg.zip(columns).withName("Vector4D");
    expectVector(v, "xyzt", 4);
    expectClose(v.pt, [...column("a", 0)]);
    expectClose(v.phi, [...column("a", 2)], 4);
    expectClose(v.eta, [...column("a", 1)], 4);
    expectClose(v.theta, wanted("theta"), 4);
    expectClose(v.p, wanted("p"));
    expectClose(
      v.mass2,
      CASES.map((one) => one.a[3] ** 2),
      squares,
    );
    expectClose(
      v.add(v).energy,
      wantedAt("xyzt", 3).map((t) => 2 * t),
      size,
    );
  });

  test("in a plane and in space", () => {
    const two = rg
      .fromIter([
        { x: 3, y: 4 },
        { x: -1, y: 0 },
      ])
      .withName("Vector2D");
    expect([two.rho.toList(), two.unit().x.toList(), two.dot(two).toList()]).toEqual([
      [5, 1],
      [0.6, -1],
      [25, 1],
    ]);
    const turned = two.rotateZ(Math.PI / 2);
    expect(turned.type).toBe("2 * Vector2D[x: float64, y: float64]");
    expectClose(turned.y, [3, -1]);
    const three = rg.fromIter([{ x: 1, y: 2, z: 2 }]).withName("Vector3D");
    expect([three.mag.toList(), three.multiply(2).mag2.toList(), three.negative().z.toList()]).toEqual([
      [3],
      [36],
      [-2],
    ]);
    expect(() => three.add(two as never)).toThrow(/in 3 and in 2 dimensions/);
    expect(() => two.withName("Vector3D").z).toThrow(/there is no z in records of x, y/);
  });

  test("sums of lists of vectors, nulls, one vector", () => {
    const lists = rg
      .fromIter([
        [
          { x: 1, y: 2 },
          { x: 3, y: 4 },
        ],
        [],
        [null, { x: 1, y: 1 }],
      ])
      .withName("Momentum2D");
    expect(lists.sum({ axis: 1 }).px.toList()).toEqual([4, 0, 1]);
    expect((rg.sum(lists, { axis: 1 }) as unknown as { py: rg.RaggedArray }).py.toList()).toEqual([6, 0, 1]);
    expect(rg.firsts(lists).field("x").toList()).toEqual([1, null, null]);
    expect(lists.pt.toList()).toEqual([[Math.hypot(1, 2), 5], [], [null, Math.SQRT2]]);
  });
});

describe("lazily", () => {
  const events = rg.lazy(
    rg.zip(
      {
        mu: rg.unflatten(
          rg.zip({
            ...Object.fromEntries(["pt", "eta", "phi", "mass"].map((name, at) => [name, column("a", at)])),
            charge: column("b", 0),
            iso: column("b", 1),
          }),
          [10, 0, 30],
        ),
      },
      { depthLimit: 1 },
    ),
    { npartitions: 2 },
  );
  const mu = events.field("mu").withName("Momentum4D");
  const [one, two] = rg.unzip(rg.combinations(mu, 2)).map((v) => v.withName("Momentum4D")) as [
    typeof mu,
    typeof mu,
  ];

  test.each([
    ["pt", () => mu.pt, "pt"],
    ["px", () => mu.px, "pt phi"],
    ["pz", () => mu.pz, "pt eta"],
    ["p", () => mu.p, "pt eta"],
    ["theta", () => mu.theta, "eta"],
    ["mass", () => mu.mass, "mass"],
    ["energy", () => mu.energy, "pt eta mass"],
    ["deltaPhi", () => one.deltaPhi(two), "phi"],
    ["deltaEta", () => one.deltaEta(two), "eta"],
    ["deltaR", () => one.deltaR(two), "eta phi"],
    ["mass of a pair", () => one.add(two).mass, "pt eta phi mass"],
    ["pt of a pair", () => one.add(two).pt, "pt phi"],
    ["eta after a turn", () => mu.rotateZ(1).eta, "eta"],
    ["pt of a sum", () => mu.sum({ axis: 1 }).pt, "pt phi"],
    ["pt of chosen ones", () => mu.get(mu.eta.less(0)).pt, "pt eta"],
  ] as const)("%s reads only what it is made of", (_, of, columns) => {
    const read = Object.values((of() as rg.LazyRagged).necessaryColumns()).flat();
    expect(read.sort()).toEqual(
      columns
        .split(" ")
        .map((name) => `mu.${name}`)
        .sort(),
    );
  });

  test("as much as in memory, on threads too", async () => {
    const all = (await events.compute()).field("mu").withName("Momentum4D");
    const [x, y] = rg.unzip(rg.combinations(all, 2)).map((v) => v.withName("Momentum4D")) as [
      typeof all,
      typeof all,
    ];
    const mass = one.add(two).mass;
    expect((await mass.compute()).toList()).toEqual(x.add(y).mass.toList());
    expect((await mass.compute({ executor: "threads" })).toList()).toEqual(x.add(y).mass.toList());
  });

  test("names stay with records that are chosen, cut and computed", async () => {
    expect(mu.get(mu.pt.greater(3)).mass.type).toBe("3 * var * float64");
    expect(((await mu.compute()) as unknown as rg.Named<rg.RaggedArray, rg.Vector4D>).mass.length).toBe(3);
    expect(rg.repartition(mu, { npartitions: 1 }).type).toContain("Momentum4D[");
    expect((mu.withName(null) as { mass?: unknown }).mass).toBeUndefined();
    expect((mu.get(["pt"]) as { eta?: unknown }).eta).toBeUndefined();
  });
});

describe("own behaviors", () => {
  class Interval extends rg.Behavior {
    get span(): rg.Ragged {
      return rg.subtract(this.field("to") as rg.RaggedArray, this.field("from") as rg.RaggedArray);
    }
    has(value: number): rg.Ragged {
      const [from, to] = [this.field("from"), this.field("to")] as rg.RaggedArray[];
      return rg.logicalAnd(from!.lessEqual(value), to!.greater(value));
    }
    add(other: number): rg.Ragged {
      return rg
        .zip({ from: rg.add(this.field("from") as rg.RaggedArray, other), to: this.field("to") })
        .withName("IntervalOfTests");
    }
  }

  test("a class for a name, entered once", async () => {
    const plain = rg.fromIter([{ from: 1, to: 4 }]);
    expect(() => plain.withName(Interval)).toThrow(/no behavior yet/);
    cw.engine.behaviors.add("IntervalOfTests", Interval);
    expect(plain.withName(Interval).span.toList()).toEqual([3]);
    const x = rg.withName(
      rg.fromIter([
        { from: 1, to: 4 },
        { from: 2, to: 2 },
      ]),
      "IntervalOfTests",
    );
    const own = x as rg.Named<rg.RaggedArray, Interval>;
    expect(own.has(2).toList()).toEqual([true, false]);
    expect((rg.add(own, 1) as rg.RaggedArray).toList()).toEqual([
      { from: 2, to: 4 },
      { from: 3, to: 2 },
    ]);
    const lazy = rg.lazy(x, { npartitions: 2 }) as unknown as rg.Named<rg.LazyRagged, Interval>;
    expect((await lazy.has(1).compute()).toList()).toEqual([true, false]);
    expect(() => cw.engine.behaviors.add("IntervalOfTests", Interval)).toThrow(/already/);
    class Wrong extends rg.Behavior {
      get length(): number {
        return 1;
      }
    }
    expect(() => cw.engine.behaviors.add("WrongOfTests", Wrong)).toThrow(/has a length/);
    expect(() => cw.engine.behaviors.add("", Interval)).toThrow(/a class with a name/);
    expect(cw.engine.behaviors.names).toContain("Momentum4D");
  });
});
