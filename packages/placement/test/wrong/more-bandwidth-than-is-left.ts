import { allLinks, firstFree, refused, sharedMachine, type Policy } from '../sample-policies.ts'

/** Tests the number of free nodes, but never the bandwidth left on links. */
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
