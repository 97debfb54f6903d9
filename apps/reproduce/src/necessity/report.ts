import { FlowChecker, fullBandwidth, routePermutation } from '@cloister/network'
import { formatIdset, parseTopology } from '@cloister/topology'
import { Effect } from 'effect'
import type { Experiment } from '../experiment/reproduction.ts'
import { state } from '../report/comparison.ts'
import { count } from '../report/numbers.ts'
import { reportOf, type Table } from '../report/report.ts'
import { type Balanced, balancedAllocations, bits, permutations, type TreeSize } from './allocations.ts'
import { isInFamily, meetsConditions } from './conditions.ts'
import { blockedFlows } from './routing.ts'

/** Trees of the search, with the most nodes of an allocation. All have single cables and as many uplinks as downlinks. */
const trees: ReadonlyArray<{ readonly name: string; readonly size: TreeSize; readonly most: number }> = [
  { name: 'radix 4: 4 pods of 2 leaves of 2 nodes', size: { pods: 4, leaves: 2, l2: 2, spines: 2 }, most: 8 },
  { name: '2 pods of 3 leaves of 3 nodes', size: { pods: 2, leaves: 3, l2: 3, spines: 3 }, most: 9 },
  { name: '3 pods of 3 leaves of 3 nodes', size: { pods: 3, leaves: 3, l2: 3, spines: 3 }, most: 7 },
  { name: '2 pods of 4 leaves of 4 nodes', size: { pods: 2, leaves: 4, l2: 4, spines: 4 }, most: 7 },
]

/** Counts of the balanced allocations of a tree. */
interface Region {
  all: number
  /** Number of allocations that meet the conditions; `wrong` of these have a permutation without routes. */
  met: number
  wrong: number
  /** Number of allocations beyond the conditions with full bandwidth, by their leaves. */
  readonly beyond: Map<string, number>
  /** Number of allocations in the family. `outside`: allocations for which the family and the routes disagree. */
  family: number
  outside: number
}

function regionOf(size: TreeSize, most: number): Region {
  const region: Region = { all: 0, met: 0, wrong: 0, beyond: new Map(), family: 0, outside: 0 }
  for (const allocation of balancedAllocations(size, most)) {
    const meets = meetsConditions(allocation)
    const isFull = blockedFlows(allocation) === undefined
    region.all++
    if (meets) region.met++
    if (meets && !isFull) region.wrong++
    if (isFull && !meets) {
      const name = leavesOf(allocation)
      region.beyond.set(name, (region.beyond.get(name) ?? 0) + 1)
    }
    const isExpected = isInFamily(allocation)
    if (isExpected) region.family++
    if (isExpected !== (isFull && !meets)) region.outside++
  }
  return region
}

/** Returns the numbers of nodes on the leaves of each pod, such as `2+1 and 2`. */
function leavesOf({ pods, leaves }: Balanced): string {
  const ofPods = [...new Set(pods)].map((pod) => leaves.filter((_, at) => pods[at] === pod).map(bits))
  return ofPods
    .map((nodes) => nodes.sort((a, b) => b - a).join('+'))
    .sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
    .join(' and ')
}

/** Experiment on the necessity of the conditions: a counterexample, and the exact set of allocations on small trees. */
export const necessity: Experiment = Effect.sync(() => {
  const regions = trees.map(({ name, size, most }) => ({ name, most, ...regionOf(size, most) }))
  const example = counterexample()
  return reportOf(
    [
      example.table,
      {
        title: 'Allocations with as many uplinks as downlinks on every switch, up to names',
        heading: [
          'tree',
          'nodes, at most',
          'allocations',
          'meet the conditions',
          'full bandwidth',
          'beyond the conditions',
        ],
        rows: regions.map(({ name, most, all, met, wrong, beyond }) => {
          const more = [...beyond.values()].reduce((a, b) => a + b, 0)
          return [name, count(most), count(all), count(met), count(met - wrong + more), count(more)]
        }),
      },
      {
        title: 'Nodes on the leaves of the allocations beyond the conditions, pod by pod',
        heading: ['leaves', ...regions.map(({ name }) => name)],
        rows: [...new Set(regions.flatMap(({ beyond }) => [...beyond.keys()]))].map((leaves) => [
          leaves,
          ...regions.map(({ beyond }) => count(beyond.get(leaves) ?? 0)),
        ]),
      },
    ],
    [
      state('3.3', 'every allocation with full bandwidth meets the conditions: 5 nodes of radix 4', !example.isRouted),
      ...regions.flatMap(({ name, wrong, beyond, outside }) => [
        state('3.3', `every allocation that meets the conditions has full bandwidth: ${name}`, wrong === 0),
        state('3.3', `every allocation with full bandwidth meets the conditions: ${name}`, beyond.size === 0),
        state('', `the allocations beyond the conditions are those of the family: ${name}`, outside === 0),
      ]),
    ],
  )
})

/** Routes all 120 permutations of an allocation of five nodes that breaks the conditions, link by link. */
function counterexample(): { readonly table: Table; readonly isRouted: boolean } {
  const topology = parseTopology('radix:4')
  // Nodes 0 and 1 of leaf 0 and node 2 of leaf 1 are in pod 0, nodes 4 and 5 of leaf 2 in pod 1. Leaf uplinks 0, 2 and 4
  // lead to the first L2 switch of their pod, and 1 and 5 to the second.
  const resources = {
    nodes: [0, 1, 2, 4, 5],
    links: [
      [0, 1, 2, 4, 5],
      [0, 1, 2, 4, 6],
    ],
  }
  const proved = fullBandwidth(topology, resources)
  const checker = new FlowChecker(topology)
  const all = permutations(resources.nodes.length)
  const routed =
    'unproved' in proved
      ? 0
      : all.filter((each) => checker.check(resources, each, routePermutation(proved, each)).problem === undefined)
          .length
  return {
    isRouted: routed === all.length,
    table: {
      title: 'Five nodes of radix 4 that break the conditions',
      heading: ['nodes', 'leaf uplinks', 'L2 uplinks', 'permutations', 'with routes of one flow a link'],
      rows: [
        [
          formatIdset(resources.nodes),
          formatIdset(resources.links[0]),
          formatIdset(resources.links[1]),
          count(all.length),
          count(routed),
        ],
      ],
    },
  }
}
