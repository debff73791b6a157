// Polynomials (lowest power first) and constants of the elementary functions, as doubles.
// Written by test/math/generate/coefficients.py; change that, not this. An error is the function's,
// from approximation alone.
// biome-ignore-all lint/suspicious/noApproximativeNumericConstant: these are exact doubles, whatever Math has

/** ln 2: k·LN2_HI is exact for |k| < 2¹¹, part 1 of 2 */
export const LN2_HI = 0.6931471805598903;
/** ln 2: k·LN2_HI is exact for |k| < 2¹¹, part 2 of 2 */
export const LN2_LO = 5.497923018708371e-14;
/** ln 2 */
export const LN2 = 0.6931471805599453;
/** 1/ln 2 */
export const INV_LN2 = 1.4426950408889634;
/** (eʳ − 1 − r)/r², |r| ≤ ln(2)/2; error 2^-57.95. */
export const EXP: readonly number[] = [
  0.5000000000000013, 0.1666666666666667, 0.041666666666510366, 0.00833333333332848, 0.001388888894840347,
  0.00019841269864014758, 2.4801488439996747e-5, 2.755727024808141e-6, 2.7631838666743687e-7,
  2.509886908520627e-8,
];
/** the same for float32; error 2^-28.24. */
export const EXP_SHORT: readonly number[] = [
  0.500000009142852, 0.16666518963647234, 0.041666214201283004, 0.008368873076083654, 0.001395005545348703,
];
/** (eʳ − 1 − r − r²/2)/r³, |r| ≤ ln(2)/2; error 2^-61.66. */
export const EXPM1: readonly number[] = [
  0.16666666666666677, 0.04166666666666667, 0.008333333333321378, 0.0013888888888884507,
  0.00019841269886854186, 2.4801587319881187e-5, 2.7557243399636326e-6, 2.7557282410593317e-7,
  2.5109343266073388e-8, 2.091072387660169e-9,
];
/** EXP_SHORT with a small relative error of eʳ − 1; error 2^-31.97. */
export const EXPM1_SHORT: readonly number[] = [
  0.5000000046530382, 0.16666666812857056, 0.04166635448609197, 0.00833327422354322, 0.0013941011847890983,
  0.0001991346843006964,
];
/** (ln((1 + s)/(1 − s))/s − 2)/z in z = s², (1 + s)/(1 − s) from √½ to √2; error 2^-59.48. */
export const LOG: readonly number[] = [
  0.6666666666666734, 0.39999999999416763, 0.2857142874200826, 0.22222198605885268, 0.18183562867844555,
  0.15314083054936622, 0.1479566342803892,
];
/** the same for float32; error 2^-30.19. */
export const LOG_SHORT: readonly number[] = [0.6666677647352666, 0.3997754003265489, 0.29871645303928535];
/** the same for pow of float32; error 2^-37.59. */
export const LOG_POWER: readonly number[] = [
  0.666666656452057, 0.4000033523906302, 0.2853730729480834, 0.2358214167457704,
];
/** (3 atanh(s)/s − 3 − z)/z² in z = s², for pow; error 2^-66.27. */
export const POWER: readonly number[] = [
  0.6000000000000338, 0.4285714285514891, 0.3333333378001524, 0.27272676537024715, 0.23080136667915843,
  0.19885210798787353, 0.19794637788984712,
];
/** 2/3, part 1 of 2 */
export const TWO_THIRDS_UPPER = 0.6666666716337204;
/** 2/3, part 2 of 2 */
export const TWO_THIRDS_LOWER = -4.967053731282552e-9;
/** 1/ln 2.0, part 1 of 2 */
export const INV_LN_TWO_HI = 1.4426950514316559;
/** 1/ln 2.0, part 2 of 2 */
export const INV_LN_TWO_LO = -1.0542692476429138e-8;
/** 1/ln 10.0, part 1 of 2 */
export const INV_LN_TEN_HI = 0.4342944845557213;
/** 1/ln 10.0, part 2 of 2 */
export const INV_LN_TEN_LO = -2.6524694553078553e-9;
/** log10 2, part 1 of 2 */
export const LOG10_2_HI = 0.30102999566395283;
/** log10 2, part 2 of 2 */
export const LOG10_2_LO = 2.8363394551044964e-14;
/** 2/π */
export const TWO_OVER_PI = 0.6366197723675814;
/** 1/π */
export const ONE_OVER_PI = 0.3183098861837907;
/** π/2 */
export const PIO2 = 1.5707963267948966;
/** π/2: n·PIO2_1 and n·PIO2_2 are exact for |n| < 2¹⁸, part 1 of 3 */
export const PIO2_1 = 1.5707963267923333;
/** π/2: n·PIO2_1 and n·PIO2_2 are exact for |n| < 2¹⁸, part 2 of 3 */
export const PIO2_2 = 2.5633441515839558e-12;
/** π/2: n·PIO2_1 and n·PIO2_2 are exact for |n| < 2¹⁸, part 3 of 3 */
export const PIO2_3 = 1.0562999066987428e-23;
/** π/2, part 1 of 2 */
export const PIO2_UPPER = 1.5707963407039642;
/** π/2, part 2 of 2 */
export const PIO2_LOWER = -1.3909067614167116e-8;
/** 2/π after the point, in hexadecimal: for the largest float64 and 145 bits more. */
export const TWO_OVER_PI_DIGITS: string =
  "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e006492eea09d1921c" +
  "fe1deb1cb129a73ee88235f52ebb4484e99c7026b45f7e413991d639835339f49c845f8bbdf9283b1ff897ffde05980f" +
  "ef2f118b5a0a6d1f6d367ecf27cb09b74f463f669e5fea2d7527bac7ebe5f17b3d0739f78a5292ea6bfb5fb11f8d5d08" +
  "5603";
/** (sin r − r)/r³ in z = r², |r| ≤ π/4; error 2^-58.0. */
export const SIN: readonly number[] = [
  -0.16666666666666632, 0.008333333333322486, -0.00019841269829854122, 2.7557313705499796e-6,
  -2.505075997495504e-8, 1.5896892184876453e-10,
];
/** (cos r − 1 + z/2)/z² in z = r², |r| ≤ π/4; error 2^-64.17. */
export const COS: readonly number[] = [
  0.0416666666666666, -0.0013888888888874472, 2.4801587289669307e-5, -2.7557314400174843e-7,
  2.087572913963171e-9, -1.1359925760730674e-11,
];
/** (sin r − r)/r³ for float32, |r| ≤ π/2; error 2^-27.29. */
export const SIN_SHORT: readonly number[] = [
  -0.16666659550167373, 0.008333066232699114, -0.00019809600751738917, 2.6057738744317903e-6,
];
/** tan r = r + r³N(z)/(1 + z D(z)), z = r², |r| ≤ π/4; error 2^-55.39. */
export const TAN_N: readonly number[] = [0.33333333333333137, -0.020538622492661727, 0.00020095043748046917];
/** D of the same. */
export const TAN_D: readonly number[] = [-0.46161586747816136, 0.023344436400684003, -0.00020843306098493035];
/** tan r = r(1 + z N(z))/(1 + z D(z)) for float32, z = r², |r| ≤ π/4; error 2^-35.16. */
export const TAN_SHORT_N: readonly number[] = [-0.11135563469102516, 0.0010747518926750039];
/** D of the same. */
export const TAN_SHORT_D: readonly number[] = [-0.444688966818524, 0.015971056650325235];
/** Where atan changes from one center to the next. */
export const ATAN_LIMITS: readonly number[] = [
  0.4375, 0.7777777777777778, 1.2857142857142858, 2.2857142857142856,
];
/** The center up to each of these limits, in the middle by angle. */
export const ATAN_CENTERS: readonly number[] = [0, 0.5949656243851358, 0.99998795, 1.6806768600994215];
/** Their arc tangents, to 2^-64.98. */
export const ATAN_OF_CENTERS: readonly number[] = [
  0, 0.5367095304571488, 0.7853921383611475, 1.0340626086449698,
];
/** π/2 less PIO2 */
export const PIO2_REST = 6.123233995736766e-17;
/** (atan t − t)/t³ in z = t², |t| ≤ 7/16; error 2^-57.72. */
export const ATAN: readonly number[] = [
  -0.3333333333333293, 0.19999999999876414, -0.14285714272495004, 0.1111111040503854, -0.09090887121854829,
  0.07691876012840543, -0.06661071113350829, 0.058335565270193436, -0.04976821407288228, 0.03653024628371515,
  -0.016284480175482036,
];
/** the same for float32; error 2^-29.62. */
export const ATAN_SHORT: readonly number[] = [
  -0.3333330400636206, 0.19997766190870148, -0.14230025160668291, 0.10493563774168148, -0.058250146821058134,
];
/** (asin s − s)/s³ in z = s², |s| ≤ 1/2; error 2^-55.86. */
export const ASIN: readonly number[] = [
  0.16666666666665383, 0.0750000000034283, 0.044642856823698084, 0.030381959320581384, 0.022371753820224865,
  0.017359766095293855, 0.013884652241244067, 0.012172904512665337, 0.006512545112858918,
  0.019569134776791484, -0.016286430121108673, 0.031953655459467975,
];
/** the same for float32; error 2^-31.71. */
export const ASIN_SHORT: readonly number[] = [
  0.16666659870378153, 0.07500510973518552, 0.04451571115258382, 0.031817656188399254, 0.014402610695198976,
  0.037564915722110175,
];
