import { firstNodes, placing, type Policy } from '../sample-policies.ts'

/** Refuses jobs of seven nodes with never on machines of more than 500 nodes, but not on smaller machines. */
const policy: Policy = firstNodes({
  policy: { name: 'never-seven-nodes-on-large-machines' },
  place: placing((placement, topology, _, { nodes }) =>
    topology.nodes > 500 && nodes === 7 ? { ok: false, code: 'never', constraint: 'not seven' } : placement,
  ),
})
export default policy
