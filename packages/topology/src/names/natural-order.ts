/** Compares names: runs of digits as numbers, other characters by code unit. `cn9` < `cn10`; `cn1` < `cn01`. */
export function compareNaturally(a: string, b: string): number {
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    if (isDigit(a, i) && isDigit(b, j)) {
      const endA = endOfDigits(a, i)
      const endB = endOfDigits(b, j)
      const order = compareNumbers(a.slice(i, endA), b.slice(j, endB))
      if (order !== 0) return order
      i = endA
      j = endB
    } else {
      const order = a.charCodeAt(i++) - b.charCodeAt(j++)
      if (order !== 0) return order
    }
  }
  return a.length - i - (b.length - j) || a.length - b.length || compareText(a, b)
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 48 && code <= 57
}

function endOfDigits(text: string, at: number): number {
  while (at < text.length && isDigit(text, at)) at++
  return at
}

function compareNumbers(a: string, b: string): number {
  const significantA = a.replace(/^0+/, '')
  const significantB = b.replace(/^0+/, '')
  return significantA.length - significantB.length || compareText(significantA, significantB)
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
