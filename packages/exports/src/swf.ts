import { headerTopology, type LogRecord, secondsBetween } from '@cloister/eventlog'
import { parseIdset } from '@cloister/topology'
import { type JobRun, jobRuns } from './job-runs.ts'

/**
 * Yields the jobs of a log in the Standard Workload Format, version 2.2, in submit order, with the waits in the log
 * (field 3). A processor of the file is a node of the log. Times are rounded down to whole seconds; a note in the file
 * counts the jobs with rounded times. If a job id is no number, all ids become places in submit order, from 1.
 */
export function* swfOfLog(records: Iterable<LogRecord>): Generator<string, void> {
  const { header, jobs } = jobRuns(records)
  const { nodes } = headerTopology(header)
  const numbered = jobs.every(({ submit: { job } }) => /^[1-9]\d{0,14}$/.test(job))
  const rounded = jobs.filter(({ submit, allocate, end }) =>
    [submit.t, allocate?.t ?? 0, end ?? 0].some((time) => !Number.isInteger(time)),
  ).length
  const directives = [
    ['Version', '2.2'],
    ['Computer', header.topology.name],
    ['MaxJobs', jobs.length],
    ['MaxRecords', jobs.length],
    ...(header.epoch === undefined ? [] : [['UnixStartTime', Math.floor(header.epoch)] as const]),
    ['MaxNodes', nodes],
    ['MaxProcs', nodes],
    ['Note', `${header.workload.name} as ${header.policy.name} ${header.policy.version} scheduled it`],
    ...(header.part === undefined
      ? []
      : [['Note', `a part of a run, from ${header.part.from} s to ${header.part.until} s`] as const]),
    ...(numbered
      ? []
      : [['Note', 'job numbers are places in the log, because some job ids of the log are no numbers'] as const]),
    ...(rounded === 0 ? [] : [['Note', `times of ${rounded} jobs were rounded down to whole seconds`] as const]),
  ] as const
  for (const [name, value] of directives) yield `; ${name}: ${printable(String(value))}\n`
  let place = 0
  for (const job of jobs) yield `${values(job, numbered ? job.submit.job : String(++place)).join(' ')}\n`
}

/** Status of SWF for each outcome of a job: 0 failed or killed, 1 completed, 5 cancelled or rejected, -1 not ended. */
const statuses: Readonly<Record<JobRun['outcome'], number>> = {
  finished: 1,
  failed: 0,
  killed: 0,
  rejected: 5,
  cancelled: 5,
  running: -1,
  waiting: -1,
}

function values({ submit, outcome, allocate, end }: JobRun, id: string): ReadonlyArray<string | number> {
  const wait = allocate === undefined ? -1 : Math.floor(secondsBetween(submit.t, allocate.t))
  const run = allocate === undefined || end === undefined ? -1 : Math.floor(secondsBetween(allocate.t, end))
  const allocated = allocate === undefined ? -1 : parseIdset(allocate.nodes).length
  const requested = submit.estimate === undefined ? -1 : Math.floor(submit.estimate)
  return [
    id,
    Math.floor(submit.t),
    wait,
    run,
    allocated,
    -1,
    -1,
    submit.size,
    requested,
    -1,
    statuses[outcome],
    -1,
    -1,
    -1,
    -1,
    -1,
    -1,
    -1,
  ]
}

function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?')
}
