import type { Topology } from '@cloister/topology'
import { type CommunicatingOnLeaf, effectiveHops } from './effective-hops.ts'
import type { Pattern } from './pattern.ts'

/**
 * What communication costs a job: the sum over the steps of its pattern of the most effective hops between any two ranks that then
 * communicate (Mishra et al., equation 6). 0 for a rank alone.
 *
 * @param others nodes of a leaf that run other jobs that communicate; the job's own are added (Figure 5)
 * @param ranks node of each rank: an allocation's `ranks`, else its nodes
 * @throws RangeError where the pattern is not one of as many ranks
 */
export function communicationCost(topology: Topology, others: CommunicatingOnLeaf, ranks: ArrayLike<number>, pattern: Pattern): number {
  const hops = effectiveHops(topology, others, ranks)
  let cost = 0
  let most = 0
  const pair = (first: number, second: number): void => {
    most = Math.max(most, hops(ranks[first], ranks[second]))
  }
  pattern.forEachPair(ranks.length, pair, (times) => {
    cost += times * most
    most = 0
  })
  return cost
}

/**
 * The run time of a job where communication costs it something else: its share of communication changes with the cost, the rest stays
 * (equation 7). Whole milliseconds; the run time itself where communication costs nothing.
 *
 * @param runTime with `defaultCost`, integer milliseconds
 * @param share of communication in it, in 1/1000
 */
export function adjustedRunTime(runTime: number, share: number, cost: number, defaultCost: number): number {
  if (cost === defaultCost || defaultCost === 0) return runTime
  return Math.round((runTime * (1000 - share) + runTime * share * (cost / defaultCost)) / 1000)
}
