import type { Claims } from '@cloister/placement'
import { describeTaper, type Topology } from '@cloister/topology'

/** Returns a remark on a policy (`name`) that claims full bandwidth on a tapered tree, else undefined. */
export function bandwidthRemark(
  name: string,
  { fullBandwidth }: Pick<Claims, 'fullBandwidth'>,
  topology: Topology,
): string | undefined {
  const taper = fullBandwidth ? describeTaper(topology) : undefined
  if (taper === undefined) return undefined
  return `${name} claims full bandwidth and needs the links of a full tree for each job, but ${topology.name} is tapered (${taper}). Nodes without an uplink stay idle, and the utilization is not comparable with policies without this claim`
}
