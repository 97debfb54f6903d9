import { allLinks, firstFree, refused, sharedMachine, type Policy } from '../sample-policies.ts'

/** Counts the nodes that are free, and never the bandwidth. */
const policy: Policy = sharedMachine({
  policy: { name: 'more-bandwidth-than-is-left' },
  place:
    () =>
    (topology, state, { nodes, bandwidth = 1 }) =>
      nodes > state.freeNodes
        ? refused('free nodes')
        : { ok: true, nodes: firstFree(topology, state, nodes), links: allLinks(topology), bandwidth },
})
export default policy
