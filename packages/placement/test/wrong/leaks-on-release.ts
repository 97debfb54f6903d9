import type { IndexHooks } from '../../src/contract.ts'
import type { StateView } from '../../src/view.ts'
import type { Topology } from '@cloister/topology'
import { firstNodes, refused, type Policy } from '../sample-policies.ts'

interface Busy {
  nodes: Set<number>
}

const busyNodes = ({ nodes }: Topology, state: StateView): Array<number> =>
  [...Array(nodes).keys()].filter((node) => !state.isNodeFree(node))

const hooks = (topology: Topology): IndexHooks<Busy> => ({
  build: (state) => ({ nodes: new Set(busyNodes(topology, state)) }),
  copy: (from, into) => {
    into.nodes = new Set(from.nodes)
  },
  changed: (index, state) => {
    for (const node of busyNodes(topology, state)) index.nodes.add(node)
  },
})

/** Has an index that never learns of released nodes. */
const policy: Policy = firstNodes({
  policy: { name: 'leaks-on-release' },
  index: hooks,
  place: (good) => (topology, state, request, index: Busy) => {
    const outcome = good(topology, state, request, index)
    if (!outcome.ok) return outcome
    const free = [...Array(topology.nodes).keys()].filter((node) => !index.nodes.has(node)).slice(0, request.nodes)
    return free.length < request.nodes ? refused('free nodes') : { ...outcome, nodes: free }
  },
})
export default policy
