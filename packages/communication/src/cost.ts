import type { Topology } from '@cloister/topology'
import { type CommunicatingOnLeaf, effectiveHops } from './effective-hops.ts'
import type { Pattern } from './pattern.ts'
import { patternParts } from './patterns.ts'

/**
 * What communication costs a job: the sum over the steps of its pattern of the most effective hops between any two ranks that then
 * communicate (Mishra et al., equation 6). 0 for a rank alone.
 *
 * @param others nodes of a leaf that run other jobs that communicate; the job's own are added (Figure 5)
 * @param ranks node of each rank: an allocation's `ranks`, else its nodes
 * @throws RangeError where the pattern is not one of as many ranks
 */
export function communicationCost(
  topology: Topology,
  others: CommunicatingOnLeaf,
  ranks: ArrayLike<number>,
  pattern: Pattern,
): number {
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

/**
 * The run time of a job on some ranks, against where it would be put by default in the same state (equation 7): of a mixture each part
 * of the time changes with the cost of its own pattern. Whole milliseconds.
 *
 * @param others as for `communicationCost`
 * @param runTime on `defaultRanks`, integer milliseconds
 * @param communication `share` of the run time, in 1/1000
 * @throws RangeError where the pattern is not known
 */
export function runTimeOn(
  topology: Topology,
  others: CommunicatingOnLeaf,
  runTime: number,
  communication: { readonly pattern: string; readonly share: number },
  ranks: ArrayLike<number>,
  defaultRanks: ArrayLike<number>,
): number {
  const parts = patternParts(communication.pattern)
  if (parts === undefined) throw new PatternError(communication.pattern)
  const whole = parts.reduce((sum, { weight }) => sum + weight, 0)
  let change = 0
  for (const { pattern, weight } of parts) {
    const share = (communication.share * weight) / whole
    change +=
      adjustedRunTime(
        runTime,
        share,
        communicationCost(topology, others, ranks, pattern),
        communicationCost(topology, others, defaultRanks, pattern),
      ) - runTime
  }
  return runTime + change
}

/** A job communicates in a way of which nothing is known: its log may be a stranger's. */
class PatternError extends RangeError {
  readonly _tag = 'PatternError' as const
  override readonly name: string = 'PatternError'

  constructor(pattern: string) {
    super(`no pattern is known as ${JSON.stringify(pattern)}`)
  }
}
