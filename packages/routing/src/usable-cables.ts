/**
 * What a group of switches can all use at once: the cables to each parent that every one of them has (`usable`), but for
 * one `exception` that may have fewer (the remainder leaf or pod) and is confined to `ofException`.
 */
export interface UsableCables {
  readonly usable: Int32Array
  /** Its place in the group, -1 for none. */
  readonly exception: number
  readonly ofException: Int32Array
}

/**
 * Finds cables that are enough for what each switch has to carry, with or without an exception. Then any flows
 * between the switches, at most `needs[g]` out of and into switch `g`, can be given cables with one flow on each: colour
 * them (König); the exception is padded with flows to itself, whose colours are those it lacks.
 *
 * @param cables row `g * parents + b`: how many cables switch `g` has to parent `b`
 * @param parents at least 1
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

/** The fewest cables that any switch has to each parent, one switch aside. */
function leastOf(cables: ArrayLike<number>, parents: number, aside: number): Int32Array {
  const least = new Int32Array(parents).fill(-1)
  for (let row = 0; row < cables.length; row++) {
    if (Math.floor(row / parents) === aside) continue
    const b = row % parents
    if (least[b] < 0 || cables[row] < least[b]) least[b] = cables[row]
  }
  return least.map((count) => Math.max(count, 0))
}

/** Switches that alone have as few cables to some parent as they have: only without one of these can there be more. */
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
