/** Compares names as people count: runs of digits as numbers, all else by code unit. `cn9` < `cn10`; `cn1` < `cn01`. */
export function compareNaturally(x: string, y: string): number {
  const a = x.match(DIGITS_OR_NOT) ?? []
  const b = y.match(DIGITS_OR_NOT) ?? []
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareParts(a[i], b[i])
    if (order !== 0) return order
  }
  return a.length - b.length || x.length - y.length || compareText(x, y)
}

const DIGITS_OR_NOT = /[0-9]+|[^0-9]+/g

function compareParts(a: string, b: string): number {
  if (!isNumber(a) || !isNumber(b)) return compareText(a, b)
  const significantA = a.replace(/^0+/, '')
  const significantB = b.replace(/^0+/, '')
  return significantA.length - significantB.length || compareText(significantA, significantB)
}

function isNumber(part: string): boolean {
  return part[0] >= '0' && part[0] <= '9'
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
