/**
 * Logarithms and powers of two by additions, multiplications and divisions alone. The functions of `Math` may differ in
 * their last bits between JavaScript engines, and two engines would then order jobs differently.
 */

/** 2 / ln 2 and log₁₀ 2, rounded. */
const TWO_OVER_LN_2 = 2.885_390_081_777_926_8
const LOG_10_OF_2 = 0.301_029_995_663_981_2
const LN_2 = 0.693_147_180_559_945_3
const ROOT_OF_2 = 1.414_213_562_373_095

const float = new Float64Array(1)
const words = new Uint32Array(float.buffer)
/** Index of the word with sign and exponent. */
const HIGH = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 1 : 0

/** Returns the binary logarithm of a normal number above 0, with an error of about 2⁻⁵²; Infinity for Infinity. */
export function log2(value: number): number {
  if (value === Infinity) return Infinity
  float[0] = value
  let exponent = (words[HIGH] >>> 20) - 1023
  words[HIGH] = (words[HIGH] & 0xf_ffff) | 0x3ff0_0000
  let mantissa = float[0]
  if (mantissa > ROOT_OF_2) {
    mantissa /= 2
    exponent++
  }
  // ln m = 2 artanh s, and |s| < 0.172.
  const s = (mantissa - 1) / (mantissa + 1)
  let sum = 0
  for (let odd = 23; odd > 0; odd -= 2) sum = sum * s * s + 1 / odd
  return exponent + TWO_OVER_LN_2 * s * sum
}

/** Returns the decimal logarithm, as `log2` does. */
export function log10(value: number): number {
  return log2(value) * LOG_10_OF_2
}

/** Returns 2 to the power of a finite number; 0 below 2⁻¹⁰²², and Infinity from 2¹⁰²⁴. Exact for integers. */
export function exp2(exponent: number): number {
  const whole = Math.round(exponent)
  if (whole < -1022) return 0
  if (whole > 1023) return Infinity
  const x = (exponent - whole) * LN_2
  let sum = 1
  for (let n = 16; n > 0; n--) sum = 1 + (x / n) * sum
  float[0] = 0
  words[HIGH] = (whole + 1023) << 20
  return sum * float[0]
}
