import { colourLacking } from './lacking-colours.ts'

/**
 * Cables that a group of switches uses together though not every switch has each of them: few enough lack them. In the order in which
 * flows are given to them: those that most lack first.
 */
export interface LackingCables {
  /** Parent of each cable, and which cable to that parent it is. */
  readonly parent: Int32Array
  readonly cable: Int32Array
  /** Row of switches for each cable: 1 for those that lack it. */
  readonly lacks: ReadonlyArray<Uint8Array>
  /** Flows that may leave each switch at once. */
  readonly needs: Int32Array
}

/**
 * As many cables as one switch needs at most, such that the t-th of them, least lacked first, is lacked by switches that need at most
 * t - 1 together. Then any flows, at most `needs[g]` out of and into switch `g`, can be given these cables with one flow on each: see
 * `colourLacking`. Undefined where there are no such cables.
 *
 * @param cables row `g * parents + b`: how many cables switch `g` has to parent `b`
 */
export function lackingCables(
  cables: ArrayLike<number>,
  parents: number,
  needs: Int32Array,
): LackingCables | undefined {
  const wanted = needs.reduce((most, need) => Math.max(most, need), 0)
  const found: Array<{ parent: number; cable: number; lacks: Uint8Array; lacking: number }> = []
  for (let parent = 0; parent < parents; parent++) {
    let most = 0
    for (let g = 0; g < needs.length; g++) most = Math.max(most, cables[g * parents + parent])
    for (let cable = 0; cable < most; cable++) {
      const lacks = Uint8Array.from(needs, (_, g) => (cables[g * parents + parent] > cable ? 0 : 1))
      const lacking = needs.reduce((sum, need, g) => sum + need * lacks[g], 0)
      found.push({ parent, cable, lacks, lacking })
    }
  }
  if (found.length < wanted) return undefined
  const chosen = found.sort((a, b) => a.lacking - b.lacking).slice(0, wanted)
  if (chosen.some(({ lacking }, place) => lacking > place)) return undefined
  chosen.reverse()
  return {
    parent: Int32Array.from(chosen, ({ parent }) => parent),
    cable: Int32Array.from(chosen, ({ cable }) => cable),
    lacks: chosen.map(({ lacks }) => lacks),
    needs,
  }
}

/** How many of the cables each switch has to each parent: row `g * parents + b`. */
export function cablesOfEach({ parent, lacks, needs }: LackingCables, parents: number): Int32Array {
  const counts = new Int32Array(needs.length * parents)
  parent.forEach((b, colour) => {
    for (let g = 0; g < needs.length; g++) if (lacks[colour][g] === 0) counts[g * parents + b]++
  })
  return counts
}

/** For each flow one of the cables, which both its ends have, none twice at either end. */
export function assignLacking(
  { parent, cable, lacks, needs }: LackingCables,
  from: Int32Array,
  to: Int32Array,
): { readonly parent: Int32Array; readonly cable: Int32Array } {
  const colourOf = colourLacking(needs, lacks, from, to)
  return { parent: colourOf.map((colour) => parent[colour]), cable: colourOf.map((colour) => cable[colour]) }
}
