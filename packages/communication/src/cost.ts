import type { Topology } from '@cloister/topology'
import { type CommunicatingOnLeaf, effectiveHops } from './effective-hops.ts'
import type { Pattern } from './pattern.ts'
import { patternParts } from './patterns.ts'

/**
 * Returns the communication cost of a job: the largest number of effective hops between two communicating ranks of a
 * step, summed over the steps of its pattern (Mishra et al., equation 6). 0 for a single rank.
 *
 * @param others number of nodes of a leaf with communicating jobs except this job; the function adds this job's nodes
 * @param ranks node of each rank: the `ranks` of an allocation, or its nodes if the allocation has no `ranks`
 * @throws RangeError if the pattern is for another number of ranks than the job has
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
 * Returns the run time of a job, in whole ms, at a communication cost other than the default cost (Mishra et al.,
 * equation 7). Only the share of communication in the run time changes, in proportion to the cost. If the default cost
 * is 0, the run time does not change.
 *
 * @param runTime run time at `defaultCost`, integer milliseconds
 * @param share share of communication in the run time, in 1/1000
 */
export function adjustedRunTime(runTime: number, share: number, cost: number, defaultCost: number): number {
  if (cost === defaultCost || defaultCost === 0) return runTime
  return Math.round((runTime * (1000 - share) + runTime * share * (cost / defaultCost)) / 1000)
}

/**
 * Returns the run time of a job on the nodes `ranks`, in whole ms, from its run time on a default placement in the same
 * state (Mishra et al., equation 7). For a mixture, each part of the communication time changes with its own pattern's
 * cost.
 *
 * @param others number of nodes of a leaf with communicating jobs except this job
 * @param runTime run time on `defaultRanks`, integer milliseconds
 * @param communication `pattern` by name, and `share` of communication in the run time, in 1/1000
 * @throws RangeError if the pattern is unknown
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

/** Error for an unknown communication pattern, for example from an untrusted log. */
class PatternError extends RangeError {
  readonly _tag = 'PatternError' as const
  override readonly name: string = 'PatternError'

  constructor(pattern: string) {
    super(`the communication pattern ${JSON.stringify(pattern)} is unknown`)
  }
}
