import { type Balanced, bits } from './allocations.ts'

/** Path of a flow: masks of the links that the flow uses upwards and downwards, of leaves and of L2 switches. */
interface Path {
  readonly up: number
  readonly down: number
  readonly upAbove: number
  readonly downAbove: number
}

/**
 * Returns the first set of flows without routes, as numbers of flows from leaf to leaf; undefined if every permutation
 * of the nodes has routes with at most one flow on each link and direction. The search is exhaustive: every matrix of
 * flows in which leaf v sends and gets as many flows as the leaf has nodes, and every choice of shortest paths.
 */
export function blockedFlows(allocation: Balanced): ReadonlyArray<ReadonlyArray<number>> | undefined {
  const paths = pathsOf(allocation)
  const sizes = allocation.leaves.map(bits)
  for (const matrix of matrices(sizes)) if (!canRoute(paths, matrix)) return matrix
  return undefined
}

/** Returns the shortest paths between each pair of leaves, at `[from][to]`. */
function pathsOf({ pods, leaves, spines }: Balanced): ReadonlyArray<ReadonlyArray<ReadonlyArray<Path>>> {
  const indices = spines.length
  const perIndex = Math.max(...spines.flat().map((mask) => 32 - Math.clz32(mask)), 1)
  const leafLink = (leaf: number, index: number): number => 1 << (leaf * indices + index)
  const spineLink = (pod: number, index: number, spine: number): number =>
    1 << ((pod * indices + index) * perIndex + spine)
  return leaves.map((from, a) =>
    leaves.map((to, b) => {
      const found: Array<Path> = []
      if (a === b) return found
      for (let index = 0; index < indices; index++) {
        if ((((from & to) >> index) & 1) === 0) continue
        const path = { up: leafLink(a, index), down: leafLink(b, index), upAbove: 0, downAbove: 0 }
        if (pods[a] === pods[b]) found.push(path)
        else {
          const common = spines[index][pods[a]] & spines[index][pods[b]]
          for (let spine = 0; common >> spine !== 0; spine++)
            if ((common >> spine) & 1)
              found.push({
                ...path,
                upAbove: spineLink(pods[a], index, spine),
                downAbove: spineLink(pods[b], index, spine),
              })
        }
      }
      return found
    }),
  )
}

/** Yields every matrix of flows in which leaf v sends and gets `sizes[v]` flows. */
function* matrices(sizes: ReadonlyArray<number>): Generator<ReadonlyArray<ReadonlyArray<number>>> {
  function* rows(at: number, left: ReadonlyArray<number>): Generator<ReadonlyArray<ReadonlyArray<number>>> {
    if (at === sizes.length) yield []
    else
      for (const row of rowsWithin(left, sizes[at]))
        for (const rest of rows(
          at + 1,
          left.map((each, to) => each - row[to]),
        ))
          yield [row, ...rest]
  }
  yield* rows(0, sizes)
}

function* rowsWithin(left: ReadonlyArray<number>, total: number): Generator<ReadonlyArray<number>> {
  if (left.length === 0) {
    if (total === 0) yield []
    return
  }
  for (let first = 0; first <= Math.min(left[0], total); first++)
    for (const rest of rowsWithin(left.slice(1), total - first)) yield [first, ...rest]
}

function canRoute(
  paths: ReadonlyArray<ReadonlyArray<ReadonlyArray<Path>>>,
  matrix: ReadonlyArray<ReadonlyArray<number>>,
): boolean {
  const flows: Array<ReadonlyArray<Path>> = []
  matrix.forEach((row, from) =>
    row.forEach((count, to) => {
      if (from !== to) for (let k = 0; k < count; k++) flows.push(paths[from][to])
    }),
  )
  flows.sort((a, b) => a.length - b.length)
  const route = (at: number, up: number, down: number, upAbove: number, downAbove: number): boolean => {
    if (at === flows.length) return true
    for (const path of flows[at]) {
      if ((path.up & up) | (path.down & down) | (path.upAbove & upAbove) | (path.downAbove & downAbove)) continue
      if (route(at + 1, up | path.up, down | path.down, upAbove | path.upAbove, downAbove | path.downAbove)) return true
    }
    return false
  }
  return route(0, 0, 0, 0, 0)
}
