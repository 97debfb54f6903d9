import { type Pattern, periodicStencil4d, patternOf, rowsAllToAll, unstructuredMesh } from '@cloister/communication'
import type { Proxy } from './paper.ts'

/** The messages of one job that are posted at once: between which of its nodes, how many, and of how many MiB each. */
export interface JobMessages {
  readonly from: Int32Array
  readonly to: Int32Array
  readonly count: Float64Array
  readonly size: number
}

const RANKS_PER_NODE = 4
/** Public scripts of the suite: 1 MiB for all-to-all and mesh, 10 MiB for stencil and pairs. */
const sizes: Readonly<Record<Proxy, number>> = { stencil: 10, mesh: 1, pairs: 10, 'all-to-all': 1 }

/**
 * What a job of a proxy application sends, all its messages at once: ranks in blocks of four on a node; what stays on a
 * node is left out. The mesh's degrees are drawn; what a rank sends and what it receives are taken as alike.
 *
 * @param rows how many dimensions of the all-to-all's grid have rows, from the widest on
 */
export function messagesOf(proxy: Proxy, nodes: number, rows: 2 | 3, draw: (below: number) => number): JobMessages {
  const counts = new Map<number, number>()
  let step = 0
  const add = (from: number, to: number, count: number): void => {
    const key = from * nodes + to
    counts.set(key, (counts.get(key) ?? 0) + count)
  }
  patternFor(proxy, draw).forEachPair(
    nodes * RANKS_PER_NODE,
    (first, second, both) => {
      const [a, b] = [Math.floor(first / RANKS_PER_NODE), Math.floor(second / RANKS_PER_NODE)]
      if (a === b || (proxy === 'all-to-all' && step >= rows)) return
      add(a, b, both / 2)
      add(b, a, both / 2)
    },
    () => step++,
  )
  const keys = [...counts.keys()]
  return {
    from: Int32Array.from(keys, (key) => Math.floor(key / nodes)),
    to: Int32Array.from(keys, (key) => key % nodes),
    count: Float64Array.from(counts.values()),
    size: sizes[proxy],
  }
}

function patternFor(proxy: Proxy, draw: (below: number) => number): Pattern {
  if (proxy === 'stencil') return periodicStencil4d
  if (proxy === 'all-to-all') return rowsAllToAll
  if (proxy === 'pairs') return patternOf('pairs')
  return unstructuredMesh({ least: 5, below: 10, reach: 3 }, draw)
}
