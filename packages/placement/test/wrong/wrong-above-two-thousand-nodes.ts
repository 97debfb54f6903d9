import { firstNodes, placing, refused, type Policy } from '../sample-policies.ts'

/** Has the mistake of one-short-on-large-machines, but only on machines larger than any that the suite tries. */
const policy: Policy = firstNodes({
  policy: { name: 'wrong-above-two-thousand-nodes' },
  place: placing((placement, topology, state, { nodes }) =>
    topology.nodes > 2000 && nodes === state.freeNodes ? refused('a node to spare') : placement,
  ),
})
export default policy
