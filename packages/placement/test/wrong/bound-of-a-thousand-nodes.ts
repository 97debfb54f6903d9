import { firstNodes, type Policy } from '../sample-policies.ts'

/** Has a bound mostNodes of at most 1000 nodes. */
const policy: Policy = firstNodes({
  policy: { name: 'bound-of-a-thousand-nodes' },
  mostNodes: (state) => Math.min(1000, state.freeNodes),
})
export default policy
