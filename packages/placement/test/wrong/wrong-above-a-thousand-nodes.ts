import { firstNodes, placing, refused, type Policy } from '../sample-policies.ts'

/** Like one-short-on-large-machines, on machines larger than any that is tried. */
const policy: Policy = firstNodes({
  policy: { name: 'wrong-above-a-thousand-nodes' },
  place: placing((placement, topology, state, { nodes }) =>
    topology.nodes > 1000 && nodes === state.freeNodes ? refused('a node to spare') : placement,
  ),
})
export default policy
