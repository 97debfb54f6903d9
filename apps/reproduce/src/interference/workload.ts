import {
  gridOf,
  type Pattern,
  patternOf,
  periodicStencil,
  type RankGrid,
  rowsAllToAll,
  unstructuredMesh,
} from '@cloister/communication'
import type { Messages } from '@cloister/network'
import { bindPolicy, ClusterState } from '@cloister/placement'
import ta from '@cloister/policy-ta'
import type { Topology } from '@cloister/topology'
import { startRequest } from '../experiment/start-request.ts'
import * as paper from '../pollard/paper.ts'

/** Jobs that fill a machine under TA, in the order of draws: sizes in nodes, patterns, and messages by phase. */
export interface Workload {
  readonly sizes: ReadonlyArray<number>
  readonly proxies: ReadonlyArray<paper.Proxy>
  readonly jobs: ReadonlyArray<ReadonlyArray<Messages>>
}

/** Number of consecutive draws without a placement after which the machine counts as full. */
const REFUSALS = 10

/** Draws jobs of equally likely sizes and patterns, until TA has no nodes for ten draws in a row. */
export function drawWorkload(
  topology: Topology,
  { sizes: drawnSizes, rowsOfAllToAll, mostOfPattern = Infinity }: paper.InterferenceStudy,
  draw: (below: number) => number,
): Workload {
  const { placer } = bindPolicy(ta, topology)
  const state = new ClusterState(topology, { index: placer.index, linkCapacity: placer.linkCapacity ?? 0 })
  const proxies: Array<paper.Proxy> = []
  const jobs: Array<ReadonlyArray<Messages>> = []
  const sizes: Array<number> = []
  for (let refusals = 0; refusals < REFUSALS;) {
    const job = String(jobs.length)
    const size = drawnSizes[draw(drawnSizes.length)]
    const proxy = paper.proxies[draw(paper.proxies.length)]
    const hasEnough = proxies.filter((each) => each === proxy).length >= mostOfPattern
    const outcome = hasEnough ? undefined : placer.place(state, startRequest(job, size), state.index)
    if (outcome?.ok !== true) {
      refusals++
      continue
    }
    refusals = 0
    state.apply({ ...outcome, job, communicates: true, estimatedEnd: 1, startOrder: jobs.length })
    proxies.push(proxy)
    jobs.push(messagesOf(proxy, size, rowsOfAllToAll, draw))
    sizes.push(size)
  }
  return { sizes, proxies, jobs }
}

/** Ranks on a node: 2 x 2 along the last two dimensions of the grid of ranks, or 4 consecutive ranks for pairs. */
const RANKS_PER_NODE = 4
const MIB = 1.048576
/** Size of a message in MB, by pattern, as in public scripts of the proxy applications. */
const sizes: Readonly<Record<paper.Proxy, number>> = {
  stencil: 10 * MIB,
  mesh: MIB,
  pairs: 10 * MIB,
  'all-to-all': MIB,
}
/** Number of dimensions of the grid of ranks, by pattern; 1 for pairs, which have no grid. */
const dimensions: Readonly<Record<paper.Proxy, number>> = { stencil: 4, mesh: 3, pairs: 1, 'all-to-all': 3 }

/**
 * Returns the messages between nodes that a job of a proxy application sends in an iteration, phase by phase. All
 * messages of a phase from one node to another form one message, with the number of messages as weight. Messages inside
 * a node are left out. Every rank receives as much as it sends.
 *
 * @param nodes number of nodes of the job
 * @param rows number of dimensions, from the first with several ranks on, along which all-to-all has rows of ranks
 * @param draw draws an integer of [0, below): numbers and receivers of the messages of the mesh
 */
export function messagesOf(
  proxy: paper.Proxy,
  nodes: number,
  rows: 2 | 3,
  draw: (below: number) => number,
): ReadonlyArray<Messages> {
  const { grid, nodeOf } = gridOfRanks(nodes, dimensions[proxy])
  const phases: Array<Messages> = []
  let counts = new Map<number, number>()
  const add = (from: number, to: number, count: number): void => {
    const key = from * nodes + to
    counts.set(key, (counts.get(key) ?? 0) + count)
  }
  patternFor(proxy, grid, draw).forEachPair(
    nodes * RANKS_PER_NODE,
    (first, second, both) => {
      const [a, b] = [nodeOf(first), nodeOf(second)]
      if (a === b) return
      add(a, b, both / 2)
      add(b, a, both / 2)
    },
    () => {
      if (counts.size > 0 && (proxy !== 'all-to-all' || phases.length < rows))
        phases.push(phaseOf(counts, nodes, sizes[proxy]))
      counts = new Map()
    },
  )
  return phases
}

function phaseOf(counts: ReadonlyMap<number, number>, nodes: number, size: number): Messages {
  const keys = [...counts.keys()]
  const weight = Float64Array.from(counts.values())
  return {
    from: Int32Array.from(keys, (key) => Math.floor(key / nodes)),
    to: Int32Array.from(keys, (key) => key % nodes),
    size: weight.map((count) => count * size),
    weight,
  }
}

/** Returns a grid of ranks, and the node of each rank. The nodes form a grid that is as nearly cubic as possible. */
function gridOfRanks(
  nodes: number,
  count: number,
): { readonly grid: RankGrid; readonly nodeOf: (rank: number) => number } {
  if (count === 1)
    return { grid: [nodes * RANKS_PER_NODE], nodeOf: (rank: number) => Math.floor(rank / RANKS_PER_NODE) }
  const nodeGrid = gridOf(nodes, count)
  const grid = nodeGrid.map((extent, dimension) => (dimension < count - 2 ? extent : 2 * extent))
  const [width, height] = [grid[count - 1], grid[count - 2]]
  return {
    grid,
    nodeOf: (rank: number) => {
      const [x, y] = [rank % width, Math.floor(rank / width) % height]
      const plane = Math.floor(rank / width / height)
      return (plane * (height / 2) + Math.floor(y / 2)) * (width / 2) + Math.floor(x / 2)
    },
  }
}

function patternFor(proxy: paper.Proxy, grid: RankGrid, draw: (below: number) => number): Pattern {
  if (proxy === 'stencil') return periodicStencil(grid)
  if (proxy === 'all-to-all') return rowsAllToAll(grid)
  if (proxy === 'pairs') return patternOf('pairs')
  return unstructuredMesh(grid, { least: 5, below: 10, reach: 3 }, draw)
}
