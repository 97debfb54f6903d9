/**
 * Returns the shortest decimal spelling, without exponent, of an integer or a number of at least 0, below 1e21 in size.
 */
export function decimal(value: number): string {
  const text = String(value)
  if (!text.includes('e-')) return text
  const [digits, exponent] = text.split('e-')
  const [whole, decimals = ''] = digits.split('.')
  return `0.${(whole + decimals).padStart(Number(exponent) + decimals.length, '0')}`
}
