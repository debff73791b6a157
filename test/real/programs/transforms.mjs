// Random numbers, which are formulas of their places; transforms and decompositions of lines and matrices.
// In: the library and a source. Out: a lazy array. Each is [name, source, program].

const like = ({ shape, chunks }) => [shape, { chunks }];

export const draws = [
  ["noise", "plane", (cw, x) => x.add(cw.random(3).normal(...like(x)))],
  [
    "noise-then-scan",
    "line",
    (cw, x) =>
      cw.cumulativeSum(
        cw
          .random(4)
          .uniform(...like(x))
          .subtract(x),
        { axis: 0 },
      ),
  ],
  [
    "noise-transposed",
    "plane",
    (cw, x) =>
      cw
        .random(5)
        .exponential(...like(x))
        .T.add(1)
        .roll(7),
  ],
  [
    "dice",
    "counts",
    (cw, x) => x.add(cw.random(6).integers(x.shape, { high: 6, dtype: "int32", chunks: x.chunks })),
  ],
  [
    "counts-of-events",
    "plane",
    (cw, x) => cw.random(7).poisson(x.shape, { mean: x.abs(), chunks: x.chunks }),
  ],
  ["shuffled", "plane", (cw, x) => cw.random(8).shuffle(x)],
  ["chosen", "line", (cw, x) => cw.random(9).choice(x, 50_000, { chunks: 9_000 })],
];

export const transforms = [
  ["spectra-of-rows", "plane", (cw, x) => cw.fft.rfft(x, { axis: 1 }).abs()],
  ["spectra-of-columns", "plane", (cw, x) => cw.abs(cw.fft.fft(x, { axis: 0 }))],
  ["there-and-back", "cube", (cw, x) => cw.fft.irfft(cw.fft.rfft(x, { axis: 2, n: 64 }), { axis: 2 })],
  ["singular-values", "plane", (cw, x) => cw.linalg.svdvals(x.get(":", ":24"))],
  ["triangle-of-a-tall-one", "plane", (cw, x) => cw.linalg.qr(x.get(":", ":16")).R],
  ["determinants", "cube", (cw, x) => cw.linalg.det(x.get(":", ":12", ":12"))],
];
