import { assignLacking, type LackingCables, lackingCables } from '../src/full-bandwidth.ts'
import { range } from './allocations.ts'

/**
 * Family of vertices: the set of links of each vertex as a mask, and the greatest number of flows that leave each
 * vertex.
 */
export interface Family {
  readonly sets: ReadonlyArray<number>
  readonly needs: ReadonlyArray<number>
}

export function cablesOf({ sets, needs }: Family, links: number): LackingCables | undefined {
  const cables = sets.flatMap((set) => range(0, links).map((link) => (set >>> link) & 1))
  return lackingCables(cables, links, Int32Array.from(needs))
}

/**
 * Returns the defect of an assignment of links to flows: a link that a vertex of its flow lacks, or a link used twice
 * at one vertex; undefined if there is no defect.
 */
export function defect({ sets }: Family, cables: LackingCables, from: Int32Array, to: Int32Array): string | undefined {
  const { parent } = assignLacking(cables, from, to)
  const taken = new Set<string>()
  for (let flow = 0; flow < from.length; flow++) {
    for (const [end, vertex] of [
      ['from', from[flow]],
      ['to', to[flow]],
    ] as const) {
      if (((sets[vertex] >>> parent[flow]) & 1) === 0) return `vertex ${vertex} lacks link ${parent[flow]}`
      const use = `${end} ${vertex} over ${parent[flow]}`
      if (taken.has(use)) return `two flows ${use}`
      taken.add(use)
    }
  }
  return undefined
}

/**
 * Yields every set of flows in which each vertex sends and receives its greatest number of flows, none to itself. Every
 * smaller set of flows is part of such a set for the same or for smaller needs.
 */
export function* fullFlows(needs: ReadonlyArray<number>): Generator<readonly [from: Int32Array, to: Int32Array]> {
  const senders = needs.flatMap((need, vertex) => range(0, need).map(() => vertex))
  const left = [...needs]
  const to: Array<number> = []
  function* give(): Generator<readonly [Int32Array, Int32Array]> {
    const flow = to.length
    if (flow === senders.length) {
      yield [Int32Array.from(senders), Int32Array.from(to)]
      return
    }
    // The flows of one sender are in order of their receivers, because different orders are equivalent.
    const least = flow > 0 && senders[flow - 1] === senders[flow] ? to[flow - 1] : 0
    for (let vertex = least; vertex < needs.length; vertex++) {
      if (left[vertex] === 0 || vertex === senders[flow]) continue
      left[vertex]--
      to.push(vertex)
      yield* give()
      to.pop()
      left[vertex]++
    }
  }
  yield* give()
}

function* tuples(length: number, from: number, below: number): Generator<ReadonlyArray<number>> {
  if (length === 0) yield []
  else
    for (const rest of tuples(length - 1, from, below))
      for (let value = from; value < below; value++) yield [...rest, value]
}

/** Counts of coloured families and of their sets of flows. */
export interface FamilyCounts {
  /** Number of families that meet the rule of CONDITION.md. */
  kept: number
  /** Number of sets of flows that got links. */
  flows: number
}

/**
 * Colours every full set of flows of every family with a given number of vertices and links that meets the rule of
 * CONDITION.md. Families that differ only in names of links, or of vertices with equal needs, count once.
 *
 * @throws Error at the first set of flows without links
 */
export function checkFamilies(vertices: number, links: number): FamilyCounts {
  const counts = { kept: 0, flows: 0 }
  for (const needs of tuples(vertices, 1, links + 1)) {
    // A family whose vertices are not in order of their needs is equivalent to a family with ordered vertices.
    if (needs.some((need, v) => v > 0 && need > needs[v - 1])) continue
    const multigraphs = [...fullFlows(needs)]
    for (const sets of tuples(vertices, 1, 1 << links)) {
      if (needs.some((need, v) => v > 0 && need === needs[v - 1] && sets[v] > sets[v - 1])) continue
      if (!areLinksInOrder(sets, links)) continue
      const cables = cablesOf({ sets, needs }, links)
      if (cables === undefined) continue
      counts.kept++
      counts.flows += multigraphs.length
      for (const [from, to] of multigraphs) {
        const wrong = defect({ sets, needs }, cables, from, to)
        if (wrong !== undefined) throw new Error(`${wrong}: ${JSON.stringify({ sets, needs, from, to })}`)
      }
    }
  }
  return counts
}

/**
 * Returns true if the links are in order of the sets of vertices that have each link. All other families are equivalent
 * to such a family.
 */
export function areLinksInOrder(sets: ReadonlyArray<number>, links: number): boolean {
  const owners = range(0, links).map((link) => sets.reduce((mask, set) => (mask << 1) | ((set >>> link) & 1), 0))
  return owners.every((mask, link) => link === 0 || mask <= owners[link - 1])
}
