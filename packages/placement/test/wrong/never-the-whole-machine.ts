import { firstNodes, placing, refused, type Policy } from '../sample-policies.ts'

/** Refuses jobs of all nodes. What its class is, it says alone: no placement of that size was ever granted. */
const policy: Policy = firstNodes({
  policy: { name: 'never-the-whole-machine' },
  place: placing((placement, topology, _, { nodes }) =>
    nodes === topology.nodes ? refused('a spare node') : placement,
  ),
})
export default policy
