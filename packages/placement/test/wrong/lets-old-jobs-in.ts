import { firstNodes, placing, refused, type Policy } from '../sample-policies.ts'

/** Keeps the last quarter of the machine for jobs that have waited 5 s, but lets the scheduler remember refusals of younger jobs. */
const policy: Policy = firstNodes({
  policy: { name: 'lets-old-jobs-in' },
  claims: { complete: false },
  place: placing((placement, topology, state, { now, submitted, nodes }) =>
    now - submitted < 5000 && state.freeNodes - nodes < topology.nodes / 4 ? refused('waiting time') : placement,
  ),
})
export default policy
