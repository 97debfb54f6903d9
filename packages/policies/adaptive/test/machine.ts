import { ClusterState } from '@cloister/placement'
import { parseTopology, switchGraph, type Topology } from '@cloister/topology'

/** What each node does: nothing, run a job that computes, run one that communicates, or be down. */
export type Use = 'free' | 'computes' | 'communicates' | 'down'

export const small: ReadonlyArray<Topology> = [
  parseTopology('kary:2:3'),
  switchGraph({ name: 'forest', leaves: [2, 2, 1, 1, 1], parents: [[[0, 1], [0, 1], [2], [3], [3]], [[0], [0], [0], []]] }),
]
export const wide: Topology = parseTopology('pgft:3;40,3,2;1,20,1;1,2,1')

export function stateOf(topology: Topology, uses: ReadonlyArray<Use>): ClusterState {
  const state = new ClusterState(topology)
  const nodesThat = (use: Use): Array<number> => [...uses.keys()].filter((node) => uses[node] === use)
  state.apply({ job: 'a', nodes: nodesThat('computes'), links: [], communicates: false, estimatedEnd: 1, startOrder: 0 })
  state.apply({ job: 'b', nodes: nodesThat('communicates'), links: [], communicates: true, estimatedEnd: 1, startOrder: 1 })
  state.fail({ nodes: nodesThat('down'), links: [] })
  return state
}

/** Every way to use the nodes of a small machine, by number; nodes that are down among them in some. */
export function usesNumber(topology: Topology, number: number): Array<Use> {
  const three = (['free', 'computes', 'communicates'] as const)
  const rest = [...topology.leafOfNode.keys()].map((node) => Math.floor(number / 3 ** node) % 3)
  return rest.map((digit, node) => (digit === 1 && (number + node) % 4 === 0 ? 'down' : three[digit]))
}

export function scattered(topology: Topology, every: number): Array<Use> {
  return [...topology.leafOfNode.keys()].map((node) => {
    const draw = (node * node + every * Math.floor(node / 40)) % 37
    return draw < every ? 'communicates' : draw < 2 * every ? 'computes' : draw < 2 * every + 2 ? 'down' : 'free'
  })
}
