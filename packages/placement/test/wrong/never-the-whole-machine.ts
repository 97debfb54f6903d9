import { firstNodes, placing, refused } from '../sample-policies.ts'

/** Refuses jobs of all nodes. What its class is, it says alone: no placement of that size was ever granted. */
export default firstNodes({
  policy: { name: 'never-the-whole-machine' },
  place: placing((placement, topology, _, { nodes }) =>
    nodes === topology.nodes ? refused('a spare node') : placement,
  ),
})
