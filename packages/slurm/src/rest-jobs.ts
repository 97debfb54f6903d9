import { type AccountingRow, type SlurmJson, slurmJsonList, TraceError } from '@cloister/trace-io'
import { rowsOfValues, type SqueueValues } from './squeue.ts'

/** Jobs in an answer of slurmrestd, as rows of the accounting. */
export interface RestJobs {
  readonly rows: ReadonlyArray<AccountingRow>
  /** Ids of arrays with more waiting tasks than slurmrestd's answer lists. */
  readonly cutArrays: ReadonlyArray<string>
}

const FILE = "slurmrestd's jobs"
/** Most jobs and waiting tasks of arrays in an answer of slurmrestd, more than any cluster allows (`MaxJobCount`). */
const MOST_TASKS = 2 ** 22
/** States of slurmrestd that replace a job's base state (`RUNNING`, `PENDING`), in Slurm's order of precedence. */
const firstStates = [
  'COMPLETING',
  'STAGE_OUT',
  'CONFIGURING',
  'RESIZING',
  'REQUEUED',
  'REQUEUE_FED',
  'REQUEUE_HOLD',
  'SPECIAL_EXIT',
  'STOPPED',
  'REVOKED',
  'RESV_DEL_HOLD',
  'SIGNALING',
]

/**
 * Parses the jobs in slurmrestd's answer to `/slurm/v0.0.…/jobs` into the rows that `parseSqueue` gives for `squeue
 * --array`. The API's version must be v0.0.37 or later: earlier versions do not name the users of jobs.
 *
 * @param partitions names of partitions: the result has only jobs of these partitions; empty for all partitions
 * @throws TraceError for the first job with a missing or wrong value
 */
export function parseRestJobs(text: string, partitions: ReadonlyArray<string> = []): RestJobs {
  const jobs: Array<SqueueValues> = []
  const cutArrays: Array<string> = []
  for (const job of slurmJsonList(text, 'jobs', FILE, 'the jobs of slurmrestd')) {
    if (
      partitions.length > 0 &&
      !job
        .text('partition')
        .split(',')
        .some((name) => partitions.includes(name))
    )
      continue
    const values = valuesOf(job)
    const array = job.number('array_job_id')
    const tasks = array > 0 && job.number('array_task_id') < 0 ? job.text('array_task_string') : ''
    if (tasks === '') jobs.push({ ...values, JobArrayID: idOf(job) })
    else {
      for (const task of tasksIn(tasks, job, MOST_TASKS - jobs.length))
        jobs.push({ ...values, JobArrayID: `${array}_${task}` })
      if (tasks.includes('...')) cutArrays.push(String(array))
    }
  }
  return { rows: rowsOfValues(jobs, FILE), cutArrays }
}

function valuesOf(job: SlurmJson): Omit<SqueueValues, 'JobArrayID'> {
  const states = job.words('job_state')
  const [first] = states
  if (first === undefined) job.fail('job_state', 'a state such as RUNNING')
  const number = (path: string): string => String(Math.max(0, job.number(path)))
  /** slurmrestd gives the time 0 for a time that has not come or is not known. */
  const time = (path: string): string => (job.number(path) > 0 ? number(path) : '')
  return {
    State: firstStates.find((state) => states.includes(state)) ?? first,
    SubmitTime: time('submit_time'),
    EligibleTime: time('eligible_time'),
    StartTime: time('start_time'),
    EndTime: time('end_time'),
    // `time_limit` is in minutes; if the job has no limit, slurmrestd omits the field or gives infinity.
    TimeLimit: time('time_limit'),
    NumNodes: number('node_count'),
    NodeList: job.text('nodes'),
    UserName: job.text('user_name'),
    Account: job.text('account'),
    Partition: job.text('partition'),
    RestartCnt: number('restart_cnt'),
    'tres-alloc': job.text('tres_alloc_str') || job.text('tres_req_str'),
  }
}

function idOf(job: SlurmJson): string {
  const [array, task] = [job.number('array_job_id'), job.number('array_task_id')]
  if (array > 0 && task >= 0) return `${array}_${task}`
  const leader = job.number('het_job_id')
  if (leader > 0) return `${leader}+${Math.max(0, job.number('het_job_offset'))}`
  const id = job.number('job_id')
  return id > 0 ? String(id) : job.fail('job_id', 'the number of a job')
}

/** Yields the task numbers in a text such as `1-3,7,20-40:5%2`. slurmrestd ends a text that it cuts with `...`. */
function* tasksIn(text: string, job: SlurmJson, limit: number): Generator<number, void> {
  let left = limit
  for (const part of text.replace(/%\d+$/, '').split(',')) {
    if (part === '...') return
    const [, first, last = first, step = '1'] = /^(\d{1,9})(?:-(\d{1,9})(?::(\d{1,9}))?)?$/.exec(part) ?? []
    if (first === undefined || Number(step) < 1) job.fail('array_task_string', 'tasks of an array such as 1-3,7')
    const count = Math.max(0, Math.floor((Number(last) - Number(first)) / Number(step)) + 1)
    if ((left -= count) < 0)
      throw new TraceError({
        file: FILE,
        found: 'too many tasks of arrays',
        expected: `at most ${MOST_TASKS} jobs and tasks`,
      })
    for (let at = 0; at < count; at++) yield Number(first) + at * Number(step)
  }
}
