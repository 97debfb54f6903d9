/**
 * Equation 1, how much a leaf's nodes communicate and how few are free: L_comm / L_busy + L_busy / L_nodes. 0 on an empty leaf.
 *
 * It is divided once, not twice, so that equal ratios are equal numbers: then ids decide, never rounding.
 */
export function communicationRatio(communicating: number, busy: number, nodes: number): number {
  return busy === 0 ? 0 : (communicating * nodes + busy * busy) / (busy * nodes)
}
