import { switchOfLink, type Topology } from '@cloister/topology'

/** Neighbours of a switch on the level above or below. */
export interface Neighbours {
  /** Switches, each once, in the order of the switch's ports. */
  readonly switches: ReadonlyArray<number>
  /** Ids of the links to each of `switches`, ascending. */
  readonly links: ReadonlyArray<ReadonlyArray<number>>
}

/** Returns the parents of a switch. @param isLive tests a link of the switch's level; links that fail it are left out */
export function parentsOf(
  { levels }: Topology,
  level: number,
  sw: number,
  isLive: (level: number, link: number) => boolean = () => true,
): Neighbours {
  const { firstPort, parentOfLink } = levels[level]
  const found = new Map<number, Array<number>>()
  for (let link = firstPort[sw]; link < firstPort[sw + 1]; link++) {
    if (!isLive(level, link)) continue
    const links = found.get(parentOfLink[link])
    if (links === undefined) found.set(parentOfLink[link], [link])
    else links.push(link)
  }
  return { switches: [...found.keys()], links: [...found.values()] }
}

/** Returns the children of every switch of a level above the leaves. */
export function childrenOf(topology: Topology, level: number): ReadonlyArray<Neighbours> {
  const { levels } = topology
  const found = Array.from({ length: levels[level].switches }, () => new Map<number, Array<number>>())
  const { parentOfLink, links } = levels[level - 1]
  for (let link = 0; link < links; link++) {
    const child = switchOfLink(topology, level - 1, link)
    const ofParent = found[parentOfLink[link]]
    const cables = ofParent.get(child)
    if (cables === undefined) ofParent.set(child, [link])
    else cables.push(link)
  }
  return found.map((each) => ({ switches: [...each.keys()], links: [...each.values()] }))
}

/**
 * Returns the place of each switch, by level, in the order that the engine `ftree` of OpenSM gives to the switches of a
 * level. The order follows from a breadth-first search from the first leaf. The search gives each switch a tuple with a
 * digit for each pair of neighbouring levels. The search step from one switch to another copies the tuple. Then the
 * step sets the digit of the two levels: to the smallest digit by which the tuple is unique on its level. Tuples order
 * the switches.
 *
 * @returns a message for a machine that OpenSM refuses: not all switches are connected, or a digit exceeds 254
 */
export function ftreeOrder(topology: Topology): ReadonlyArray<Int32Array> | string {
  const { levels } = topology
  const top = levels.length - 1
  const tuples = levels.map(({ switches }) => new Array<ReadonlyArray<number> | undefined>(switches).fill(undefined))
  const taken = levels.map(() => new Set<string>())
  const children = levels.map((_, level) => (level === 0 ? [] : childrenOf(topology, level)))
  tuples[0][0] = new Array<number>(top).fill(0)
  taken[0].add(tuples[0][0].join())
  const queue: Array<readonly [level: number, sw: number]> = [[0, 0]]
  for (const [level, sw] of queue) {
    const own = tuples[level][sw]!
    const find = (next: number, digit: number, found: ReadonlyArray<number>): boolean =>
      found.every((each) => {
        if (tuples[next][each] !== undefined) return true
        const tuple = [...own]
        tuple[digit] = 0
        while (taken[next].has(tuple.join())) tuple[digit]++
        if (tuple[digit] > 254) return false
        tuples[next][each] = tuple
        taken[next].add(tuple.join())
        queue.push([next, each])
        return true
      })
    // The digit between the levels l and l + 1 has the index top - l - 1: the first digit is below the roots.
    if (level > 0 && !find(level - 1, top - level, children[level][sw].switches))
      return 'a switch has over 255 children'
    if (level < top && !find(level + 1, top - level - 1, parentsOf(topology, level, sw).switches))
      return 'a switch has over 255 parents'
  }
  if (tuples.some((each) => each.includes(undefined))) return 'the switches are not connected'
  return tuples.map((each) => placesOf(each as ReadonlyArray<ReadonlyArray<number>>))
}

function placesOf(tuples: ReadonlyArray<ReadonlyArray<number>>): Int32Array {
  const order = [...tuples.keys()].sort((a, b) => compare(tuples[a], tuples[b]))
  const places = new Int32Array(tuples.length)
  order.forEach((sw, place) => {
    places[sw] = place
  })
  return places
}

function compare(a: ReadonlyArray<number>, b: ReadonlyArray<number>): number {
  const at = a.findIndex((digit, index) => digit !== b[index])
  return at < 0 ? 0 : a[at] - b[at]
}
