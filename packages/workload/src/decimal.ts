/**
 * Returns the shortest decimal spelling, without exponent, of an integer within ±1e21 or a number from 0 to below 1e21.
 */
export function decimal(value: number): string {
  const text = String(value)
  if (!text.includes('e-')) return text
  const [digits, exponent] = text.split('e-')
  const [whole, decimals = ''] = digits.split('.')
  return `0.${(whole + decimals).padStart(Number(exponent) + decimals.length, '0')}`
}
