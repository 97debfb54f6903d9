import { withFluxNames } from './flux-resources.ts'
import { MAX_LEVELS } from './limits.ts'
import { pgft } from './pgft.ts'
import { parseSlurmTopology } from './slurm-topology.ts'
import { quote, TopologyError } from './topology-error.ts'
import type { PgftShape, Topology } from './topology.ts'

/** Every way to spell a topology, as help texts and errors list them. */
export const topologySpellings: ReadonlyArray<{ readonly spelling: string; readonly meaning: string }> = [
  {
    spelling: 'radix:R',
    meaning: 'maximal three-level fat tree of radix-R switches, R even and at least 4: radix:18 has 1458 nodes',
  },
  { spelling: 'kary:K:N', meaning: 'k-ary n-tree, N levels with K nodes a leaf: kary:4:6 has 4096 nodes' },
  { spelling: 'pgft:H;M;W;P', meaning: 'any parallel-ports generalised fat tree: pgft:3;18,18,4;1,18,2;1,1,9' },
  {
    spelling: 'cab',
    meaning: 'LLNL Cab, 1296 nodes in 4 pods, 9 parallel cables from an L2 switch to each of its 2 spines',
  },
  { spelling: 'cab:FILE', meaning: 'Cab, its nodes named from a Flux resource description' },
  { spelling: 'pinot', meaning: 'Pinot, 2592 nodes in 8 pods like those of Cab' },
  { spelling: 'slurm:FILE', meaning: 'the switch graph of a Slurm topology.conf' },
]

/** LLNL Cab: 4 pods of 18 leaves of 18 nodes, 18 L2 switches a pod, 36 spines (Pollard et al., SC'18, section IV-A). */
const CAB: PgftShape = { m: [18, 18, 4], w: [1, 18, 2], p: [1, 1, 9] }

/**
 * Pinot, the same paper's hypothetical machine: "36-port switches but … twice as many nodes and pods as Cab". The paper does
 * not say how its spines are wired. With 36 ports a spine can give each of 8 pods at most 4 cables, and 18 up-ports spread
 * evenly only over 18, 9 or 6 spines then: this takes the 6, which is 3 cables each and the fewest spines (108).
 */
const PINOT: PgftShape = { m: [18, 18, 8], w: [1, 18, 6], p: [1, 1, 3] }

/**
 * Builds the topology that a command line or a config file spells: see `topologySpellings`. Its `name` is the spelling, but
 * without the folder of a file (`slurm:topology.conf`), and `cab` for `cab:FILE`. The 10,648-node machine of Pollard et al.
 * (SC'18, section V-B) is `pgft:3;22,22,22;1,22,22;1,1,1`.
 *
 * @param readFile gives the text of a file that the spelling names; without it such spellings are refused
 * @throws TopologyError that names the wrong part and says what would be right
 */
export function parseTopology(spelling: string, readFile?: (path: string) => string): Topology {
  const colon = spelling.indexOf(':')
  if (colon < 0) return preset(spelling)
  const kind = spelling.slice(0, colon)
  const rest = spelling.slice(colon + 1)
  switch (kind) {
    case 'radix':
      return regularTree(spelling, () => pgft(radixShape(rest), spelling))
    case 'kary':
      return regularTree(spelling, () => pgft(karyShape(rest), spelling))
    case 'pgft':
      return regularTree(spelling, () => pgft(pgftShape(rest)))
    case 'cab':
      return withFluxNames(preset(kind), readNamed(spelling, rest, readFile), `cab:${baseName(rest)}`)
    case 'slurm':
      return parseSlurmTopology(readNamed(spelling, rest, readFile), `slurm:${baseName(rest)}`)
    default:
      throw unknownSpelling(spelling)
  }
}

function preset(name: string): Topology {
  if (name === 'cab') return pgft(CAB, name)
  if (name === 'pinot') return pgft(PINOT, name)
  throw unknownSpelling(name)
}

function unknownSpelling(spelling: string): TopologyError {
  const known = topologySpellings.map((each) => each.spelling).join(' ')
  return new TopologyError(`no topology is spelled so; known are ${known}`, { source: quote(spelling) })
}

/** Names the whole spelling in errors about a part of it. */
function regularTree(spelling: string, build: () => Topology): Topology {
  try {
    return build()
  } catch (error) {
    if (!(error instanceof TopologyError)) throw error
    throw new TopologyError(error.problem, { source: quote(spelling), field: error.field })
  }
}

function readNamed(spelling: string, path: string, readFile: ((path: string) => string) | undefined): string {
  const place = { source: quote(spelling) }
  if (path === '') throw new TopologyError('expected the name of a file after the colon', place)
  if (readFile === undefined) throw new TopologyError('files cannot be read here', place)
  try {
    return readFile(path)
  } catch (cause) {
    throw new TopologyError(`cannot read the file: ${cause instanceof Error ? cause.message : String(cause)}`, {
      ...place,
      cause,
    })
  }
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
}

function radixShape(text: string): PgftShape {
  const radix = integer(text, 'radix')
  if (radix < 4 || radix % 2 !== 0)
    throw new TopologyError(`expected an even number from 4, such as radix:18, found ${radix}`, { field: 'radix' })
  const half = radix / 2
  return { m: [half, half, radix], w: [1, half, half], p: [1, 1, 1] }
}

function karyShape(text: string): PgftShape {
  const parts = text.split(':')
  if (parts.length !== 2)
    throw new TopologyError(`expected K:N, such as kary:4:6, found ${quote(text)}`, { field: 'kary' })
  const k = integer(parts[0], 'K')
  const n = integer(parts[1], 'N')
  if (n > MAX_LEVELS) throw new TopologyError(`expected 1 to ${MAX_LEVELS} levels, found ${n}`, { field: 'N' })
  const all = Array<number>(n).fill(k)
  return { m: all, w: [1, ...all.slice(1)], p: all.map(() => 1) }
}

function pgftShape(text: string): PgftShape {
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

function integer(text: string, field: string): number {
  if (!/^[1-9][0-9]{0,14}$/.test(text))
    throw new TopologyError(`expected a positive integer, found ${quote(text)}`, { field })
  return Number(text)
}
