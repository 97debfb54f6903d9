import { applyScenario, drawBandwidth, formatScenario, resampleWorkload, type Scenario } from '@cloister/workload'
import type { Claims } from '@cloister/placement'
import type { Workload } from '@cloister/workload'
import { withCommunication } from './communication.ts'
import { OptionError } from './errors.ts'
import { giveMatrices, type MatrixFile } from './matrices.ts'
import type { RunMeanings } from './spec.ts'

/** A workload with what is assumed of its jobs. */
export interface Assumed {
  /** It keeps its name, and its checksum unless it is resampled. */
  readonly workload: Workload
  /** Canonical spelling of the scenario in which the jobs run; `none` where the policy claims no speed-up. */
  readonly scenario: string
}

/**
 * The jobs as they run under a policy with these claims: their speed-up, their bandwidth, their communication.
 *
 * @param matrices by which jobs communicate, as `giveMatrices` has it; undefined where none are given
 * @throws OptionError where jobs shall communicate of which the trace does not say that they do
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
    throw new OptionError({ option: 'communication', reason: 'the trace says of no job that it communicates' })
  if (runTimes !== 'fixed' && communication === undefined)
    throw new OptionError({
      option: 'runTimes',
      reason: `${runTimes}: no job communicates; the option communication says which do`,
    })
  if (matrices !== undefined) checkMatrices(communication, runTimes)
  const jobs = matrices === undefined ? communicating : giveMatrices(communicating, matrices)
  return { workload: { ...resampled, jobs }, scenario: formatScenario(applied) }
}

function checkMatrices(communication: RunMeanings['communication'], runTimes: RunMeanings['runTimes']): void {
  if (communication === undefined)
    throw new OptionError({ option: 'matrices', reason: 'no job communicates; the option communication says which do' })
  if (runTimes !== 'fixed')
    throw new OptionError({
      option: 'runTimes',
      reason: `found ${runTimes}, expected fixed: how long jobs take elsewhere follows from patterns, and from no matrix`,
    })
}

/** Whether anything in the run follows from its seed. */
export function drawsBySeed({ bandwidth, communication }: RunMeanings, scenario: Scenario): boolean {
  return (
    bandwidth === 'classes' ||
    communication?.kind === 'drawn' ||
    ['v1', 'v2', 'v2-by-class', 'random'].includes(scenario.kind)
  )
}
