import type { AccountingRow } from './accounting-row.ts'
import { type SlurmJson, slurmJsonList } from './slurm-json.ts'
import { slurmStates, stateWord } from './slurm-values.ts'

/** Returns true if a text begins like the output of `sacct --json`. */
export function isSacctJson(start: string): boolean {
  return /^\uFEFF?\s*\{/.test(start) && /"(?:jobs|meta|plugin)"/.test(start)
}

/**
 * Reads the output of `sacct --json`, in any version of Slurm's data parser.
 *
 * @param visit function that gets, for every job in turn, the position in the list from 1, and `read`, which returns
 *   the job's row or throws a TraceError for a wrong value
 * @throws TraceError if the text is no JSON or has no list of jobs
 */
export function readSacctJson(
  text: string,
  file: string,
  visit: (line: number, read: () => AccountingRow) => void,
): void {
  for (const [index, job] of slurmJsonList(text, 'jobs', file, 'the output of sacct --json').entries())
    visit(index + 1, () => rowOf(job, index + 1))
}

function rowOf(job: SlurmJson, line: number): AccountingRow {
  const time = (name: string): number => job.number(`time.${name}`) || -1
  const [start, end] = [time('start'), time('end')]
  const minutes = job.number('time.limit')
  return {
    line,
    jobId: jobIdOf(job),
    rawId: job.number('job_id'),
    submit: time('submission'),
    eligible: time('eligible'),
    start,
    end,
    elapsed: job.number('time.elapsed'),
    limit: minutes > 0 ? minutes * 60 : -1,
    nodes: Math.max(0, job.number('allocation_nodes')) || requestedNodes(job),
    state: stateOf(job),
    nodeList: job.text('nodes') === 'None assigned' ? '' : job.text('nodes'),
    restarts: job.number('restart_cnt'),
    gpus: tres(job, 'allocated', (type, name) => type === 'gres' && name === 'gpu'),
    cpus: tres(job, 'allocated', (type) => type === 'cpu'),
    labels: labelsOf(job),
  }
}

function jobIdOf(job: SlurmJson): string {
  const task = job.number('array.task_id')
  const arrayJob = job.number('array.job_id')
  if (arrayJob > 0 && task >= 0) return `${arrayJob}_${task}`
  // All waiting tasks of a job array share one row of the accounting.
  if (arrayJob > 0 && job.text('array.task') !== '') return `${arrayJob}_[${job.text('array.task')}]`
  const leader = job.number('het.job_id')
  if (leader > 0) return `${leader}+${Math.max(0, job.number('het.job_offset'))}`
  return String(job.value('job_id'))
}

function stateOf(job: SlurmJson): string {
  const path = job.value('state.current') === undefined ? 'state' : 'state.current'
  return stateWord(job.words(path)[0] ?? '') ?? job.fail(path, slurmStates.join(', '))
}

function requestedNodes(job: SlurmJson): number {
  return Math.max(
    0,
    tres(job, 'requested', (type) => type === 'node'),
  )
}

function tres(
  job: SlurmJson,
  which: 'allocated' | 'requested',
  wanted: (type: string, name: string) => boolean,
): number {
  let total = 0
  for (const each of job.list(`tres.${which}`))
    if (wanted(each.text('type'), each.text('name'))) total += Math.max(0, each.number('count'))
  return total
}

function labelsOf(job: SlurmJson): AccountingRow['labels'] {
  const [user, account, queue, name] = ['user', 'account', 'partition', 'name'].map((key) => job.text(key))
  return { ...(user && { user }), ...(account && { account }), ...(queue && { queue }), ...(name && { name }) }
}
