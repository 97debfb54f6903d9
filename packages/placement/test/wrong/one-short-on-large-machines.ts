import { firstNodes, placing, refused, type Policy } from '../sample-policies.ts'

/** Above 500 nodes it wants one more than it gives. */
const policy: Policy = firstNodes({
  policy: { name: 'one-short-on-large-machines' },
  place: placing((placement, topology, state, { nodes }) =>
    topology.nodes > 500 && nodes === state.freeNodes ? refused('a node to spare') : placement,
  ),
})
export default policy
