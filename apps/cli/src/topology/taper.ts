import type { Claims } from '@cloister/placement'
import { type Taper, tapersOf, type Topology } from '@cloister/topology'

/** Describes levels with fewer links up than down: `12 nodes over 6 uplinks of a leaf`, undefined for a full tree. */
export function describeTaper(topology: Topology): string | undefined {
  const tapered = tapersOf(topology).flatMap((taper, level) =>
    taper.down > taper.up ? [describeSwitch(taper, level)] : [],
  )
  return tapered.length === 0 ? undefined : tapered.join(', ')
}

function describeSwitch({ down, up }: Taper, level: number): string {
  const uplinks = up === 1 ? '1 uplink' : `${up} uplinks`
  return level === 0
    ? `${down} nodes over ${uplinks} of a leaf`
    : `${down} links over ${uplinks} of an ${levelName(level)} switch`
}

/** Returns the links down for each link up of a switch: `2:1`, `1.33:1`, or `none` for a switch without links up. */
export function taperText({ down, up }: Taper): string {
  return up === 0 ? 'none' : `${Number((down / up).toFixed(2))}:1`
}

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

/** Returns the name of a level of switches, from 0: `leaf`, `L2`, `spine`, `L4`. */
export function levelName(level: number): string {
  return ['leaf', 'L2', 'spine'][level] ?? `L${level + 1}`
}
