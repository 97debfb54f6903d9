import { wholeShape } from './absent-parts.ts'
import type { PgftShape, Topology } from './topology.ts'

/** Ratio of two positive integers in lowest terms: numerator, denominator. */
export type Ratio = readonly [number, number]

/**
 * Largest numbers of flows on a link that a job with its share of a tapered tree needs, each as an exact ratio. One flow
 * is the rate of one node.
 */
export interface Share {
  /** Flows on an uplink of a leaf: the taper of the leaves, or 1 if the leaves are not tapered. */
  readonly uplink: Ratio
  /** Flows on an uplink of an L2 switch: the taper of the L2 switches (or 1) multiplied by `uplink`. */
  readonly spine: Ratio
}

/**
 * Returns the share of a tapered tree: a job on the whole machine loads some link at least so far under any routing.
 * Absent parts do not count: the share is the share of the whole tree. Returns undefined for a tree without taper, for a
 * tree of more than three levels, and for an irregular graph.
 *
 * @example shareOf(parseTopology('pgft:3;4,4,4;1,2,3;1,1,1')) // { uplink: [2, 1], spine: [8, 3] }
 */
export function shareOf(topology: Topology): Share | undefined {
  const shape = wholeShape(topology)
  if (shape === undefined || shape.m.length > 3) return undefined
  const [leaf, l2] = [taper(shape, 0), taper(shape, 1)]
  if (leaf.down === leaf.up && l2.down === l2.up) return undefined
  return { uplink: ratio(leaf.down, leaf.up), spine: ratio(leaf.down * l2.down, leaf.up * l2.up) }
}

/** Returns the links down and up of a switch, but at least as many down as up; 1 and 1 at the top and above. */
function taper({ m, w, p }: PgftShape, level: number): { readonly down: number; readonly up: number } {
  if (level + 1 >= m.length) return { down: 1, up: 1 }
  const up = w[level + 1] * p[level + 1]
  return { down: Math.max(m[level] * p[level], up), up }
}

function ratio(over: number, under: number): Ratio {
  const divisor = commonDivisor(over, under)
  return [over / divisor, under / divisor]
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b)
}
