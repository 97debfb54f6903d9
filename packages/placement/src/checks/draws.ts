import { seededDraws, type Topology } from '@cloister/topology'
import type { Resources } from '../allocations.ts'
import type { Request } from '../contract.ts'
import type { CommunicationMatrix } from '../mapper.ts'

/** Random draws. Equal seeds give equal draws on every machine. */
export class Draw {
  /** Draws an integer from 0 to `below` - 1. */
  readonly below: (below: number) => number

  constructor(seed: number) {
    this.below = seededDraws(seed)
  }

  /** Returns true with probability 1/`times`. */
  once(times: number): boolean {
    return this.below(times) === 0
  }

  pick<T>(from: ReadonlyArray<T>): T {
    return from[this.below(from.length)]
  }

  sample<T>(from: ReadonlyArray<T>, count: number): Array<T> {
    const rest = [...from]
    return Array.from({ length: count }, () => rest.splice(this.below(rest.length), 1)[0])
  }
}

const MINUTE = 60_000
const DAY = 1440 * MINUTE
/** First instants of random histories, in ms: 0 as in simulations, and up to the clock of a live cluster. */
export const startTimes: ReadonlyArray<number> = [0, 2 * MINUTE, 400 * DAY, 1_800_000_000_000]
const estimates = [undefined, 1000, MINUTE, 60 * MINUTE, 30 * DAY, 400 * DAY]
const bandwidths = [500, 500, undefined, 1, 2000]
const communications: ReadonlyArray<Request['communication']> = [
  { pattern: 'all-to-all', share: 500 },
  { pattern: 'ring', share: 150 },
  undefined,
]
/** Greatest number of ranks of a drawn matrix. */
const MOST_RANKS = 24

const matrices = new Map<number, CommunicationMatrix>()

/** Returns a matrix in which each rank sends to the next rank, and to rank 0. */
function matrixOf(ranks: number): CommunicationMatrix {
  let matrix = matrices.get(ranks)
  if (matrix === undefined) {
    const sent = (from: number, to: number): number => (to === (from + 1) % ranks ? 4096 : to === 0 ? 1 : 0)
    const ids = [...Array(ranks).keys()]
    const bytes = ids.map((from) => ids.map((to) => sent(from, to)))
    matrix = { name: `next-of-${ranks}`, sha256: ranks.toString(16).padStart(64, '0'), bytes }
    matrices.set(ranks, matrix)
  }
  return matrix
}

function drawCommunication(draw: Draw, nodes: number): Request['communication'] {
  if (nodes > MOST_RANKS || !draw.once(4)) return draw.pick(communications)
  const matrix = matrixOf(nodes)
  return { pattern: `matrix:${matrix.name}`, share: 400, matrix }
}

/** Returns a request for another number of nodes. A matrix of another number of ranks is left out. */
export function resized(request: Request, nodes: number): Request {
  const { communication } = request
  const isFit = communication?.matrix === undefined || communication.matrix.bytes.length === nodes
  return { ...request, nodes, communication: isFit ? communication : undefined }
}

/** Draws all fields of a request that are not given. */
export function drawRequest(draw: Draw, nodes: number, purpose: Request['purpose'], now: number): Request {
  return {
    purpose,
    job: `${1 + draw.below(1000)}`,
    nodes,
    now,
    submitted: Math.max(0, now - draw.pick([0, MINUTE, DAY])),
    estimate: draw.pick(estimates),
    bandwidth: draw.pick(bandwidths),
    communication: drawCommunication(draw, nodes),
  }
}

/** Draws all fields of a request again, or only one. @param machine number of nodes of the machine */
export function drawOther(draw: Draw, request: Request, machine: number): Request {
  const nodes = draw.pick([request.nodes, 1 + draw.below(machine)])
  const varied: Request = {
    purpose: draw.pick(['start', 'reserve', 'backfill']),
    job: draw.pick([request.job, 'another', '1']),
    nodes,
    now: draw.pick([...startTimes, request.now + draw.below(30 * DAY)]),
    submitted: draw.pick([0, request.now]),
    estimate: draw.pick(estimates),
    bandwidth: draw.pick(bandwidths),
    communication: drawCommunication(draw, nodes),
  }
  const field = draw.pick(Object.keys(varied) as Array<keyof Request>)
  const other = draw.once(2) ? varied : { ...request, [field]: varied[field] }
  return resized({ ...other, submitted: Math.min(other.submitted, other.now) }, other.nodes)
}

/** Draws up to two nodes and up to two links of each level; with probability 1/`times`, up to a third of all. */
export function someResources(topology: Topology, draw: Draw, times: number): Resources {
  const some = (count: number): Array<number> => {
    if (count === 0) return []
    const wanted = draw.once(times) ? Math.ceil(count / 3) : draw.below(3)
    return [...new Set(Array.from({ length: wanted }, () => draw.below(count)))].sort((a, b) => a - b)
  }
  return { nodes: some(topology.nodes), links: topology.levels.map(({ links }) => some(links)) }
}

/** New id of each node, and of each link of a level, after equal subtrees of a regular tree change places. */
interface Relabeling {
  readonly node: (id: number) => number
  readonly link: (level: number) => (id: number) => number
}

/**
 * Draws a random symmetry of a regular tree. For each level, one permutation exchanges the children of every switch,
 * and another the parallel switches (switches above the same subtree), so connected switches stay connected. If `draw`
 * is undefined, or if the topology is no regular tree, all ids of nodes and links stay the same.
 */
export function relabeling({ pgft, levels }: Topology, draw: Draw | undefined): Relabeling {
  if (draw === undefined || pgft === undefined) return { node: (id) => id, link: () => (id) => id }
  const { m, w } = pgft
  const orders = (sizes: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> =>
    sizes.map((size) => draw.sample([...Array(size).keys()], size))
  const children = orders(m)
  const parallel = orders(w)
  return {
    // The digits of a node's id, least significant first: its index on the leaf, the leaf's index in the pod, and so
    // on.
    node: (id) => relabelled(id, children),
    link: (level) => {
      const upPorts = levels[level].firstPort[1]
      const parents = w[level + 1]
      // The least significant digits of a switch's id are its index among parallel switches; its subtree's index
      // follows.
      const digits = [...parallel.slice(0, level + 1).reverse(), ...children.slice(level + 1)]
      return (id) => {
        const port = id % upPorts
        const cable = Math.floor(port / parents)
        return (
          relabelled(Math.floor(id / upPorts), digits) * upPorts + cable * parents + parallel[level + 1][port % parents]
        )
      }
    },
  }
}

/** Applies to each digit of a mixed-radix number its permutation in `digits`, least significant digit first. */
function relabelled(id: number, digits: ReadonlyArray<ReadonlyArray<number>>): number {
  let rest = id
  let weight = 1
  let result = 0
  for (const order of digits) {
    result += order[rest % order.length] * weight
    rest = Math.floor(rest / order.length)
    weight *= order.length
  }
  return result
}
