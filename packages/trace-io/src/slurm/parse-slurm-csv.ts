import { BadLineCounter, type ReadingOptions } from '../bad-lines.ts'
import { type CsvRecord, firstCsvRecord, readCsv } from '../csv.ts'
import { quote, TraceError } from '../errors.ts'
import { MAX_CSV_BYTES, MAX_CSV_LINES } from '../limits.ts'
import { countLines } from '../lines.ts'
import { durationSeconds, slurmStates, swfStatus, timeSeconds } from './slurm-values.ts'
import { makeColumns, readDirectives, swfMaximum } from '../swf/swf.ts'
import type { JobLabels, SwfComment, SwfField, SwfTrace } from '../swf/swf.ts'

const requiredColumns = ['JobID', 'NNodes', 'State', 'Submit', 'Elapsed'] as const
const usedColumns = [...requiredColumns, 'User', 'Account', 'Partition', 'JobName', 'Timelimit', 'Start'] as const
type Column = (typeof usedColumns)[number]

/** Whether a file is a job log of Slurm as comma-separated values: its first line names the columns, `JobID` among them. */
export function isSlurmCsv(text: Uint8Array): boolean {
  return firstCsvRecord(utf8.decode(text.subarray(0, 4096))).includes('JobID')
}

/**
 * Reads a job log of Slurm's accounting as comma-separated values, the format of the LLNL Cab logs of 2014
 * (doi 10.5281/zenodo.3908771): `JobID,User,Partition,NNodes,NCPUS,Timelimit,State,Submit,Start,Elapsed,End,ExitCode` in the first line,
 * then a line a job. The columns may stand in any order, and others beside them; all but `JobID`, `NNodes`, `State`, `Submit` and
 * `Elapsed` may be missing.
 *
 * The result is a trace in the terms of SWF. Sizes are nodes: both processor fields hold `NNodes`. Users and partitions are
 * numbered as they appear; their names, `Account` and `JobName` are labels. Times of day are taken as UTC. A job that has not ended,
 * or whose `Elapsed` is not known, has no run time. The wait is unknown where the clocks went back between submission and start.
 *
 * @throws TraceError at the first line that is no such job, with line, column, what was found and what would be right
 */
export function parseSlurmCsv(text: string | Uint8Array, options: ReadingOptions): SwfTrace {
  const { file } = options
  if (text.length > MAX_CSV_BYTES)
    throw new TraceError({
      file,
      found: `${text.length} bytes`,
      expected: `comma-separated values of at most ${MAX_CSV_BYTES}`,
    })
  countLines(typeof text === 'string' ? new TextEncoder().encode(text) : text, { file, limit: MAX_CSV_LINES })
  let heading: Heading | undefined
  const lines: Array<number> = []
  const rows: Array<SlurmJob> = []
  const badLines = new BadLineCounter(options)
  const numbering = { user: new Map<string, number>(), partition: new Map<string, number>() }
  readCsv(typeof text === 'string' ? text : utf8.decode(text), file, (record) => {
    if (heading === undefined) heading = readHeading(file, record)
    else {
      const columnNames = heading
      const job = badLines.reading(() => new JobLine(file, record, columnNames).read(numbering))
      if (job === undefined) return
      lines.push(record.line)
      rows.push(job)
    }
  })
  if (heading === undefined) throw new TraceError({ file, line: 1, found: 'no column', expected: columnsNeeded })
  const columns = makeColumns(() => new Float64Array(rows.length).fill(-1))
  for (const [row, { fields }] of rows.entries())
    for (const [field, value] of Object.entries(fields)) columns[field as SwfField][row] = value
  const comments = headerComments([...numbering.partition.keys()])
  return {
    file,
    comments,
    directives: readDirectives(comments),
    jobs: rows.length,
    lines: Int32Array.from(lines),
    columns,
    labels: rows.map(({ labels }) => labels),
    ...(badLines.count === 0 ? {} : { badLines }),
  }
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

const columnsNeeded = `the columns ${requiredColumns.join(', ')} (and User, Account, Partition, JobName, Timelimit, Start where known)`

/** How many columns there are, and where those that are used stand. */
interface Heading {
  readonly columns: number
  readonly places: ReadonlyMap<string, number>
}

function readHeading(file: string, { line, values }: CsvRecord): Heading {
  const missing = requiredColumns.filter((column) => !values.includes(column))
  if (missing.length > 0)
    throw new TraceError({
      file,
      line,
      found: `no column ${missing.join(', ')} among ${values.join(', ').slice(0, 200)}`,
      expected: columnsNeeded,
    })
  const seen = new Set<string>()
  for (const column of values) {
    if (seen.has(column))
      throw new TraceError({
        file,
        line,
        found: `the column ${/^\w{1,40}$/.test(column) ? column : quote(column)} twice`,
        expected: 'every column once',
      })
    seen.add(column)
  }
  return {
    columns: values.length,
    places: new Map(
      usedColumns.flatMap((column) => (values.includes(column) ? [[column, values.indexOf(column)] as const] : [])),
    ),
  }
}

function headerComments(partitions: ReadonlyArray<string>): Array<SwfComment> {
  const texts = [
    'UnixStartTime: 0',
    'Note: processors are nodes',
    ...partitions.map((name, index) => `Partition: ${index + 1} ${name}`),
  ]
  return texts.map((text) => ({ line: 1, text: ` ${text}` }))
}

/** A job: its fields in the terms of SWF, and its labels. */
interface SlurmJob {
  readonly fields: Partial<Record<SwfField, number>>
  readonly labels: JobLabels
}

/** The numbers of users and partitions, by name. */
interface Numbering {
  readonly user: Map<string, number>
  readonly partition: Map<string, number>
}

/** One line of the file, below its heading. */
class JobLine {
  readonly #file: string
  readonly #line: number
  readonly #values: ReadonlyArray<string>
  readonly #places: ReadonlyMap<string, number>

  constructor(file: string, { line, values }: CsvRecord, { columns, places }: Heading) {
    this.#file = file
    this.#line = line
    this.#values = values
    this.#places = places
    if (values.length !== columns)
      throw new TraceError({
        file,
        line,
        found: `${values.length} values`,
        expected: `${columns}, as many as the first line has names`,
      })
  }

  read(numbering: Numbering): SlurmJob {
    return { fields: this.#fields(numbering), labels: this.#labels() }
  }

  #labels(): JobLabels {
    const [user, account, queue, name] = (['User', 'Account', 'Partition', 'JobName'] as const).map((column) =>
      this.#text(column),
    )
    return { ...(user && { user }), ...(account && { account }), ...(queue && { queue }), ...(name && { name }) }
  }

  #fields(numbering: Numbering): Partial<Record<SwfField, number>> {
    const status = this.#known('State', swfStatus, slurmStates.join(', '))
    const submit = this.#known('Submit', timeSeconds, 'a time such as 2014-08-01T12:00:00')
    const start = this.#orUnknown(
      'Start',
      timeSeconds,
      ['Unknown', 'None'],
      'a time such as 2014-08-01T12:00:00, or Unknown',
    )
    const nodes = this.#known('NNodes', wholeNumber, 'a whole number of nodes')
    const elapsed = this.#orUnknown(
      'Elapsed',
      durationSeconds,
      ['Unknown', 'INVALID'],
      'a duration such as 12:00:00 or 1-12:00:00',
    )
    return {
      job: this.#known(
        'JobID',
        wholeNumber,
        'the number of a job (steps, such as 12.batch, are no jobs: sacct -X leaves them out)',
      ),
      submit,
      wait: start >= submit ? start - submit : -1,
      runTime: status === -1 ? -1 : elapsed,
      allocatedProcs: start === -1 ? -1 : nodes,
      requestedProcs: nodes,
      requestedTime: this.#orUnknown(
        'Timelimit',
        durationSeconds,
        ['UNLIMITED', 'Partition_Limit'],
        'a duration such as 12:00:00 or 1-12:00:00, UNLIMITED or Partition_Limit',
      ),
      status,
      user: this.#numbered('User', numbering.user),
      partition: this.#numbered('Partition', numbering.partition),
    }
  }

  #known(column: Column, read: (text: string) => number | undefined, expected: string): number {
    const text = this.#text(column)!
    const value = read(text)
    if (value === undefined)
      throw new TraceError({ file: this.#file, line: this.#line, field: column, found: quote(text), expected })
    return value
  }

  /** -1 where the column is missing or empty, or says that nothing is known. */
  #orUnknown(
    column: Column,
    read: (text: string) => number | undefined,
    unknown: ReadonlyArray<string>,
    expected: string,
  ): number {
    const text = this.#text(column) ?? ''
    return text === '' || unknown.includes(text) ? -1 : this.#known(column, read, expected)
  }

  #numbered(column: Column, numbers: Map<string, number>): number {
    const text = this.#text(column) ?? ''
    if (text === '') return -1
    if (!numbers.has(text)) numbers.set(text, numbers.size + 1)
    return numbers.get(text)!
  }

  #text(column: Column): string | undefined {
    const place = this.#places.get(column)
    return place === undefined ? undefined : this.#values[place]
  }
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) && Number(text) <= swfMaximum ? Number(text) : undefined
}
