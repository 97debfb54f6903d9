/**
 * Numbers of links that a partition needs for its nodes. With full bandwidth, each node of a leaf needs an uplink, and
 * each uplink needs a spine link. With a share of a tapered tree, `down` nodes (or cables) share `up` links: `n` nodes
 * need ⌈n · up / down⌉ uplinks. The ratio stays exact, because a rounded taper would give a job less than its share.
 */
export interface LinkNeeds {
  /** Number of uplinks of a leaf that n nodes need, at `[n]`; n is at most the number of nodes of a leaf. */
  readonly uplinksFor: Int32Array
  /** Largest number of nodes for which u uplinks suffice, at `[u]`; may exceed the nodes of a leaf. */
  readonly nodesFor: Int32Array
  /** Number of uplinks of an L2 switch that k cables from leaves need, at `[k]`. */
  readonly spinesFor: Int32Array
  /** Largest number of cables from leaves for which s uplinks of an L2 switch suffice, at `[s]`. */
  readonly cablesFor: Int32Array
}

/** Numbers of links down and up of a switch. */
interface Ports {
  readonly down: number
  readonly up: number
}

/** Returns the numbers of links for full bandwidth, or for the share of a tapered tree if `isShare`. */
export function linkNeeds(leaf: Ports, l2: Ports, isShare: boolean): LinkNeeds {
  const [uplinksFor, nodesFor] = needsOf(leaf, isShare)
  const [spinesFor, cablesFor] = needsOf(l2, isShare)
  return { uplinksFor, nodesFor, spinesFor, cablesFor }
}

function needsOf({ down, up }: Ports, isShare: boolean): readonly [Int32Array, Int32Array] {
  const [over, under] = isShare && down > up && up > 0 ? [down, up] : [1, 1]
  return [
    Int32Array.from({ length: down + 1 }, (_, below) => Math.ceil((below * under) / over)),
    Int32Array.from({ length: up + 1 }, (_, above) => Math.floor((above * over) / under)),
  ]
}
