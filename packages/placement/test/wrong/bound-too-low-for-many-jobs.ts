import { firstNodes, type Policy } from '../sample-policies.ts'

/** Has a bound mostNodes that is one node too low while more than twelve jobs run. */
const policy: Policy = firstNodes({
  policy: { name: 'bound-too-low-for-many-jobs' },
  mostNodes: (state) => (state.running.length > 12 ? state.freeNodes - 1 : state.freeNodes),
})
export default policy
