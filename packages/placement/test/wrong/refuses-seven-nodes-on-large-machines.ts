import { firstNodes, placing, refused, type Policy } from '../sample-policies.ts'

/** Refuses jobs of seven nodes on machines of more than 500 nodes, as if other jobs were in the way. */
const policy: Policy = firstNodes({
  policy: { name: 'refuses-seven-nodes-on-large-machines' },
  place: placing((placement, topology, _, { nodes }) =>
    topology.nodes > 500 && nodes === 7 ? refused('free nodes') : placement,
  ),
})
export default policy
