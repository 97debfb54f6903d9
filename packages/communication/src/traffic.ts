import type { Topology } from '@cloister/topology'
import { leafDistances } from './hop-bytes.ts'
import type { Pattern } from './pattern.ts'

/**
 * Messages between pairs of ranks: number of pairs over all steps (`pairs`), sum of the messages' sizes in units of the
 * pattern (`total`), and mean size of a pair in a step (`average`; 0 without pairs).
 */
export interface Communication {
  readonly pairs: number
  readonly total: number
  readonly average: number
}

/** Network traffic of a pattern. Messages between ranks of one node do not count. */
export interface Traffic {
  /** Sum over all messages of size times distance (Mangat and Malakar; Agarwal et al., IPDPS 2006). */
  readonly hopBytes: number
  /** Messages between nodes of different leaves. */
  readonly interSwitch: Communication
  /** Messages between nodes of one leaf. */
  readonly intraSwitch: Communication
}

/**
 * Returns the traffic of a job with a pattern.
 *
 * @param ranks node of each rank: the `ranks` of an allocation, or its nodes if the allocation has no `ranks`
 * @throws RangeError if the pattern is for another number of ranks than the job has
 */
export function trafficOf(topology: Topology, ranks: ArrayLike<number>, pattern: Pattern): Traffic {
  const { leafOfNode } = topology
  const distanceOf = leafDistances(topology)
  const all = new Sums()
  let step = new Sums()
  const pair = (first: number, second: number, size: number): void => {
    const nodeA = ranks[first]
    const nodeB = ranks[second]
    if (nodeA === nodeB) return
    step.add(leafOfNode[nodeA] === leafOfNode[nodeB], size, distanceOf(nodeA, nodeB))
  }
  pattern.forEachPair(ranks.length, pair, (times) => {
    all.addStep(step, times)
    step = new Sums()
  })
  return {
    hopBytes: all.hopBytes,
    interSwitch: communication(all.interPairs, all.inter),
    intraSwitch: communication(all.intraPairs, all.intra),
  }
}

class Sums {
  hopBytes = 0
  interPairs = 0
  inter = 0
  intraPairs = 0
  intra = 0

  add(isOnOneLeaf: boolean, size: number, far: number): void {
    this.hopBytes += size * far
    if (isOnOneLeaf) {
      this.intraPairs++
      this.intra += size
    } else {
      this.interPairs++
      this.inter += size
    }
  }

  addStep(step: Sums, times: number): void {
    this.hopBytes += times * step.hopBytes
    this.interPairs += times * step.interPairs
    this.inter += times * step.inter
    this.intraPairs += times * step.intraPairs
    this.intra += times * step.intra
  }
}

function communication(pairs: number, total: number): Communication {
  return { pairs, total, average: pairs === 0 ? 0 : total / pairs }
}
