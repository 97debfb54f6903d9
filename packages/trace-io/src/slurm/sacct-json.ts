import { quote, TraceError } from '../errors.ts'
import { swfMaximum } from '../swf/swf.ts'
import { JsonTextError, parseJsonText } from '../json-text.ts'
import { type AccountingRow, labelsOfId, slurmStates, startedByOf, stateWord } from './accounting.ts'

/** Returns true if a text begins like the output of `sacct --json`. */
export function isSacctJson(start: string): boolean {
  return /^\uFEFF?\s*\{/.test(start) && /"(?:jobs|meta|plugin)"/.test(start)
}

/**
 * Reads the output of `sacct --json`, in any version of Slurm's data parser.
 *
 * @param visit function that gets, for every job in turn, a function that returns the job's row or throws a TraceError
 *   for a wrong value
 * @throws TraceError if the text is no JSON or has no list of jobs
 */
export function readSacctJson(text: string, file: string, visit: (read: () => AccountingRow) => void): void {
  for (const [index, job] of slurmJsonList(text, 'jobs', file, 'the output of sacct --json').entries())
    visit(() => rowOf(job, index + 1))
}

function rowOf(job: SlurmJson, line: number): AccountingRow {
  const time = (name: string): number => job.number(`time.${name}`) || -1
  const [start, end] = [time('start'), time('end')]
  const minutes = job.number('time.limit')
  const jobId = jobIdOf(job)
  const [allocated, requested] = (['allocated', 'requested'] as const).map((which) => tres(job, which, 'gres', 'gpu'))
  const startedBy =
    startedByOf(job.words('flags')) ??
    job.fail('flags', 'at most one of the flags STARTED_ON_SCHEDULE, …_BACKFILL, …_SUBMIT')
  return {
    line,
    jobId,
    rawId: job.number('job_id'),
    submit: time('submission'),
    eligible: time('eligible'),
    start,
    end,
    elapsed: job.number('time.elapsed'),
    limit: minutes > 0 ? minutes * 60 : -1,
    nodes: Math.max(0, job.number('allocation_nodes')) || tres(job, 'requested', 'node'),
    state: stateOf(job),
    nodeList: job.text('nodes') === 'None assigned' ? '' : job.text('nodes'),
    restarts: job.number('restart_cnt'),
    gpus: allocated || requested,
    cpus: tres(job, 'allocated', 'cpu'),
    startedBy: startedBy === 'unknown' ? undefined : startedBy,
    labels: { ...labelsOf(job, requested || allocated), ...labelsOfId(jobId) },
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

function tres(job: SlurmJson, which: 'allocated' | 'requested', type: string, name?: string): number {
  let total = 0
  for (const each of job.list(`tres.${which}`))
    if (each.text('type') === type && (name === undefined || each.text('name') === name))
      total += Math.max(0, each.number('count'))
  return total
}

function labelsOf(job: SlurmJson, gpus: number): AccountingRow['labels'] {
  const [user, account, queue, name, qos, advanceReservation] = [
    'user',
    'account',
    'partition',
    'name',
    'qos',
    'reservation.name',
  ].map((path) => job.text(path))
  const priority = job.number('priority')
  return {
    ...(user && { user }),
    ...(account && { account }),
    ...(queue && { queue }),
    ...(name && { name }),
    ...(qos && { qos }),
    ...(advanceReservation && { advanceReservation }),
    ...(priority > 0 && { priority }),
    ...(gpus > 0 && { gpus }),
  }
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Values of a job or node in Slurm's JSON, by paths such as `time.start`. `SlurmJson` reads every version of Slurm's
 * data parser: a number is bare or `{"set": …, "number": …}`, a state is a word or a list of words.
 */
export class SlurmJson {
  readonly #file: string
  readonly #line: number
  readonly #fields: Fields
  readonly #within: string

  /**
   * @param line position of the job or node in its list, from 1, for messages
   * @param within path of the enclosing list, with a dot at the end; empty if there is no enclosing list
   */
  constructor(file: string, line: number, fields: unknown, within = '') {
    this.#file = file
    this.#line = line
    this.#fields = fieldsOf(fields)
    this.#within = within
  }

  value(path: string): unknown {
    return path.split('.').reduce<unknown>((at, name) => fieldsOf(at)[name], this.#fields)
  }

  /** Returns the text at a path; empty if the value is no text. */
  text(path: string): string {
    return textOf(this.value(path))
  }

  /** Returns the non-empty texts of the list at a path; for a text instead of a list, a list with this text. */
  words(path: string): ReadonlyArray<string> {
    const value = this.value(path)
    return (Array.isArray(value) ? (value as ReadonlyArray<unknown>) : [value])
      .map(textOf)
      .filter((word) => word !== '')
  }

  /** Returns the items of the list at a path; no items if the value is no list. */
  list(path: string): ReadonlyArray<SlurmJson> {
    const value = this.value(path)
    if (!Array.isArray(value)) return []
    return (value as ReadonlyArray<unknown>).map((each) => new SlurmJson(this.#file, this.#line, each, `${path}.`))
  }

  /** Returns the whole number at a path; -1 if missing, not set or infinite. @throws TraceError for any other value */
  number(path: string): number {
    const value = this.value(path)
    if (value === undefined || value === null) return -1
    const wrapped = fieldsOf(value)
    if (wrapped.set === false || wrapped.infinite === true) return -1
    const number = 'number' in wrapped ? wrapped.number : value
    if (Number.isSafeInteger(number) && (number as number) >= 0 && (number as number) <= swfMaximum)
      return number as number
    return this.fail(path, `a whole number from 0 to ${swfMaximum}`)
  }

  /** Throws an error with the value at a path. */
  fail(path: string, expected: string): never {
    const value = this.value(path)
    const found = value === undefined ? 'nothing' : quote(typeof value === 'string' ? value : JSON.stringify(value))
    throw new TraceError({ file: this.#file, line: this.#line, field: `${this.#within}${path}`, found, expected })
  }
}

/**
 * Returns the items of a list in Slurm's JSON.
 *
 * @param list name of the list, for example `jobs`
 * @param whose source of the JSON, for messages, such as `the output of sacct --json`
 * @throws TraceError if the text is no JSON, has no list of this name, or has a key twice in an object
 */
export function slurmJsonList(text: string, list: string, file: string, whose: string): ReadonlyArray<SlurmJson> {
  const items = parse(text, file, whose)[list]
  if (!Array.isArray(items)) throw new TraceError({ file, found: `no list "${list}"`, expected: whose })
  return (items as ReadonlyArray<unknown>).map((item, index) => new SlurmJson(file, index + 1, item))
}

function parse(text: string, file: string, whose: string): Fields {
  try {
    return fieldsOf(parseJsonText(text))
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error
    const { line, column, problem } = error
    throw new TraceError({ file, line, found: `no valid JSON (column ${column}: ${problem})`, expected: whose })
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
