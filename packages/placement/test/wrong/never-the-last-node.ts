import { firstNodes, placing, refused } from '../sample-policies.ts'

/** Counts to the number of nodes less one. */
export default firstNodes({
  policy: { name: 'never-the-last-node' },
  place: placing((placement, topology) =>
    Array.from(placement.nodes).includes(topology.nodes - 1) ? refused('free nodes') : placement,
  ),
})
