import type { Topology } from '@cloister/topology'
import { firstTwoLeaves, type Policy, toSameL2 } from '../sample-policies.ts'

/** Owns one uplink fewer than full bandwidth needs if a leaf has four nodes for each uplink. */
const policy: Policy = {
  ...firstTwoLeaves(toSameL2),
  name: 'one-uplink-short-at-a-taper-of-four',
  make(topology: Topology, config: unknown) {
    const { firstNodeOfLeaf, levels } = topology
    const short = firstNodeOfLeaf[1] === 4 * levels[0].firstPort[1] ? 1 : 0
    const placer = firstTwoLeaves((ports, _, others) => ports.slice(0, Math.max(1, others - short))).make(
      topology,
      config,
    )
    return 'unsupported' in placer ? placer : { ...placer, claims: { ...placer.claims, complete: false } }
  },
}
export default policy
