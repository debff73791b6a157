// Small whole numbers, for products of matrices: their sums are exact, so that no order of additions can be told from
// another. The last bits of other products are left open (docs/native.md). In: an array. Out: one of its dtype.

const MOST = 50;

export const whole = (x) => x.multiply(MOST).round();
