// Conditions of the exercises. Each condition asks the policy about jobs of all sizes, on small machines, in states in
// which a part of the nodes is busy.
import { bindPolicy, type ClusterState, type Outcome, type PlacementPolicy, type Placer } from '@cloister/placement'
import { ask, request, stateOf } from '@cloister/placement/checks'
import { parseTopology, type Topology } from '@cloister/topology'

/** Condition of an exercise. @throws Error if the policy breaks the condition */
export interface Condition {
  readonly name: string
  readonly run: (policy: PlacementPolicy<any, any>) => void
}

/** A request in a state, with the policy's answer. */
interface Asked {
  readonly topology: Topology
  readonly state: ClusterState<any>
  readonly placer: Placer<any>
  readonly size: number
  readonly outcome: Outcome
}

/** Names and defects of the conditions of each exercise. A defect is a message about a request, or undefined. */
const conditions: Readonly<Record<string, Readonly<Record<string, (asked: Asked) => string | undefined>>>> = {
  'first-fit': {
    'a job gets the first free nodes': ({ topology, state, size, outcome }) => {
      const first = freeNodes(topology, state).slice(0, size)
      return first.length < size || nodesOf(outcome).join() === first.join()
        ? undefined
        : `expected the nodes ${first.join(', ')}`
    },
  },
  'leaf-at-a-time': {
    'a job of at most a leaf stays within one leaf': withinLeaf,
    'a job of at most a leaf starts if a leaf has enough free nodes': startsOnLeaf,
    'a larger job starts if enough nodes are free': ({ topology, state, size, outcome }) =>
      size <= leafSize(topology) || size > state.freeNodes || outcome.ok ? undefined : 'expected a placement',
  },
  'isolated-job': {
    'the policy claims that jobs own their links': ({ placer: { claims } }) =>
      claims.links === 'owned' ? undefined : `claims.links is ${claims.links}; expected owned`,
    'a job of at most a leaf stays within one leaf, without links': (asked) =>
      withinLeaf(asked) ?? (asked.size <= leafSize(asked.topology) ? withoutLinks(asked) : undefined),
    'a job of at most a leaf starts if a leaf has enough free nodes': startsOnLeaf,
    'on the empty machine, a job of at most a pod starts, with links if larger than a leaf': (asked) => {
      const { topology, state, size, outcome } = asked
      const pod = topology.firstNodeOfLeaf[topology.firstLeafOfPod[1]]
      if (state.freeNodes < topology.nodes || size > pod) return undefined
      if (!outcome.ok) return 'expected a placement'
      return size > leafSize(topology) && withoutLinks(asked) === undefined ? 'expected links' : undefined
    },
  },
}

/** Returns the conditions of an exercise; none for an unknown exercise. */
export function conditionsOf(exercise: string): ReadonlyArray<Condition> {
  return Object.entries(conditions[exercise] ?? {}).map(([name, defect]) => ({
    name,
    run: (policy) => {
      for (const spec of ['radix:4', 'radix:6', 'radix:8'])
        for (const busyPerLeaf of [[], [0, 1], [1, 3, 0], [9, 2, 1]])
          askAll(policy, parseTopology(spec), busyPerLeaf, defect)
    },
  }))
}

/** Asks about jobs of all sizes in a state with `busy[i % busy.length]` busy nodes on leaf `i`, its middle nodes first. */
function askAll(
  policy: PlacementPolicy<any, any>,
  topology: Topology,
  busy: ReadonlyArray<number>,
  defect: (asked: Asked) => string | undefined,
): void {
  const size = leafSize(topology)
  const nodes = Array.from({ length: topology.nodes }, (_, node) => node).filter((node) => {
    const place = ((node % size) + Math.floor(size / 2)) % size
    return place < (busy[Math.floor(node / size) % busy.length] ?? 0)
  })
  const { placer } = bindPolicy(policy, topology)
  const state = stateOf(placer, topology, { running: nodes.length === 0 ? [] : [{ nodes, links: [] }] })
  for (let wanted = 1; wanted <= topology.nodes; wanted++) {
    const outcome = ask(placer, state, request(wanted))
    const problem = defect({ topology, state, placer, size: wanted, outcome })
    if (problem !== undefined)
      throw new Error(
        `${topology.name}, busy nodes ${nodes.join(', ') || 'none'}: a job of ${wanted} ${wanted === 1 ? 'node' : 'nodes'}: ${problem}; the answer is ${shortly(outcome)}`,
      )
  }
}

function withinLeaf({ topology, size, outcome }: Asked): string | undefined {
  const leaves = new Set(nodesOf(outcome).map((node) => topology.leafOfNode[node]))
  return size > leafSize(topology) || leaves.size <= 1
    ? undefined
    : `expected nodes of one leaf, found ${leaves.size} leaves`
}

function startsOnLeaf({ topology, state, size, outcome }: Asked): string | undefined {
  const isPossible = Array.from({ length: topology.leaves }, (_, leaf) => state.freeNodesOnLeaf(leaf)).some(
    (free) => free >= size,
  )
  return isPossible && !outcome.ok ? 'expected a placement' : undefined
}

function withoutLinks({ outcome }: Asked): string | undefined {
  return outcome.ok && outcome.links.some(({ length }) => length > 0) ? 'expected no links' : undefined
}

const leafSize = ({ firstNodeOfLeaf }: Topology): number => firstNodeOfLeaf[1]

function nodesOf(outcome: Outcome): ReadonlyArray<number> {
  return outcome.ok ? Array.from(outcome.nodes) : []
}

function freeNodes({ nodes }: Topology, state: ClusterState<any>): ReadonlyArray<number> {
  return Array.from({ length: nodes }, (_, node) => node).filter((node) => state.isNodeFree(node))
}

function shortly(outcome: Outcome): string {
  return outcome.ok ? `the nodes ${nodesOf(outcome).join(', ')}` : `the refusal ${JSON.stringify(outcome)}`
}
