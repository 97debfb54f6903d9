import {
  FoldError,
  headerTopology,
  type JobState,
  jobStates,
  type LogRecord,
  MachineState,
  RareColumns,
  RunTable,
} from '@cloister/eventlog'
import { JobColumns, type JobNumber, type JobText } from '@cloister/metrics'
import { long, optional, seconds, type Table, tableOf, text } from './table.ts'

/** Reads a value of the job in a row of the columns over all jobs: a log may have a million jobs. */
type Of<Result> = (row: number, jobs: JobsOfLog) => Result | undefined

const textOf =
  (field: JobText): Of<string> =>
  (row, { columns }) =>
    columns.text(field, row) || undefined

const numberOf =
  (field: JobNumber): Of<number> =>
  (row, { columns }) =>
    known(columns.number(field, row))

/** Returns a value of a job whose last run has ended. */
const endedOf =
  (field: JobNumber): Of<number> =>
  (row, { columns, table }) =>
    Number.isNaN(table.of.end[row]) ? undefined : known(columns.number(field, row))

/** Returns a time as Unix milliseconds. */
const momentOf =
  (field: 'submit' | 'start' | 'end'): Of<number> =>
  (row, { table, epoch }) =>
    epoch === undefined ? undefined : known(epoch * 1000 + table.of[field][row])

function known(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value
}

const LAST = 'of the last allocation; missing if the job never started'
const UNKNOWN = 'missing if the log does not have it'

/** Table with a row for each job, in the order of the submissions. A requeued job has the times of its last run. */
export const jobs: Table = tableOf<number, JobsOfLog>(
  'jobs',
  'a job',
  [
    text('job', 'id of the job', (row, { table }) => table.idOf(row)),
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
      (row, { table }) => table.stateOf(row),
    ),
    optional.text(
      'kill_code',
      'reason of the kill of the last run; missing if the run was not killed',
      (row, { table }) => table.killCodeOf(row),
    ),
    long('size', 'requested nodes', (row, { table }) => table.of.size[row], 'nodes'),
    optional.long('gpus', `graphics processors of the job; ${UNKNOWN}`, numberOf('gpus'), 'GPUs'),
    optional.long(
      'bandwidth',
      `bandwidth that the job requests on each link; ${UNKNOWN}`,
      numberOf('bandwidth'),
      'MB/s',
    ),
    optional.long('priority', `priority that a foreign scheduler gave the job; ${UNKNOWN}`, numberOf('priority')),
    optional.seconds('estimate', `run time that the scheduler believes; ${UNKNOWN}`, numberOf('estimate')),
    seconds('submit_time', 'submission', (row, { table }) => table.of.submit[row] / 1000),
    optional.seconds('start_time', 'start of the last run; missing if the job never started', numberOf('start')),
    optional.seconds('end_time', 'end of the last run; missing if no run has ended', numberOf('end')),
    optional.seconds(
      'wait',
      'time in the queue before the starts of the job; missing if the job never started',
      (row, { table }) => (Number.isNaN(table.of.start[row]) ? undefined : table.of.waited[row] / 1000),
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
      (row, { columns }) => ({ yes: true, no: false })[columns.text('backfilled', row)],
    ),
    optional.text('started_by', `part of a foreign scheduler that started the job; ${UNKNOWN}`, textOf('startedby')),
    long('moves', 'moves of the job to other nodes', (row, { table }) => table.of.moves[row]),
    optional.text('nodes', `ids of the nodes, such as \`0-17,36\`, ${LAST}`, (row, { idsets }) => idsets.nodesOf(row)),
    optional.text(
      'links',
      'ids of the links of the last allocation, an idset for each level, with semicolons between levels; missing if there are none',
      (row, { idsets }) => idsets.linksOf(row),
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
    optional.long('array_task', `number of the job in the array; ${UNKNOWN}`, (row, { arrayTasks }) =>
      arrayTasks.get(row),
    ),
    optional.text('het_job', `id of the heterogeneous job; ${UNKNOWN}`, textOf('het')),
    optional.long('het_offset', `number of the component in \`het_job\`; ${UNKNOWN}`, (row, { hetOffsets }) =>
      hetOffsets.get(row),
    ),
    optional.text(
      'note',
      "policy's note on the last start, as JSON or text; missing if the log has none",
      textOf('note'),
    ),
  ],
  (records) => new JobsOfLog(records),
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

/** Jobs of a log in columns, with the values that the table of runs does not have; an iterable over the rows. */
class JobsOfLog implements Iterable<number> {
  readonly table: RunTable = new RunTable({ details: true })
  readonly columns: JobColumns = new JobColumns(this.table)
  /** Unix time of t = 0, in seconds; undefined if the log has none. */
  epoch: number | undefined
  readonly idsets: Idsets = new Idsets()
  readonly arrayTasks = new Map<number, number>()
  readonly hetOffsets = new Map<number, number>()
  /** Failed nodes and links. The machine does not know the allocations. */
  #machine: MachineState | undefined

  constructor(records: Iterable<LogRecord>) {
    let hasHeader = false
    // A state of queue and machine would hold the records of all waiting jobs, and double the time.
    for (const record of records) {
      if (record.type === 'header') {
        if (hasHeader) throw new FoldError(record, 'a second header; a log has one header')
        this.epoch = record.epoch
        this.#machine = new MachineState(headerTopology(record), record.policy.claims.links === 'capped')
        hasHeader = true
      }
      if (!hasHeader) break
      this.#check(record)
      this.table.add(record)
      if (record.type === 'allocate') this.idsets.set(this.table.rowOf(record)!, record.nodes, record.links?.join(';'))
      if (record.type !== 'submit') continue
      const row = this.table.rowOf(record)!
      if (record.array_task !== undefined) this.arrayTasks.set(row, record.array_task)
      if (record.het_offset !== undefined) this.hetOffsets.set(row, record.het_offset)
    }
    if (!hasHeader) throw new RangeError('a log begins with its header')
  }

  [Symbol.iterator](): Iterator<number> {
    return this.table.rows().values()
  }

  /** @throws FoldError if the record cannot follow the earlier records of its job, or of the failed nodes and links */
  #check(record: LogRecord): void {
    if (record.type === 'down' || record.type === 'up') this.#machine?.change(record)
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

/** Least length of a block of texts in bytes. A longer text has its own block. */
const BLOCK = 2 ** 20
const NEWLINE = 10
/** Text instead of the links of an allocation without links. */
const NO_LINKS = '-'

/** Idsets of the last allocations of jobs, in ASCII: a text out of a line of a log would keep the line in memory. */
class Idsets {
  /** Number of the block times `BLOCK`, plus the begin of the job's two lines, nodes and links, in the block. */
  readonly #places = new RareColumns({ begin: Float64Array })
  readonly #blocks: Array<Uint8Array<ArrayBuffer>> = []
  /** Number of bytes in the last block. */
  #length = BLOCK
  readonly #encoder = new TextEncoder()
  readonly #decoder = new TextDecoder()

  nodesOf(row: number): string | undefined {
    return this.#lineOf(row, false)
  }

  linksOf(row: number): string | undefined {
    const line = this.#lineOf(row, true)
    return line === NO_LINKS ? undefined : line
  }

  set(row: number, nodes: string, links = NO_LINKS): void {
    const text = `${nodes}\n${links}\n`
    if (this.#length + text.length > BLOCK) {
      this.#blocks.push(new Uint8Array(Math.max(BLOCK, text.length)))
      this.#length = 0
    }
    const last = this.#blocks.length - 1
    this.#places.set('begin', row, last * BLOCK + this.#length)
    this.#length += this.#encoder.encodeInto(text, this.#blocks[last].subarray(this.#length)).written
  }

  #lineOf(row: number, isSecond: boolean): string | undefined {
    const place = this.#places.get('begin', row)
    if (Number.isNaN(place)) return undefined
    const block = this.#blocks[Math.floor(place / BLOCK)]
    const first = place % BLOCK
    const begin = isSecond ? block.indexOf(NEWLINE, first) + 1 : first
    return this.#decoder.decode(block.subarray(begin, block.indexOf(NEWLINE, begin)))
  }
}
