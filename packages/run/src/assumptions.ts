import { applyScenario, drawBandwidth, formatScenario, resampleWorkload, type Scenario } from '@cloister/workload'
import type { Claims } from '@cloister/placement'
import type { Workload } from '@cloister/workload'
import { withCommunication } from './communication.ts'
import { OptionError } from './errors.ts'
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
 * @throws OptionError where jobs shall communicate of which the trace does not say that they do
 */
export function assume(
  workload: Workload,
  { resample, scenario, bandwidth, communication, runTimes, seed }: RunMeanings,
  claims: Claims,
): Assumed {
  const applied = claims.speedupScenarios ? scenario : ({ kind: 'none' } as const)
  const resampled = resample === undefined ? workload : resampleWorkload(workload, resample)
  const scaled = applyScenario(resampled.jobs, applied, seed)
  const drawn = bandwidth === 'classes' ? drawBandwidth(scaled, seed) : scaled
  const jobs = withCommunication(drawn, communication, seed)
  if (communication?.kind === 'file' && !jobs.some((job) => job.communication !== undefined))
    throw new OptionError({ option: 'communication', reason: 'the trace says of no job that it communicates' })
  if (runTimes !== 'fixed' && communication === undefined)
    throw new OptionError({
      option: 'runTimes',
      reason: `${runTimes}: no job communicates; the option communication says which do`,
    })
  return { workload: { ...resampled, jobs }, scenario: formatScenario(applied) }
}

/** Whether anything in the run follows from its seed. */
export function drawsBySeed({ bandwidth, communication }: RunMeanings, scenario: Scenario): boolean {
  return bandwidth === 'classes' || communication?.kind === 'drawn' || ['v1', 'v2', 'random'].includes(scenario.kind)
}
