/**
 * Cables that a group of switches can use at once. `usable` is the number of cables to each parent that every switch of
 * the group has, except one switch, the `exception` (the remainder leaf or pod), which may use `ofException` cables to
 * each parent.
 */
export interface UsableCables {
  readonly usable: Int32Array
  /** Place of the exception in the group of switches; -1 without exception. */
  readonly exception: number
  readonly ofException: Int32Array
}

/**
 * Finds enough cables for the flows of each switch of a group, or returns undefined. With enough cables, any flows
 * between the switches, at most `needs[g]` out of and into switch `g`, can get cables with one flow on each:
 * `colourEdges` colours the flows (König's theorem), after flows of the exception to itself are added for the cables
 * that the exception lacks.
 *
 * @param cables number of cables of switch `g` to parent `b`, at index `g * parents + b`
 * @param parents number of parents, at least 1
 */
export function usableCables(
  cables: ArrayLike<number>,
  parents: number,
  needs: ArrayLike<number>,
): UsableCables | undefined {
  const all = leastOf(cables, parents, -1)
  for (const exception of [-1, ...bottlenecks(cables, parents, all)]) {
    const usable = exception < 0 ? all : leastOf(cables, parents, exception)
    const ofException =
      exception < 0 ? usable : usable.map((count, b) => Math.min(count, cables[exception * parents + b]))
    if (isEnough(needs, exception, sum(usable), sum(ofException))) return { usable, exception, ofException }
  }
  return undefined
}

/** Returns the smallest number of cables of any switch except `aside` to each parent; -1 excludes no switch. */
function leastOf(cables: ArrayLike<number>, parents: number, aside: number): Int32Array {
  const least = new Int32Array(parents).fill(-1)
  for (let row = 0; row < cables.length; row++) {
    if (Math.floor(row / parents) === aside) continue
    const b = row % parents
    if (least[b] < 0 || cables[row] < least[b]) least[b] = cables[row]
  }
  return least.map((count) => Math.max(count, 0))
}

/** Returns the switches that alone have the fewest cables to a parent: only without them, more cables are common. */
function bottlenecks(cables: ArrayLike<number>, parents: number, least: Int32Array): ReadonlyArray<number> {
  const switches = cables.length / parents
  const found = new Set<number>()
  for (let b = 0; b < parents; b++) {
    let alone = -1
    let count = 0
    for (let g = 0; g < switches; g++) {
      if (cables[g * parents + b] > least[b]) continue
      alone = g
      count++
    }
    if (count === 1) found.add(alone)
  }
  return [...found]
}

function isEnough(needs: ArrayLike<number>, exception: number, usable: number, ofException: number): boolean {
  for (let g = 0; g < needs.length; g++) if (needs[g] > (g === exception ? ofException : usable)) return false
  return true
}

export function sum(counts: Int32Array): number {
  return counts.reduce((total, count) => total + count, 0)
}
