import { performance } from 'node:perf_hooks'
import type { Outcome } from '../../src/contract.ts'
import { firstNodes, type Policy } from '../sample-policies.ts'

let since = 0
let last: { readonly key: string; readonly outcome: Outcome } | undefined

/** Remembers its last answer, for at most a second of the computer's clock. */
const policy: Policy = firstNodes({
  policy: { name: 'remembers-for-a-second' },
  place: (good) => (topology, state, request, index) => {
    const free = Array.from(topology.leafOfNode.keys()).filter((node) => state.isNodeFree(node))
    const key = `${topology.name} ${request.nodes} ${free.join()}`
    if (last?.key === key && performance.now() - since < 1000) return last.outcome
    since = performance.now()
    last = { key, outcome: good(topology, state, request, index) }
    return last.outcome
  },
})
export default policy
