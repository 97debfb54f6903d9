import type { Claims } from '@cloister/placement'
import { describeTaper, pgft, type Ratio, type Share, type Topology } from '@cloister/topology'

/** Returns a remark on a policy (`name`) that claims full bandwidth on a tapered whole tree, else undefined. */
export function bandwidthRemark(
  name: string,
  { fullBandwidth }: Pick<Claims, 'fullBandwidth'>,
  topology: Topology,
): string | undefined {
  const whole = topology.envelope === undefined ? topology : pgft(topology.envelope.shape)
  const taper = fullBandwidth ? describeTaper(whole) : undefined
  if (taper === undefined) return undefined
  return `${name} claims full bandwidth and needs the links of a full tree for each job, but ${whole.name} is tapered (${taper}). Nodes without an uplink stay idle, and the utilization is not comparable with policies without this claim`
}

/**
 * Returns a remark on a policy (`name`) that claims share bandwidth. With a scenario, the remark names the claim that
 * the speed-ups assume.
 */
export function shareRemark(name: string, share: Share, scenario?: string): string {
  const claim = `${name} claims share bandwidth: ${describeShare(share)}, for every permutation of a job's nodes. A job has its share of a busy machine, not the bandwidth of a full tree`
  if (scenario === undefined || scenario === 'none') return claim
  return `${claim}. The speed-ups of the scenario ${scenario} assume only that no other job uses the links of a job, and compare a job with its own run time on this tapered tree`
}

/** Describes the loads of a claim of share bandwidth: `2 flows an uplink, 8/3 flows a spine link`. */
export function describeShare({ uplink, spine }: Share): string {
  return `${flows(uplink)} an uplink, ${flows(spine)} a spine link`
}

function flows([over, under]: Ratio): string {
  const number = under === 1 ? `${over}` : `${over}/${under}`
  return `${number} ${over === under ? 'flow' : 'flows'}`
}
