// Logarithms and exponentials of single numbers, for routines that draw: the same bits in every engine, which Math's are not said to
// be. In: numbers. Out: log, log1p, exp within an ulp or two (the algorithms of fdlibm), and what is made of them: log1p(x) − x,
// the error of Stirling's formula, and with these the logarithms of probabilities without cancellation (Loader, 2000).

const bits = new DataView(new ArrayBuffer(8));
const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;

function power2(k: number): number {
  bits.setInt32(0, (k + 1023) << 20);
  bits.setInt32(4, 0);
  return bits.getFloat64(0);
}

/** x = m · 2ᵏ with m from √½ to √2: log x = k · log 2 + log m. Of positive normal numbers. */
export function log(x: number): number {
  bits.setFloat64(0, x);
  const head = bits.getInt32(0);
  const above = ((head & 0xfffff) + 0x95f64) & 0x100000;
  const k = (head >> 20) - 1023 + (above >> 20);
  bits.setInt32(0, (head & 0xfffff) | (above ^ 0x3ff00000));
  const f = bits.getFloat64(0) - 1;
  const s = f / (2 + f);
  const z = s * s;
  const w = z * z;
  const even = w * (0.3999999999940942 + w * (0.22222198432149784 + w * 0.15313837699209373));
  const odd =
    z * (0.6666666666666735 + w * (0.2857142874366239 + w * (0.1818357216161805 + w * 0.14798198605116586)));
  const half = 0.5 * f * f;
  return k * LN2_HIGH - (half - (s * (half + even + odd) + k * LN2_LOW) - f);
}

export function log1p(x: number): number {
  const y = 1 + x;
  return y === 1 ? x : (log(y) * x) / (y - 1);
}

/** Of numbers up to 700; 0 where nothing normal is left. */
export function exp(x: number): number {
  if (x < -708) return 0;
  const k = Math.floor(x / Math.LN2 + 0.5);
  const high = x - k * LN2_HIGH;
  const low = k * LN2_LOW;
  const r = high - low;
  const t = r * r;
  const c =
    r -
    t *
      (0.16666666666666602 +
        t *
          (-0.0027777777777015593 +
            t * (6.613756321437934e-5 + t * (-1.6533902205465252e-6 + t * 4.1381367970572385e-8))));
  return (1 - (low - (r * c) / (2 - c) - high)) * power2(k);
}

/** log(1 + x) − x for x > −1, also where the two nearly cancel: with s = x/(2 + x), 2·artanh(s) − x. */
export function log1pLess(x: number): number {
  if (Math.abs(x) > 0.2) return log1p(x) - x;
  const s = x / (2 + x);
  const z = s * s;
  let [sum, power] = [0, s * z];
  for (let n = 3; n < 25; n += 2, power *= z) sum += power / n;
  return 2 * sum - s * x;
}

const HALF_LOG_2PI = 0.9189385332046728;
const SERIES_FROM = 16;

/** log n! − (n + ½) log n + n − ½ log 2π. */
function stirlingError(n: number): number {
  if (n >= SERIES_FROM) {
    const z = 1 / (n * n);
    return (1 / 12 - z * (1 / 360 - z * (1 / 1260 - z * (1 / 1680 - z / 1188)))) / n;
  }
  let factorial = 1;
  for (let i = 2; i <= n; i++) factorial *= i;
  return log(factorial) - (n + 0.5) * log(n) + n - HALF_LOG_2PI;
}

/** k log(k/m) + m − k, how far k is from its mean. */
const deviance = (k: number, mean: number): number => -k * log1pLess((mean - k) / k);

/** log of the probability of k events where `mean` are expected. */
export const logPoisson = (k: number, mean: number): number =>
  k === 0 ? -mean : -stirlingError(k) - deviance(k, mean) - HALF_LOG_2PI - 0.5 * log(k);

/** log of the probability of k successes in n trials. */
export function logBinomial(k: number, n: number, p: number): number {
  if (k === 0) return n * log1p(-p);
  if (k === n) return n * log(p);
  const errors = stirlingError(n) - stirlingError(k) - stirlingError(n - k);
  const far = deviance(k, n * p) + deviance(n - k, n * (1 - p));
  return errors - far - HALF_LOG_2PI - 0.5 * (log(k) + log1p(-k / n));
}
