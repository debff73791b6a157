// Stencils: neighbours by slices, by roll, by pad, by concat; one array read through several windows.
// In: the library and a source. Out: a lazy array. Each is [name, source, program].

export const stencils = [
  ["difference-by-slices", "line", (_, x) => x.get("1:").subtract(x.get(":-1"))],
  ["centred-by-slices", "line", (_, x) => x.get("2:").subtract(x.get(":-2")).divide(2)],
  ["three-points-by-slices", "line", (_, x) => x.get("2:").add(x.get("1:-1")).add(x.get(":-2")).divide(3)],
  ["far-slices", "line", (_, x) => x.get("123457:").add(x.get(":-123457"))],
  [
    "laplace-by-slices",
    "plane",
    (_, x) =>
      x
        .get("2:", "1:-1")
        .add(x.get(":-2", "1:-1"))
        .add(x.get("1:-1", "2:"))
        .add(x.get("1:-1", ":-2"))
        .subtract(x.get("1:-1", "1:-1").multiply(4)),
  ],
  ["roll-plus-self", "line", (_, x) => x.roll(17).add(x)],
  ["roll-by-a-third", "line", (_, x) => x.roll(200_003).multiply(x)],
  ["roll-of-sorted", "plane", (_, x) => x.sort({ axis: 0 }).roll(5, { axis: 0 }).subtract(x)],
  [
    "laplace-by-roll",
    "plane",
    (_, x) =>
      [
        [1, 0],
        [-1, 0],
        [1, 1],
        [-1, 1],
      ]
        .map(([by, axis]) => x.roll(by, { axis }))
        .reduce((sum, next) => sum.add(next), x.multiply(-4)),
  ],
  ["roll-both-axes", "plane", (_, x) => x.roll([7, -31], { axis: [0, 1] }).add(x)],
  ["roll-flat-plane", "plane", (_, x) => x.roll(1001).subtract(x)],
  [
    "pad-edge-mean",
    "line",
    (_, x) => {
      const wide = x.pad([[2, 2]], { mode: "edge" });
      return ["4:", "3:-1", "2:-2", "1:-3", ":-4"]
        .map((part) => wide.get(part))
        .reduce((sum, next) => sum.add(next));
    },
  ],
  [
    "pad-constant-plane",
    "plane",
    (_, x) => {
      const wide = x.pad([
        [1, 1],
        [1, 1],
      ]);
      return wide.get("2:", "1:-1").maximum(wide.get(":-2", "1:-1")).subtract(x);
    },
  ],
  [
    "pad-reflect",
    "plane",
    (_, x) => {
      const wide = x.pad(
        [
          [3, 3],
          [0, 0],
        ],
        { mode: "reflect" },
      );
      return wide.get("6:").add(wide.get(":-6")).subtract(x);
    },
  ],
  [
    "pad-wrap",
    "line",
    (_, x) =>
      x
        .pad([[50, 70]], { mode: "wrap" })
        .get("20:-20")
        .exp(),
  ],
  ["flip-minus-self", "line", (_, x) => x.flip().subtract(x)],
  ["flip-rows-plus-self", "plane", (_, x) => x.flip({ axis: 0 }).add(x)],
  ["halves-joined", "line", (cw, x) => cw.concat([x.get("123457:"), x.get(":123457")], { axis: 0 }).add(x)],
  ["second-difference", "line", (cw, x) => cw.diff(x, { axis: 0, n: 2 })],
  ["stencil-twice", "line", (_, x) => smoothed(smoothed(x))],
  ["stencil-of-a-scan", "line", (cw, x) => smoothed(cw.cumulativeSum(x, { axis: 0 }))],
  [
    "gradient-norm",
    "plane",
    (cw, x) =>
      cw.hypot(
        x.get("1:", ":-1").subtract(x.get(":-1", ":-1")),
        x.get(":-1", "1:").subtract(x.get(":-1", ":-1")),
      ),
  ],
  [
    "cube-neighbours",
    "cube",
    (_, x) =>
      x
        .roll(1, { axis: 2 })
        .add(x.roll(-1, { axis: 0 }))
        .add(x.flip({ axis: 1 })),
  ],
  ["every-other-plus-next", "line", (_, x) => x.get("::2").add(x.get("1::2"))],
  ["backwards-steps", "plane", (_, x) => x.get("::-3", "::2").add(x.get("::3", "::-2"))],
  [
    "laplacian-by-concat",
    "plane",
    (cw, x) => {
      const up = cw.concat([x.get("1:"), x.get("-1:")], { axis: 0 });
      const down = cw.concat([x.get(":1"), x.get(":-1")], { axis: 0 });
      const left = cw.concat([x.get(":", "1:"), x.get(":", "-1:")], { axis: 1 });
      return up.add(down).add(left).subtract(x.multiply(3));
    },
  ],
  [
    "laplacian-by-roll",
    "plane",
    (cw, x) => {
      const moved = [0, 1].flatMap((axis) => [1, -1].map((by) => cw.roll(x, by, { axis })));
      return moved.reduce((a, b) => a.add(b)).subtract(x.multiply(4));
    },
  ],
];

/** Mean of a point and its neighbours. */
function smoothed(x) {
  return x
    .get("2:")
    .add(x.get("1:-1"))
    .add(x.get(":-2"))
    .multiply(1 / 3);
}
