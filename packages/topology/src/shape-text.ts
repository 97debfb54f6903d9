import { MAX_LEVELS, quote, TopologyError } from './topology-error.ts'
import type { PgftShape } from './topology.ts'

/** Reads R of `radix:R`. @throws TopologyError with the wrong part */
export function radixShape(text: string): PgftShape {
  const radix = integer(text, 'radix')
  if (radix < 4 || radix % 2 !== 0)
    throw new TopologyError(`expected an even number from 4, such as radix:18, found ${radix}`, { field: 'radix' })
  const half = radix / 2
  return { m: [half, half, radix], w: [1, half, half], p: [1, 1, 1] }
}

/** Reads K:N of `kary:K:N`. @throws TopologyError with the wrong part */
export function karyShape(text: string): PgftShape {
  const parts = text.split(':')
  if (parts.length !== 2)
    throw new TopologyError(`expected K:N, such as kary:4:6, found ${quote(text)}`, { field: 'kary' })
  const k = integer(parts[0], 'K')
  const n = integer(parts[1], 'N')
  if (n > MAX_LEVELS) throw new TopologyError(`expected 1 to ${MAX_LEVELS} levels, found ${n}`, { field: 'N' })
  const all = Array<number>(n).fill(k)
  return { m: all, w: [1, ...all.slice(1)], p: all.map(() => 1) }
}

/** Reads H;M;W;P of `pgft:H;M;W;P`. @throws TopologyError with the wrong part */
export function pgftShape(text: string): PgftShape {
  const parts = text.split(';')
  if (parts.length !== 4) {
    throw new TopologyError(`expected H;M;W;P, such as pgft:3;18,18,4;1,18,2;1,1,9, found ${quote(text)}`, {
      field: 'pgft',
    })
  }
  const height = integer(parts[0], 'H')
  const [m, w, p] = (['m', 'w', 'p'] as const).map((key, i) => {
    const values = parts[i + 1].split(',').map((part, j) => integer(part, `${key}${j + 1}`))
    if (values.length !== height)
      throw new TopologyError(`expected ${height} numbers, one a level, found ${values.length}`, { field: key })
    return values
  })
  return { m, w, p }
}

/** Reads a positive integer. @throws TopologyError for any other text */
export function integer(text: string, field: string): number {
  if (!/^[1-9][0-9]{0,14}$/.test(text))
    throw new TopologyError(`expected a positive integer, found ${quote(text)}`, { field })
  return Number(text)
}
