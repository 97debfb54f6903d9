import { firstNodes, placing, refused, type Policy } from '../sample-policies.ts'

/** Never uses the last node of the machine. */
const policy: Policy = firstNodes({
  policy: { name: 'never-the-last-node' },
  place: placing((placement, topology) =>
    Array.from(placement.nodes).includes(topology.nodes - 1) ? refused('free nodes') : placement,
  ),
})
export default policy
