import { firstNodes, placing, refused, type Policy } from '../sample-policies.ts'

/** Refuses jobs of all nodes. Only the author knows the class of placements: no job of that size was ever granted. */
const policy: Policy = firstNodes({
  policy: { name: 'never-the-whole-machine' },
  place: placing((placement, topology, _, { nodes }) =>
    nodes === topology.nodes ? refused('a spare node') : placement,
  ),
})
export default policy
