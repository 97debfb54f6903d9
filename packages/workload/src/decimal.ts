/** The shortest decimal spelling of a number, never with an exponent. */
export function decimal(value: number): string {
  const text = String(value)
  if (!text.includes('e-')) return text
  const [digits, exponent] = text.split('e-')
  const [whole, decimals = ''] = digits.split('.')
  return `0.${(whole + decimals).padStart(Number(exponent) + decimals.length, '0')}`
}
