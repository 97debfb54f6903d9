import type { Topology } from '@cloister/topology'

/** Nodes of each job, in ascending order. */
export type Nodes = ReadonlyArray<ReadonlyArray<number>>

/** Topology-oblivious placements, each a guess at TO: the Pollard paper does not describe how TO placed jobs. */
export const obliviousPlacements = ['first fit', 'aged first fit', 'clustered', 'random'] as const
export type ObliviousPlacement = (typeof obliviousPlacements)[number]

/** Places jobs of the given sizes one after the other. @param draw returns a drawn integer of [0, below) */
export function placeObliviously(
  how: ObliviousPlacement,
  { nodes }: Topology,
  sizes: ReadonlyArray<number>,
  draw: (below: number) => number,
): Nodes {
  if (how === 'aged first fit') return agedFirstFit(nodes, sizes, draw)
  const order = Array.from({ length: nodes }, (_, node) => node)
  // The placement `clustered` is from a published mapper: a list of nodes in order, after 500 random exchanges.
  const exchanges = { 'first fit': 0, clustered: 500, random: nodes }[how]
  for (let at = 0; at < exchanges; at++) {
    const [one, other] = how === 'random' ? [at, at + draw(nodes - at)] : [draw(nodes), draw(nodes)]
    ;[order[one], order[other]] = [order[other], order[one]]
  }
  let next = 0
  return sizes.map((size) => ascending(order.slice(next, (next += size))))
}

/** Places jobs by first fit on a used machine: 500 jobs start before, and random jobs end for room. */
function agedFirstFit(nodes: number, sizes: ReadonlyArray<number>, draw: (below: number) => number): Nodes {
  const isFree = new Uint8Array(nodes).fill(1)
  let free = nodes
  const running: Array<ReadonlyArray<number>> = []
  const start = (size: number): ReadonlyArray<number> => {
    const found: Array<number> = []
    for (let node = 0; found.length < size; node++) if (isFree[node] === 1) found.push(node)
    for (const node of found) isFree[node] = 0
    free -= size
    return found
  }
  const endOne = (): void => {
    const [ended] = running.splice(draw(running.length), 1)
    for (const node of ended) isFree[node] = 1
    free += ended.length
  }
  for (let event = 0; event < 500; event++) {
    const size = sizes[draw(sizes.length)]
    while (free < size) endOne()
    running.push(start(size))
  }
  return sizes.map((size) => {
    while (free < size) endOne()
    return start(size)
  })
}

function ascending(nodes: ReadonlyArray<number>): ReadonlyArray<number> {
  return [...nodes].sort((a, b) => a - b)
}
