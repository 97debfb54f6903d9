import { colourLacking } from './lacking-colours.ts'

/**
 * Cables that a group of switches can use together although some switches with few flows lack some of the cables. The
 * cables are in descending order of the total need of their lacking switches, as `colourLacking` assigns them.
 */
export interface LackingCables {
  /** Parent of each cable, and number of the cable among the cables from a switch to this parent. */
  readonly parent: Int32Array
  readonly cable: Int32Array
  /** For each cable and each switch of the group: 1 if the switch lacks the cable, else 0. */
  readonly lacks: ReadonlyArray<Uint8Array>
  /** Greatest number of flows that leave each switch at once. */
  readonly needs: Int32Array
}

/**
 * Finds as many cables as the largest need of a switch, so that all flows can get a cable. In the order of the total
 * need of the lacking switches, smallest first, the switches that lack the t-th cable must need at most t - 1 cables
 * together. Then `colourLacking` can assign a cable to each flow, for any flows with at most `needs[g]` flows out of
 * and into switch `g`. Returns undefined if there are no such cables.
 *
 * @param cables number of cables of switch `g` to parent `b`, at index `g * parents + b`
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

/** Returns the number of usable cables of switch `g` to parent `b`, at index `g * parents + b`. */
export function cablesOfEach({ parent, lacks, needs }: LackingCables, parents: number): Int32Array {
  const counts = new Int32Array(needs.length * parents)
  parent.forEach((b, colour) => {
    for (let g = 0; g < needs.length; g++) if (lacks[colour][g] === 0) counts[g * parents + b]++
  })
  return counts
}

/** Assigns to each flow a cable that both switches at its ends have, at most one flow to a cable and direction. */
export function assignLacking(
  { parent, cable, lacks, needs }: LackingCables,
  from: Int32Array,
  to: Int32Array,
): { readonly parent: Int32Array; readonly cable: Int32Array } {
  const colourOf = colourLacking(needs, lacks, from, to)
  return { parent: colourOf.map((colour) => parent[colour]), cable: colourOf.map((colour) => cable[colour]) }
}
