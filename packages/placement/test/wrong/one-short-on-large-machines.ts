import { firstNodes, placing, refused, type Policy } from '../sample-policies.ts'

/** Refuses jobs that take all free nodes on machines of more than 500 nodes. */
const policy: Policy = firstNodes({
  policy: { name: 'one-short-on-large-machines' },
  place: placing((placement, topology, state, { nodes }) =>
    topology.nodes > 500 && nodes === state.freeNodes ? refused('a node to spare') : placement,
  ),
})
export default policy
