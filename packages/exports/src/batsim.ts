import { headerTopology, type LogRecord, secondsBetween } from '@cloister/eventlog'
import { idsetSize } from '@cloister/topology'
import { type JobRun, jobRuns } from './job-runs.ts'
import { csvValue } from './tables/text-files.ts'

const JOB_COLUMNS = [
  'job_id',
  'workload_name',
  'profile',
  'submission_time',
  'requested_number_of_resources',
  'requested_time',
  'success',
  'final_state',
  'starting_time',
  'execution_time',
  'finish_time',
  'waiting_time',
  'turnaround_time',
  'stretch',
  'allocated_resources',
  'consumed_energy',
  'metadata',
] as const

/**
 * Yields Batsim's jobs.csv for evalys: a line for each job that finished, failed, was killed or was rejected. Lines are
 * in order of the end of the job; a rejected job counts as ended at its submit. Times are in seconds. A requeued job
 * has the line of its last run. A field without a value is -1, such as the estimate of a job without estimate, and the
 * consumed energy; the allocation of a rejected job is empty.
 */
export function* batsimJobs(records: Iterable<LogRecord>): Generator<string, void> {
  const { header, jobs } = jobRuns(records)
  yield `${JOB_COLUMNS.join(',')}\n`
  const ended = jobs.filter(({ outcome }) => finalStates[outcome] !== undefined)
  ended.sort((a, b) => (a.end ?? a.submit.t) - (b.end ?? b.submit.t) || a.submit.seq - b.submit.seq)
  for (const job of ended) yield `${jobValues(job, header.workload.name).map(csvValue).join(',')}\n`
}

/** Batsim's names for the outcomes of jobs. A job with another outcome has no line in jobs.csv. */
const finalStates: Readonly<Partial<Record<JobRun['outcome'], string>>> = {
  finished: 'COMPLETED_SUCCESSFULLY',
  failed: 'COMPLETED_FAILED',
  killed: 'COMPLETED_KILLED',
  rejected: 'REJECTED',
}

function jobValues(
  { submit, outcome, killCode, allocate, end }: JobRun,
  workload: string,
): ReadonlyArray<string | number> {
  const state = killCode === 'estimate' ? 'COMPLETED_WALLTIME_REACHED' : finalStates[outcome]!
  const before = [
    submit.job,
    workload,
    submit.name ?? submit.job,
    submit.t,
    submit.size,
    submit.estimate ?? -1,
    outcome === 'finished' ? 1 : 0,
    state,
  ]
  if (allocate === undefined || end === undefined) return [...before, -1, -1, -1, -1, -1, -1, '', -1, '']
  const { waiting, execution, turnaround, stretch } = times(submit.t, allocate.t, end)
  return [
    ...before,
    allocate.t,
    execution,
    end,
    waiting,
    turnaround,
    stretch,
    allocate.nodes.replaceAll(',', ' '),
    -1,
    '',
  ]
}

/** Returns the times of a run in seconds. `stretch`: turnaround over execution time, which counts as at least 1 ms. */
function times(
  submitted: number,
  started: number,
  ended: number,
): { readonly waiting: number; readonly execution: number; readonly turnaround: number; readonly stretch: number } {
  const execution = secondsBetween(started, ended)
  const turnaround = secondsBetween(submitted, ended)
  return {
    waiting: secondsBetween(submitted, started),
    execution,
    turnaround,
    stretch: turnaround / Math.max(execution, 0.001),
  }
}

/**
 * Yields Batsim's schedule.csv: a line of column names, and a line of totals over all jobs of the log. If the log holds
 * a part of a run, the makespan is -1. Times are in seconds, `time_computing` and `time_idle` in node-seconds.
 */
export function* batsimSchedule(records: Iterable<LogRecord>): Generator<string, void> {
  const { header, jobs, t } = jobRuns(records)
  const { nodes } = headerTopology(header)
  const runs = jobs.flatMap(({ submit, outcome, allocate, end }) =>
    finalStates[outcome] === undefined || allocate === undefined || end === undefined
      ? []
      : [{ ...times(submit.t, allocate.t, end), end, nodes: idsetSize(allocate.nodes) }],
  )
  const latest = runs.reduce((last, { end }) => Math.max(last, end), 0)
  const [length, computing] =
    header.part === undefined
      ? [latest, runs.reduce((sum, run) => sum + Math.round(run.execution * 1000) * run.nodes, 0) / 1000]
      : [Math.max(0, secondsBetween(header.part.from, t)), computingIn(jobs, header.part.from, t)]
  const having = (...outcomes: ReadonlyArray<JobRun['outcome']>): number =>
    jobs.filter(({ outcome }) => outcomes.includes(outcome)).length
  const [finished, success] = [having('finished', 'failed', 'killed'), having('finished')]
  const values = {
    makespan: header.part === undefined ? length : -1,
    nb_computing_machines: nodes,
    nb_jobs: jobs.length,
    nb_jobs_finished: finished,
    nb_jobs_success: success,
    nb_jobs_killed: having('killed'),
    nb_jobs_rejected: having('rejected'),
    success_rate: finished === 0 ? 0 : success / finished,
    max_waiting_time: most(runs, 'waiting'),
    mean_waiting_time: mean(runs, 'waiting'),
    max_turnaround_time: most(runs, 'turnaround'),
    mean_turnaround_time: mean(runs, 'turnaround'),
    max_slowdown: most(runs, 'stretch'),
    mean_slowdown: mean(runs, 'stretch'),
    time_computing: computing,
    time_idle: (Math.round(length * 1000) * nodes) / 1000 - computing,
  }
  yield `${Object.keys(values).join(',')}\n${Object.values(values).join(',')}\n`
}

/** Returns the node-seconds of the last runs of all jobs between the times `from` and `until`, in seconds. */
function computingIn(jobs: ReadonlyArray<JobRun>, from: number, until: number): number {
  const milliseconds = jobs.reduce((sum, { allocate, end }) => {
    if (allocate === undefined) return sum
    const ran = Math.max(0, secondsBetween(Math.max(from, allocate.t), Math.min(until, end ?? until)))
    return sum + Math.round(ran * 1000) * idsetSize(allocate.nodes)
  }, 0)
  return milliseconds / 1000
}

type Run = ReturnType<typeof times>

function most(runs: ReadonlyArray<Run>, field: keyof Run): number {
  return runs.reduce((highest, run) => Math.max(highest, run[field]), 0)
}

function mean(runs: ReadonlyArray<Run>, field: keyof Run): number {
  return runs.length === 0 ? 0 : runs.reduce((sum, run) => sum + run[field], 0) / runs.length
}
