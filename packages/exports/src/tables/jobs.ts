import { Columns, FoldError, type JobState, jobStates, type LogRecord, RunTable } from '@cloister/eventlog'
import { JobColumns, type JobNumber, type JobText } from '@cloister/metrics'
import { long, optional, seconds, type Table, tableOf, text } from './table.ts'

/** Job of a log: a row of the columns over all jobs, because a log may have a million jobs. */
interface Job {
  readonly row: number
  readonly of: JobsOfLog
}

const textOf =
  (field: JobText) =>
  ({ row, of }: Job): string | undefined =>
    of.columns.text(field, row) || undefined

const numberOf =
  (field: JobNumber) =>
  ({ row, of }: Job): number | undefined =>
    known(of.columns.number(field, row))

/** Returns a value of a job whose last run has ended. */
const endedOf =
  (field: JobNumber) =>
  (job: Job): number | undefined =>
    Number.isNaN(job.of.table.of.end[job.row]) ? undefined : numberOf(field)(job)

/** Returns a time as Unix milliseconds. */
const momentOf =
  (field: 'submit' | 'start' | 'end') =>
  ({ row, of: { table, epoch } }: Job): number | undefined =>
    epoch === undefined ? undefined : known(epoch * 1000 + table.of[field][row])

function known(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value
}

const LAST = 'of the last allocation; missing if the job never started'
const UNKNOWN = 'missing if the log does not have it'

/** Table with a row for each job, in the order of the submissions. A requeued job has the times of its last run. */
export const jobs: Table = tableOf<Job>(
  'jobs',
  'a job',
  [
    text('job', 'id of the job', ({ row, of }) => of.table.idOf(row)),
    optional.text('name', `name of the job; ${UNKNOWN}`, textOf('name')),
    optional.text('user', `user who submitted the job; ${UNKNOWN}`, textOf('user')),
    optional.text('account', `account that pays for the job; ${UNKNOWN}`, textOf('account')),
    optional.text('queue', `queue that the user chose, Slurm's partition; ${UNKNOWN}`, textOf('queue')),
    optional.text('qos', `quality of service of the job; ${UNKNOWN}`, textOf('qos')),
    optional.text(
      'advance_reservation',
      `advance reservation that the job asked for; ${UNKNOWN}`,
      textOf('reservation'),
    ),
    text(
      'state',
      'last state: `waiting`, `running`, `finished`, `failed`, `killed`, `rejected` or `cancelled`',
      ({ row, of }) => of.table.stateOf(row),
    ),
    optional.text('kill_code', 'reason of the kill of the last run; missing if the run was not killed', ({ row, of }) =>
      of.table.killCodeOf(row),
    ),
    long('size', 'requested nodes', ({ row, of }) => of.table.of.size[row], 'nodes'),
    optional.long('gpus', `graphics processors of the job; ${UNKNOWN}`, numberOf('gpus'), 'GPUs'),
    optional.long(
      'bandwidth',
      `bandwidth that the job requests on each link; ${UNKNOWN}`,
      numberOf('bandwidth'),
      'MB/s',
    ),
    optional.long('priority', `priority that a foreign scheduler gave the job; ${UNKNOWN}`, numberOf('priority')),
    optional.seconds('estimate', `run time that the scheduler believes; ${UNKNOWN}`, numberOf('estimate')),
    seconds('submit_time', 'submission', ({ row, of }) => of.table.of.submit[row] / 1000),
    optional.seconds('start_time', 'start of the last run; missing if the job never started', numberOf('start')),
    optional.seconds('end_time', 'end of the last run; missing if no run has ended', numberOf('end')),
    optional.seconds(
      'wait',
      'time in the queue before the starts of the job; missing if the job never started',
      (job) => (Number.isNaN(job.of.table.of.start[job.row]) ? undefined : job.of.table.of.waited[job.row] / 1000),
    ),
    optional.seconds('run_time', 'length of the last run; missing if the run has not ended', endedOf('runtime')),
    optional.number(
      'slowdown',
      'bounded slowdown, with run times of at least 10 s; missing if the last run has not ended',
      endedOf('slowdown'),
    ),
    optional.moment('submitted_at', 'submission; missing if the log has no `epoch`', momentOf('submit')),
    optional.moment('started_at', 'start of the last run; missing without a start or `epoch`', momentOf('start')),
    optional.moment('ended_at', 'end of the last run; missing without an end or `epoch`', momentOf('end')),
    optional.flag(
      'backfilled',
      'true if the last start was by backfilling; missing if the job never started',
      (job) => ({ yes: true, no: false })[textOf('backfilled')(job) ?? ''],
    ),
    optional.text('started_by', `part of a foreign scheduler that started the job; ${UNKNOWN}`, textOf('startedby')),
    long('moves', 'moves of the job to other nodes', ({ row, of }) => of.table.of.moves[row]),
    optional.text('nodes', `ids of the nodes, such as \`0-17,36\`, ${LAST}`, ({ row, of }) => of.nodes.get(row)),
    optional.text(
      'links',
      'ids of the links of the last allocation, an idset for each level, with semicolons between levels; missing if there are none',
      ({ row, of }) => of.links.get(row),
    ),
    optional.whole('leaves', `leaves ${LAST}`, numberOf('leaves')),
    optional.whole('pods', `pods ${LAST}`, numberOf('pods')),
    optional.whole('link_count', `links ${LAST}`, numberOf('links')),
    optional.number(
      'hops',
      'mean links between two nodes of the last allocation; missing for fewer than two nodes',
      numberOf('hops'),
    ),
    optional.number(
      'spread',
      '`hops` over those of the most compact placement of the request; missing without `hops`',
      numberOf('spread'),
    ),
    optional.whole(
      'extra_leaves',
      'leaves above those of the most compact placement; missing if the job never started',
      numberOf('extraleaves'),
    ),
    optional.text('pattern', `communication pattern of the job; ${UNKNOWN}`, textOf('pattern')),
    optional.text('array_id', `id of the job's array; ${UNKNOWN}`, textOf('array')),
    optional.long('array_task', `number of the job in the array; ${UNKNOWN}`, ({ row, of }) => of.arrayTasks.get(row)),
    optional.text('het_job', `id of the heterogeneous job; ${UNKNOWN}`, textOf('het')),
    optional.long('het_offset', `number of the component in \`het_job\`; ${UNKNOWN}`, ({ row, of }) =>
      of.hetOffsets.get(row),
    ),
    optional.text(
      'note',
      "policy's note on the last start, as JSON or text; missing if the log has none",
      textOf('note'),
    ),
  ],
  function* (records) {
    const of = new JobsOfLog(records)
    for (const row of of.table.rows()) yield { row, of }
  },
)

/** States of a job in which each type of record can follow. */
const expectedStates: { readonly [Type in LogRecord['type']]?: ReadonlyArray<JobState> } = {
  allocate: ['waiting'],
  reserve: ['waiting'],
  reject: ['waiting'],
  cancel: ['waiting', 'running'],
  finish: ['running'],
  kill: ['running'],
  release: jobStates.filter((state) => state !== 'waiting'),
  requeue: jobStates.filter((state) => state !== 'waiting'),
}

/** Jobs of a log in columns, with the values that the table of runs does not have. */
class JobsOfLog {
  readonly table: RunTable = new RunTable({ details: true })
  readonly columns: JobColumns = new JobColumns(this.table)
  /** Unix time of t = 0, in seconds; undefined if the log has none. */
  epoch: number | undefined
  /** Idsets of each job's last allocation. */
  readonly nodes: Texts = new Texts()
  readonly links: Texts = new Texts()
  readonly arrayTasks = new Map<number, number>()
  readonly hetOffsets = new Map<number, number>()

  constructor(records: Iterable<LogRecord>) {
    let hasHeader = false
    // A state of queue and machine would hold the records of all waiting jobs, and double the time.
    for (const record of records) {
      if (record.type === 'header') {
        if (hasHeader) throw new FoldError(record, 'a second header; a log has one header')
        this.epoch = record.epoch
        hasHeader = true
      }
      if (!hasHeader) break
      this.#check(record)
      this.table.add(record)
      if (record.type === 'allocate') {
        const row = this.table.rowOf(record)!
        this.nodes.set(row, record.nodes)
        this.links.set(row, record.links?.join(';'))
      }
      if (record.type !== 'submit') continue
      const row = this.table.rowOf(record)!
      if (record.array_task !== undefined) this.arrayTasks.set(row, record.array_task)
      if (record.het_offset !== undefined) this.hetOffsets.set(row, record.het_offset)
    }
    if (!hasHeader) throw new RangeError('a log begins with its header')
  }

  /** @throws FoldError if the record cannot follow the earlier records of its job */
  #check(record: LogRecord): void {
    const row = this.table.rowOf(record)
    if (record.type === 'submit' && row !== undefined)
      throw new FoldError(record, `job ${record.job} was submitted before`)
    const expected = expectedStates[record.type]
    if (expected === undefined || !('job' in record)) return
    if (row === undefined) throw new FoldError(record, `job ${record.job} was not submitted`)
    if (record.type === 'allocate' && record.moved !== undefined) return
    const state = this.table.stateOf(row)
    if (!expected.includes(state)) throw new FoldError(record, `job ${record.job} is ${state}`)
  }
}

/** ASCII texts of jobs in one array of bytes: a text out of a line of a log would keep the whole line in memory. */
class Texts {
  /** Begin of each job's text in the bytes; 0 for a job without a text. */
  readonly #places = new Columns({ begin: Float64Array })
  /** The texts, each with a zero behind. */
  #bytes: Uint8Array<ArrayBuffer> = new Uint8Array(1 << 16)
  #length = 1
  readonly #encoder = new TextEncoder()
  readonly #decoder = new TextDecoder()

  get(row: number): string | undefined {
    const { begin } = this.#places.of
    if (row >= this.#places.length || begin[row] === 0) return undefined
    return this.#decoder.decode(this.#bytes.subarray(begin[row], this.#bytes.indexOf(0, begin[row])))
  }

  set(row: number, text: string | undefined): void {
    while (this.#places.length <= row) this.#places.add()
    this.#places.of.begin[row] = text === undefined ? 0 : this.#length
    if (text === undefined) return
    const needed = this.#length + text.length + 1
    // `transfer` frees the old bytes at once, not at the next garbage collection.
    if (needed > this.#bytes.length) this.#bytes = new Uint8Array(this.#bytes.buffer.transfer(needed + (needed >>> 3)))
    this.#length += this.#encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written + 1
  }
}
