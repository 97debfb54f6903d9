import { applyScenario, drawBandwidth, formatScenario, resampleWorkload, type Scenario } from '@cloister/workload'
import type { Claims } from '@cloister/placement'
import type { Workload } from '@cloister/workload'
import { withCommunication } from './communication.ts'
import { OptionError } from './errors.ts'
import { giveMatrices, type MatrixFile } from './matrices.ts'
import type { RunMeanings } from './spec.ts'

/** Workload with the assumed speed-up, bandwidth and communication of the jobs. */
export interface Assumed {
  /** Workload with the name of the trace, and with the checksum of the trace unless the workload is resampled. */
  readonly workload: Workload
  /** Canonical spelling of the applied scenario; `none` if the policy does not claim `speedupScenarios`. */
  readonly scenario: string
}

/**
 * Returns the workload after resampling, with the assumed speed-up, bandwidth and communication of the jobs. The
 * scenario applies only if the policy claims `speedupScenarios`.
 *
 * @throws OptionError if no job communicates although the communication `file`, the run times or the matrices need
 *   communicating jobs; if a run with matrices has other run times than fixed; if `giveMatrices` refuses the matrices
 */
export function assume(
  workload: Workload,
  { resample, scenario, bandwidth, communication, runTimes, seed }: RunMeanings,
  claims: Claims,
  matrices: ReadonlyArray<MatrixFile> | undefined,
): Assumed {
  const applied = claims.speedupScenarios ? scenario : ({ kind: 'none' } as const)
  const resampled = resample === undefined ? workload : resampleWorkload(workload, resample)
  const scaled = applyScenario(resampled.jobs, applied, seed)
  const drawn = bandwidth === 'classes' ? drawBandwidth(scaled, seed) : scaled
  const communicating = withCommunication(drawn, communication, seed)
  if (communication?.kind === 'file' && !communicating.some((job) => job.communication !== undefined))
    throw new OptionError({
      option: 'communication',
      reason: 'no job of the trace has a communication share; use a trace with shares, or JOBS%:PATTERN:TIME%',
    })
  if (runTimes !== 'fixed' && communication === undefined)
    throw new OptionError({
      option: 'runTimes',
      reason: `${runTimes}: no job communicates; set the option communication`,
    })
  if (matrices !== undefined) checkMatrices(communication, runTimes)
  const jobs = matrices === undefined ? communicating : giveMatrices(communicating, matrices)
  return { workload: { ...resampled, jobs }, scenario: formatScenario(applied) }
}

function checkMatrices(communication: RunMeanings['communication'], runTimes: RunMeanings['runTimes']): void {
  if (communication === undefined)
    throw new OptionError({ option: 'matrices', reason: 'no job communicates; set the option communication' })
  if (runTimes !== 'fixed')
    throw new OptionError({
      option: 'runTimes',
      reason: `found ${runTimes}, expected fixed: run times depend on patterns, and cannot be computed from matrices`,
    })
}

/** Returns true if the run draws the bandwidth, the communication or the speed-up of the jobs from its seed. */
export function drawsBySeed({ bandwidth, communication }: RunMeanings, scenario: Scenario): boolean {
  return (
    bandwidth === 'classes' ||
    communication?.kind === 'drawn' ||
    ['v1', 'v2', 'v2-by-class', 'random'].includes(scenario.kind)
  )
}
