import { bindPolicy, ClusterState, type PlacementPolicy } from '@cloister/placement'
import { ask } from '@cloister/placement/testing'
import { lowestCommonLevel, parseTopology, switchGraph, type Topology } from '@cloister/topology'

// Partly used machines and counts node by node, for tests of the policies greedy, balanced, adaptive and combal.

/** Use of a node: free, held by a job without (`computes`) or with communication (`communicates`), or down. */
export type Use = 'free' | 'computes' | 'communicates' | 'down'

export const small: ReadonlyArray<Topology> = [
  parseTopology('kary:2:3'),
  switchGraph({
    name: 'forest',
    leaves: [2, 2, 1, 1, 1],
    parents: [
      [[0, 1], [0, 1], [2], [3], [3]],
      [[0], [0], [0], []],
    ],
  }),
]
export const wide: Topology = parseTopology('pgft:3;40,3,2;1,20,1;1,2,1')

export function stateOf(topology: Topology, uses: ReadonlyArray<Use>): ClusterState {
  const state = new ClusterState(topology)
  const nodesThat = (use: Use): Array<number> => [...uses.keys()].filter((node) => uses[node] === use)
  state.apply({
    job: 'a',
    nodes: nodesThat('computes'),
    links: [],
    communicates: false,
    estimatedEnd: 1,
    startOrder: 0,
  })
  state.apply({
    job: 'b',
    nodes: nodesThat('communicates'),
    links: [],
    communicates: true,
    estimatedEnd: 1,
    startOrder: 1,
  })
  state.fail({ nodes: nodesThat('down'), links: [] })
  return state
}

/**
 * Returns a function from a job to the number of the job's nodes on each leaf under a policy; undefined for a refusal.
 * @throws Error if a job does not take the first free nodes of a leaf
 */
export function shares(
  policy: PlacementPolicy<any>,
  topology: Topology,
  uses: ReadonlyArray<Use>,
): (nodes: number, communicates: boolean) => ReadonlyMap<number, number> | undefined {
  const { placer } = bindPolicy(policy, topology)
  const state = stateOf(topology, uses)
  return (nodes, communicates) => {
    const communication = communicates ? { pattern: 'recursive-doubling', share: 500 } : undefined
    const outcome = ask(placer, state, nodes, { communication })
    if (!outcome.ok) return undefined
    const given = new Map<number, number>()
    for (const node of Array.from(outcome.nodes)) {
      const leaf = topology.leafOfNode[node]
      const at = given.get(leaf) ?? 0
      if (freeOn(topology, uses, leaf)[at] !== node)
        throw new Error(`node ${node} is not number ${at} of the free nodes of leaf ${leaf}`)
      given.set(leaf, at + 1)
    }
    return given
  }
}

export function freeOn(topology: Topology, uses: ReadonlyArray<Use>, leaf: number): Array<number> {
  return nodesOn(topology, leaf).filter((node) => uses[node] === 'free')
}

export function nodesOn(topology: Topology, leaf: number): Array<number> {
  return [...topology.leafOfNode.keys()].filter((node) => topology.leafOfNode[node] === leaf)
}

/** Returns the leaves below the lowest switch with enough free nodes; on equal levels, with the fewest of these. */
export function lowestSwitch(topology: Topology, uses: ReadonlyArray<Use>, nodes: number): Array<number> | undefined {
  const all = [...Array.from({ length: topology.leaves }).keys()]
  for (let level = 0; level < topology.levels.length; level++) {
    const [best] = all
      .map((leaf) =>
        all.filter(
          (other) =>
            lowestCommonLevel(topology, topology.firstNodeOfLeaf[leaf], topology.firstNodeOfLeaf[other]) <= level,
        ),
      )
      .map((leaves) => ({ leaves, count: leaves.flatMap((leaf) => freeOn(topology, uses, leaf)).length }))
      .filter(({ count }) => count >= nodes)
      .sort((a, b) => a.count - b.count)
    if (best !== undefined) return best.leaves
  }
  return undefined
}

/** Returns a state of a machine by number: each base-3 digit is a node's use, but some computing nodes are down. */
export function usesNumber(topology: Topology, number: number): Array<Use> {
  const three = ['free', 'computes', 'communicates'] as const
  const rest = [...topology.leafOfNode.keys()].map((node) => Math.floor(number / 3 ** node) % 3)
  return rest.map((digit, node) => (digit === 1 && (number + node) % 4 === 0 ? 'down' : three[digit]))
}

export function scattered(topology: Topology, every: number): Array<Use> {
  return [...topology.leafOfNode.keys()].map((node) => {
    const draw = (node * node + every * Math.floor(node / 40)) % 37
    return draw < every ? 'communicates' : draw < 2 * every ? 'computes' : draw < 2 * every + 2 ? 'down' : 'free'
  })
}

/** Naive model of a policy: returns the number of a job's nodes on each leaf; undefined if the job must wait. */
export type Algorithm = (
  topology: Topology,
  uses: ReadonlyArray<Use>,
  nodes: number,
  communicates: boolean,
) => ReadonlyMap<number, number> | undefined

/** Returns the cases in which a policy differs from a model, in all numbered states of `small` and in 18 of `wide`. */
export function disagreements(policy: PlacementPolicy<any>, algorithm: Algorithm): ReadonlyArray<unknown> {
  const questions = [
    ...small.flatMap((topology) =>
      Array.from({ length: 3 ** topology.nodes }, (_, number) => ({
        topology,
        uses: usesNumber(topology, number),
        sizes: Array.from({ length: topology.nodes }, (__, node) => node + 1),
      })),
    ),
    ...Array.from({ length: 18 }, (_, every) => ({
      topology: wide,
      uses: scattered(wide, every),
      sizes: [1, 2, 7, 16, 33, 40, 41, 64, 100, 128, 150, 200, 240],
    })),
  ]
  return questions.flatMap(({ topology, uses, sizes }) => {
    const place = shares(policy, topology, uses)
    return sizes.flatMap((nodes) =>
      [true, false].flatMap((communicates) => {
        const actual = place(nodes, communicates)
        const expected = algorithm(topology, uses, nodes, communicates)
        return areSame(actual, expected)
          ? []
          : [{ topology: topology.name, uses, nodes, communicates, actual, expected }]
      }),
    )
  })
}

function areSame(a: ReadonlyMap<number, number> | undefined, b: ReadonlyMap<number, number> | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return a.size === b.size && [...a].every(([leaf, share]) => b.get(leaf) === share)
}
