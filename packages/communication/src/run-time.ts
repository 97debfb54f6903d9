import { communicationCost, type CommunicatingOnLeaf, type CostMeasure } from './cost.ts'
import { hopBytes } from './hop-bytes.ts'
import { patternParts } from './patterns.ts'
import type { CommunicationMatrix } from '@cloister/placement'
import type { Topology } from '@cloister/topology'

/** Communication of a job: a pattern by name, the share in its run time in 1/1000, and instead of a pattern a matrix. */
export interface JobCommunication {
  readonly pattern: string
  readonly share: number
  readonly matrix?: CommunicationMatrix | undefined
}

/**
 * Returns the communication costs of a job, one for each pattern of a mixture. A job with a matrix has one cost, its
 * hop-bytes.
 *
 * @param others number of nodes of a leaf with communicating jobs except this job
 * @param ranks node of each rank of the job
 * @throws RangeError if the pattern is unknown
 */
export function jobCosts(
  topology: Topology,
  others: CommunicatingOnLeaf,
  { pattern: name, matrix }: Pick<JobCommunication, 'pattern' | 'matrix'>,
  ranks: ArrayLike<number>,
  measure: CostMeasure = 'effective',
): ReadonlyArray<number> {
  if (matrix !== undefined) {
    const { plain, effective } = hopBytes(topology, others, ranks, matrix.bytes)
    return [measure === 'plain' ? plain : effective]
  }
  return partsOf(name).map(({ pattern }) => communicationCost(topology, others, ranks, pattern, measure))
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
 * Returns the run time of a job, in whole ms, at costs other than the default costs (Mishra et al., equation 7). For a
 * mixture, each part of the communication time changes with the cost of its own pattern.
 *
 * @param runTime run time at `defaultCosts`, integer milliseconds
 * @param costs result of `jobCosts` on the job's nodes; `defaultCosts`: on the nodes of a default placement
 * @throws RangeError if the pattern is unknown
 */
export function scaledRunTime(
  runTime: number,
  { pattern, share, matrix }: JobCommunication,
  costs: ReadonlyArray<number>,
  defaultCosts: ReadonlyArray<number>,
): number {
  const weights = matrix === undefined ? partsOf(pattern).map(({ weight }) => weight) : [1]
  const whole = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.reduce(
    (time, weight, at) =>
      time + adjustedRunTime(runTime, (share * weight) / whole, costs[at], defaultCosts[at]) - runTime,
    runTime,
  )
}

/**
 * Returns the run time of a job on the nodes `ranks`, in whole ms, from its run time on a default placement in the same
 * state.
 *
 * @param others number of nodes of a leaf with communicating jobs except this job
 * @param runTime run time on `defaultRanks`, integer milliseconds
 * @throws RangeError if the pattern is unknown
 */
export function runTimeOn(
  topology: Topology,
  others: CommunicatingOnLeaf,
  runTime: number,
  communication: JobCommunication,
  ranks: ArrayLike<number>,
  defaultRanks: ArrayLike<number>,
  measure?: CostMeasure,
): number {
  const costsOn = (order: ArrayLike<number>): ReadonlyArray<number> =>
    jobCosts(topology, others, communication, order, measure)
  return scaledRunTime(runTime, communication, costsOn(ranks), costsOn(defaultRanks))
}

function partsOf(name: string): NonNullable<ReturnType<typeof patternParts>> {
  const parts = patternParts(name)
  if (parts === undefined) throw new PatternError(name)
  return parts
}

/** Error for an unknown communication pattern, for example from an untrusted log. */
class PatternError extends RangeError {
  readonly _tag = 'PatternError' as const
  override readonly name: string = 'PatternError'

  constructor(pattern: string) {
    super(`the communication pattern ${JSON.stringify(pattern)} is unknown`)
  }
}
