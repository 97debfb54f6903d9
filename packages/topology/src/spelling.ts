import { pgft } from './pgft.ts'
import { quote, TopologyError } from './topology-error.ts'
import type { PgftShape, Topology } from './topology.ts'

/** Every way to spell a topology, as help texts and errors list them. */
export const topologySpellings: ReadonlyArray<{ readonly spelling: string; readonly meaning: string }> = [
  { spelling: 'radix:R', meaning: 'maximal three-level fat tree of radix-R switches, R even and at least 4: radix:18 has 1458 nodes' },
  { spelling: 'kary:K:N', meaning: 'k-ary n-tree, N levels with K nodes a leaf: kary:4:6 has 4096 nodes' },
  { spelling: 'pgft:H;M;W;P', meaning: 'any parallel-ports generalised fat tree: pgft:3;18,18,4;1,18,2;1,1,9' },
  { spelling: 'cab', meaning: 'LLNL Cab, 1296 nodes in 4 pods, 9 parallel cables from an L2 switch to each of its 2 spines' },
  { spelling: 'pinot', meaning: 'Pinot, 2592 nodes in 8 pods like those of Cab' },
]

/** LLNL Cab: 4 pods of 18 leaves of 18 nodes, 18 L2 switches a pod, 36 spines (Pollard et al., SC'18, section V-A). */
const CAB: PgftShape = { m: [18, 18, 4], w: [1, 18, 2], p: [1, 1, 9] }

/**
 * Pinot, the same paper's hypothetical machine: "36-port switches but … twice as many nodes and pods as Cab". The paper does
 * not say how its spines are wired. With 36 ports a spine can give each of 8 pods at most 4 cables, and 18 up-ports spread
 * evenly only over 18, 9 or 6 spines then: this takes the 6, which is 3 cables each and the fewest spines (108).
 */
const PINOT: PgftShape = { m: [18, 18, 8], w: [1, 18, 6], p: [1, 1, 3] }

/**
 * Builds the topology that a command line or a config file spells: see `topologySpellings`. Its `name` is the spelling.
 * The 10,648-node machine of Pollard et al. (SC'18, section V-B) is `pgft:3;22,22,22;1,22,22;1,1,1`.
 *
 * @throws TopologyError that names the wrong part and says what would be right
 */
export function parseTopology(spelling: string): Topology {
  const colon = spelling.indexOf(':')
  const kind = colon < 0 ? spelling : spelling.slice(0, colon)
  const rest = colon < 0 ? undefined : spelling.slice(colon + 1)
  try {
    if (kind === 'cab' && rest === undefined) return pgft(CAB, 'cab')
    if (kind === 'pinot' && rest === undefined) return pgft(PINOT, 'pinot')
    if (kind === 'radix') return pgft(radixShape(rest ?? ''), spelling)
    if (kind === 'kary') return pgft(karyShape(rest ?? ''), spelling)
    if (kind === 'pgft') return pgft(pgftShape(rest ?? ''))
  } catch (error) {
    if (!(error instanceof TopologyError)) throw error
    throw new TopologyError(error.problem, { ...error, source: quote(spelling) })
  }
  const known = topologySpellings.map((each) => each.spelling).join(' ')
  throw new TopologyError(`unknown topology ${quote(spelling)}; known are ${known}`, { source: quote(spelling) })
}

function radixShape(text: string): PgftShape {
  const radix = integer(text, 'radix')
  if (radix < 4 || radix % 2 !== 0) throw new TopologyError(`expected an even number from 4, such as radix:18, found ${radix}`, { field: 'radix' })
  const half = radix / 2
  return { m: [half, half, radix], w: [1, half, half], p: [1, 1, 1] }
}

function karyShape(text: string): PgftShape {
  const parts = text.split(':')
  if (parts.length !== 2) throw new TopologyError(`expected K:N, such as kary:4:6, found ${quote(text)}`, { field: 'kary' })
  const k = integer(parts[0], 'K')
  const n = integer(parts[1], 'N')
  if (n < 1 || n > 16) throw new TopologyError(`expected 1 to 16 levels, found ${n}`, { field: 'N' })
  const all = Array<number>(n).fill(k)
  return { m: all, w: [1, ...all.slice(1)], p: all.map(() => 1) }
}

function pgftShape(text: string): PgftShape {
  const parts = text.split(';')
  if (parts.length !== 4) {
    throw new TopologyError(`expected H;M;W;P, such as pgft:3;18,18,4;1,18,2;1,1,9, found ${quote(text)}`, { field: 'pgft' })
  }
  const height = integer(parts[0], 'H')
  const [m, w, p] = (['m', 'w', 'p'] as const).map((key, i) => {
    const values = parts[i + 1].split(',').map((part, j) => integer(part, `${key}${j + 1}`))
    if (values.length !== height) throw new TopologyError(`expected ${height} numbers, one a level, found ${values.length}`, { field: key })
    return values
  })
  return { m, w, p }
}

function integer(text: string, field: string): number {
  if (!/^[1-9][0-9]{0,6}$/.test(text)) throw new TopologyError(`expected a positive integer, found ${quote(text)}`, { field })
  return Number(text)
}
