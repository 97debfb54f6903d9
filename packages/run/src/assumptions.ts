import type { Header } from '@cloister/eventlog'
import type { Claims } from '@cloister/placement'
import {
  applyScenario,
  columnOf,
  drawBandwidth,
  formatScenario,
  type Jobs,
  mapJobs,
  resampleWorkload,
  type Scenario,
  type Workload,
} from '@cloister/workload'
import { giveMatrices, type MatrixFile, withCommunication } from './communication.ts'
import { OptionError } from './errors.ts'
import type { RunMeanings } from './spec.ts'

/**
 * Returns the workload after resampling, with the assumed speed-up, bandwidth and communication of the jobs. The
 * workload keeps its checksum unless it is resampled. `scenario` is the canonical spelling of the applied scenario:
 * `none` if the policy does not claim `speedupScenarios`.
 *
 * @throws OptionError if no job communicates although the communication `file`, the run times or the matrices need
 *   communicating jobs; if run times both depend on earlier runs and are not fixed; if a run with matrices has other run times than fixed; if `giveMatrices` refuses the matrices
 */
export function assume(
  workload: Workload,
  { resample, scenario, bandwidth, communication, runTimes, costsFrom, seed }: RunMeanings,
  claims: Pick<Claims, 'speedupScenarios'>,
  matrices: ReadonlyArray<MatrixFile> | undefined,
): { readonly workload: Workload; readonly scenario: string } {
  const applied = claims.speedupScenarios ? scenario : ({ kind: 'none' } as const)
  const resampled = resample === undefined ? workload : resampleWorkload(workload, resample)
  const scaled = applyScenario(resampled.jobs, applied, seed)
  const drawn = bandwidth === 'classes' ? drawBandwidth(scaled, seed) : scaled
  const communicating = withCommunication(drawn, communication, seed)
  if (communication?.kind === 'file' && !communicates(communicating))
    throw new OptionError({
      option: 'communication',
      reason: 'no job of the trace has a communication share; use a trace with shares, or JOBS%:PATTERN:TIME%',
    })
  if (runTimes !== 'fixed' && communication === undefined)
    throw new OptionError({
      option: 'runTimes',
      reason: `${runTimes}: no job communicates; set the option communication`,
    })
  if (costsFrom !== 'none' && (communication === undefined || runTimes !== 'fixed'))
    throw new OptionError({
      option: 'costsFrom',
      reason:
        communication === undefined
          ? 'no job communicates; set the option communication'
          : `found runTimes ${runTimes}, expected fixed: costs in earlier runs scale fixed run times`,
    })
  if (matrices !== undefined && communication === undefined)
    throw new OptionError({ option: 'matrices', reason: 'no job communicates; set the option communication' })
  if (matrices !== undefined && runTimes !== 'fixed')
    throw new OptionError({
      option: 'runTimes',
      reason: `found ${runTimes}, expected fixed: these run times depend on patterns; costsFrom takes costs from matrices`,
    })
  const jobs = matrices === undefined ? communicating : giveMatrices(communicating, matrices)
  return { workload: { ...resampled, jobs }, scenario: formatScenario(applied) }
}

function communicates(jobs: Jobs): boolean {
  for (const { communication } of jobs) if (communication !== undefined) return true
  return false
}

/** Returns true if the run draws the bandwidth, the communication or the speed-up of the jobs from its seed. */
export function drawsBySeed({ bandwidth, communication }: RunMeanings, scenario: Scenario): boolean {
  return (
    bandwidth === 'classes' ||
    communication?.kind === 'drawn' ||
    ['v1', 'v2', 'v2-by-class', 'random'].includes(scenario.kind)
  )
}

/** Member `overruns` of a log's header: jobs that outlive their walltimes, and node-times in whole seconds. */
type Overruns = NonNullable<Header['overruns']>

/**
 * Counts the jobs with a run time above their walltime, and sums their node-time beyond the walltimes. The counts use
 * the run times before the run; slowdowns during the run do not count.
 */
export function countOverruns({ jobs }: Workload, choice: RunMeanings['overrun']): Overruns {
  const beyond = columnOf(jobs, ({ runTime, walltime = runTime }) => Math.max(0, runTime - walltime))
  const sizes = columnOf(jobs, ({ size }) => size)
  return {
    jobs: beyond.filter((time) => time > 0).length,
    node_seconds: wholeSeconds(beyond.map((time, job) => sizes[job] * time)),
    of_node_seconds: wholeSeconds(columnOf(jobs, ({ size, runTime }) => size * runTime)),
    ...(choice === 'run-on' && {
      longest_seconds: wholeSeconds([beyond.reduce((most, time) => Math.max(most, time), 0)]),
    }),
  }
}

/** Share of all node-time that can decide which policy looks best. */
const DECIDING_SHARE = 0.01

/** Returns the node-time beyond the walltimes as a share of all node-time, from 0; 0 if there is no node-time. */
export function shareOfNodeTime({ node_seconds: beyond, of_node_seconds: all }: Overruns): number {
  return all === 0 ? 0 : beyond / all
}

/** Returns true if all or single jobs that outlive their walltimes can decide a comparison of policies. */
export function decidesResults(overruns: Overruns, nodes: number): boolean {
  return shareOfNodeTime(overruns) >= DECIDING_SHARE || holdsUpOthers(overruns, nodes)
}

/**
 * Returns true if a single job that runs on can hold up the whole machine for a hundredth of all node-time. The end of
 * the job always seems near, so no job may pass a head that waits for the job's nodes.
 */
export function holdsUpOthers(
  { longest_seconds: longest = 0, of_node_seconds: all }: Overruns,
  nodes: number,
): boolean {
  return longest > 0 && longest * nodes >= DECIDING_SHARE * all
}

/** Returns the workload with cut run times (clamp) or raised walltimes (extend). kill and run-on change nothing. */
export function withOverruns(workload: Workload, choice: RunMeanings['overrun']): Workload {
  if (choice === 'kill' || choice === 'run-on') return workload
  const jobs = mapJobs(workload.jobs, (job) => {
    if (job.walltime === undefined || job.runTime <= job.walltime) return job
    return choice === 'clamp' ? { ...job, runTime: job.walltime } : { ...job, walltime: job.runTime }
  })
  return { ...workload, jobs }
}

function wholeSeconds(milliseconds: ReadonlyArray<number> | Float64Array): number {
  let seconds = 0
  for (const each of milliseconds) seconds += each / 1000
  return Math.round(seconds)
}
