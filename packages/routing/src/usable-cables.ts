/**
 * Cables that a group of switches can use at once: the cables to each parent that every switch has (`usable`). One
 * `exception` may have fewer (the remainder leaf or pod) and is confined to `ofException`.
 */
export interface UsableCables {
  readonly usable: Int32Array
  /** Place of the exception in the group; -1 for none. */
  readonly exception: number
  readonly ofException: Int32Array
}

/**
 * Finds enough cables for the flows of each switch, with or without an exception; undefined if there are not enough.
 * Then any flows between the switches, at most `needs[g]` out of and into switch `g`, can get cables with one flow on
 * each. Colouring finds them (König); the exception is padded with flows to itself for the colours that it lacks.
 *
 * @param cables row `g * parents + b`: number of cables of switch `g` to parent `b`
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

/** Returns the fewest cables of any switch to each parent, without the switch `aside`. */
function leastOf(cables: ArrayLike<number>, parents: number, aside: number): Int32Array {
  const least = new Int32Array(parents).fill(-1)
  for (let row = 0; row < cables.length; row++) {
    if (Math.floor(row / parents) === aside) continue
    const b = row % parents
    if (least[b] < 0 || cables[row] < least[b]) least[b] = cables[row]
  }
  return least.map((count) => Math.max(count, 0))
}

/**
 * Returns the switches that alone have the fewest cables to some parent. Only their exclusion can allow more cables.
 */
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
