import { nestedRemaindersBreach } from '@cloister/audit'
import type { Resources } from '@cloister/placement'
import type { Draw } from '@cloister/placement/testing'
import type { Topology } from '@cloister/topology'
import { FlowChecker, fullBandwidth, randomPermutation, routePermutation } from '../src/index.ts'
import { allocation, range } from './allocations.ts'
import { allPermutations } from './exhaustive.ts'
import { areLinksInOrder, cablesOf, type Family } from './families.ts'

/** Number of nodes of a job on each leaf, for each pod of the job. */
type Counts = ReadonlyArray<ReadonlyArray<number>>
/** Links of each leaf to L2 indices and, over each index, of each pod to spines, as masks. */
interface Links {
  readonly leaves: ReadonlyArray<number>
  readonly pods: ReadonlyArray<ReadonlyArray<number>>
}
/**
 * Function that returns families for the needs of vertices, all of which meet the rule of CONDITION.md. A family has a
 * set of links for each vertex. A vertex is a leaf, or a pod over one L2 index. A need is the greatest number of flows
 * that leave a vertex at once.
 */
type Families = (needs: ReadonlyArray<number>) => Iterable<ReadonlyArray<number>>

/**
 * Yields every allocation of `radix:2m` that meets the rule of CONDITION.md without a spare link, up to the names of
 * pods, leaves, L2 indices and spines.
 */
export function* minimalAllocations(topology: Topology): Generator<Resources> {
  const m = halfRadix(topology)
  const known = new Map<string, ReadonlyArray<ReadonlyArray<number>>>()
  const families: Families = (needs) => {
    const key = needs.join()
    const found = known.get(key) ?? [...minimalFamilies(needs, m)]
    known.set(key, found)
    return found
  }
  for (const counts of allCounts(m))
    for (const links of linksOf(counts, m, families)) yield resources(topology, counts, links)
}

/** Draws allocations of `radix:2m` that meet the rule of CONDITION.md. Every second allocation has spare links. */
export function* drawnAllocations(topology: Topology, draw: Draw, count: number): Generator<Resources> {
  const m = halfRadix(topology)
  for (let found = 0; found < count; found++) {
    const families: Families = (needs) => [drawnFamily(needs, m, draw, found % 2 === 0)]
    const counts = drawnCounts(m, draw)
    for (const links of linksOf(counts, m, families)) yield resources(topology, counts, links)
  }
}

/** Counts of the trials of `checkMachine` on a machine. */
export interface MachineCounts {
  allocations: number
  /** Number of permutations that were routed. */
  permutations: number
  /**
   * Number of links that were removed, each alone; `needed` is the number of removed links without which the auditor
   * refuses the allocation.
   */
  removed: number
  needed: number
}

/**
 * Routes all permutations of each allocation of at most `whole` nodes, and `sampled` permutations of each larger
 * allocation. Removes each link alone: the router must have routes for every allocation that the auditor still accepts.
 *
 * @throws Error at the first allocation that contradicts the rule of CONDITION.md
 */
export function checkMachine(
  topology: Topology,
  allocations: Iterable<Resources>,
  { whole, sampled }: { readonly whole: number; readonly sampled: number },
): MachineCounts {
  const counts = { allocations: 0, permutations: 0, removed: 0, needed: 0 }
  const checker = new FlowChecker(topology)
  for (const given of allocations) {
    const wrong = (what: string): Error => new Error(`${what}: ${JSON.stringify(given)}`)
    const breach = nestedRemaindersBreach(topology, given.nodes, given.links)
    if (breach !== undefined) throw wrong(`the auditor refuses it, ${JSON.stringify(breach)}`)
    const proved = fullBandwidth(topology, given)
    if ('unproved' in proved) throw wrong(proved.unproved)
    counts.allocations++
    const n = given.nodes.length
    const permutations = n <= whole ? allPermutations(n) : range(0, sampled).map((seed) => randomPermutation(n, seed))
    for (const permutation of permutations) {
      const { largestLoad, problem } = checker.check(given, permutation, routePermutation(proved, permutation))
      if (problem !== undefined || largestLoad > 1) throw wrong(problem ?? `${largestLoad} flows on a link`)
      counts.permutations++
    }
    for (const fewer of withoutOneLink(given)) {
      counts.removed++
      if (nestedRemaindersBreach(topology, fewer.nodes, fewer.links) !== undefined) counts.needed++
      else if ('unproved' in fullBandwidth(topology, fewer))
        throw new Error(`the auditor accepts it, and the router does not: ${JSON.stringify(fewer)}`)
    }
  }
  return counts
}

function* withoutOneLink({ nodes, links }: Resources): Generator<Resources> {
  for (const [level, ids] of links.entries())
    for (let hidden = 0; hidden < ids.length; hidden++)
      yield { nodes, links: links.map((each, at) => (at === level ? Array.from(ids).toSpliced(hidden, 1) : each)) }
}

function halfRadix({ pgft }: Topology): number {
  return pgft!.m[0]
}

/**
 * Yields every distribution of nodes over the leaves of 2m pods, with pods and leaves in order of their numbers of
 * nodes.
 */
function* allCounts(m: number): Generator<Counts> {
  const pods = [...descending(m, m)].filter(([most]) => most > 0)
  function* choose(left: number, first: number): Generator<Counts> {
    yield []
    if (left > 0)
      for (let at = first; at < pods.length; at++)
        for (const rest of choose(left - 1, at)) yield [pods[at].filter((nodes) => nodes > 0), ...rest]
  }
  for (const counts of choose(2 * m, 0)) if (counts.length > 0) yield counts
}

/** Yields the lists of a given length of numbers from 0 to `most`, largest first. */
function* descending(length: number, most: number): Generator<ReadonlyArray<number>> {
  if (length === 0) yield []
  else
    for (let first = most; first >= 0; first--) for (const rest of descending(length - 1, first)) yield [first, ...rest]
}

/**
 * Draws the numbers of nodes on the leaves of pods. Few leaves of few pods are as likely as many leaves of many pods.
 */
function drawnCounts(m: number, draw: Draw): Counts {
  const pods = 1 + draw.below(draw.pick([2, 2 * m]))
  return range(0, pods).map(() => range(0, 1 + draw.below(m)).map(() => (draw.once(2) ? m : 1 + draw.below(m))))
}

/** Yields links of the leaves, each combined with links of the pods over every L2 index. */
function* linksOf(counts: Counts, m: number, families: Families): Generator<Links> {
  const nodes = counts.flat()
  if (nodes.length === 1) {
    yield { leaves: [0], pods: [] }
    return
  }
  const podOf = counts.flatMap((leaves, pod) => leaves.map(() => pod))
  for (const leaves of families(crossing(nodes))) {
    const over = (index: number): ReadonlyArray<number> =>
      crossing(
        counts.map((_, pod) => leaves.filter((set, leaf) => podOf[leaf] === pod && ((set >>> index) & 1) === 1).length),
      )
    function* spines(index: number): Generator<ReadonlyArray<ReadonlyArray<number>>> {
      if (index === m) yield []
      else for (const sets of families(over(index))) for (const rest of spines(index + 1)) yield [sets, ...rest]
    }
    if (counts.length === 1) yield { leaves, pods: [] }
    else for (const pods of spines(0)) yield { leaves, pods }
  }
}

/** Returns for each group of nodes the greatest number of nodes that can send out of the group at once. */
function crossing(own: ReadonlyArray<number>): ReadonlyArray<number> {
  const all = own.reduce((sum, each) => sum + each, 0)
  return own.map((each) => Math.min(each, all - each))
}

/**
 * Yields every family for the given needs that meets the rule of CONDITION.md and in which every link of every vertex
 * is necessary, up to names of links.
 */
function* minimalFamilies(needs: ReadonlyArray<number>, links: number): Generator<ReadonlyArray<number>> {
  for (const sets of subsets(needs, links))
    if (areLinksInOrder(sets, links) && keeps({ sets, needs }, links) && !spares({ sets, needs }, links)) yield sets
}

/**
 * Yields the ways to give each vertex a set of at least as many links as the vertex needs; a vertex without needs gets
 * no link.
 */
function* subsets(needs: ReadonlyArray<number>, links: number): Generator<ReadonlyArray<number>> {
  if (needs.length === 0) yield []
  else
    for (const rest of subsets(needs.slice(1), links))
      for (let set = 0; set < (needs[0] === 0 ? 1 : 1 << links); set++)
        if (ones(set) >= Math.min(needs[0], links)) yield [set, ...rest]
}

/**
 * Draws a family: removes random links from all links of every vertex while the rule of CONDITION.md holds. If
 * `minimal` is true, removes all spare links.
 */
function drawnFamily(needs: ReadonlyArray<number>, links: number, draw: Draw, minimal: boolean): ReadonlyArray<number> {
  const sets = needs.map((need) => (need === 0 ? 0 : (1 << links) - 1))
  const all = needs.flatMap((_, vertex) => range(0, links).map((link) => ({ vertex, link })))
  for (const { vertex, link } of draw.sample(all, minimal ? all.length : draw.below(all.length))) {
    const fewer = sets.with(vertex, sets[vertex] & ~(1 << link))
    if (keeps({ sets: fewer, needs }, links)) sets[vertex] = fewer[vertex]
  }
  return sets
}

function keeps({ sets, needs }: Family, links: number): boolean {
  return cablesOf({ sets, needs }, links) !== undefined
}

function spares({ sets, needs }: Family, links: number): boolean {
  return sets.some((set, vertex) =>
    range(0, links).some(
      (link) => ((set >>> link) & 1) === 1 && keeps({ sets: sets.with(vertex, set & ~(1 << link)), needs }, links),
    ),
  )
}

function ones(set: number): number {
  return listed(set).length
}

function listed(set: number): ReadonlyArray<number> {
  return range(0, 32).filter((bit) => ((set >>> bit) & 1) === 1)
}

function resources(topology: Topology, counts: Counts, { leaves, pods }: Links): Resources {
  let at = 0
  return allocation(
    topology,
    counts.flatMap((of, pod) => of.map((nodes, leaf) => ({ pod, leaf, nodes, l2: listed(leaves[at++]) }))),
    pods.flatMap((sets, l2) => sets.map((set, pod) => ({ pod, l2, spines: listed(set) }))),
  )
}
