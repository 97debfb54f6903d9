import { quote, TraceError } from '../errors.ts'
import { swfMaximum } from '../swf/swf.ts'
import type { SaidTwice } from './accounting-facts.ts'
import {
  type AccountingField,
  accountingFields,
  type AccountingRow,
  cpusOf,
  durationSeconds,
  gpusOf,
  type JobLabels,
  labelsOfId,
  limitSeconds,
  nodesOf,
  slurmStates,
  type StartedBy,
  startedByOf,
  stateWord,
} from './accounting.ts'

type Moment = (text: string) => number | undefined

const unknownTimes = ['Unknown', 'None', 'NONE', '0']
const time = 'a time such as 2014-08-01T12:00:00'
const duration = 'a duration such as 12:00:00 or 1-12:00:00'
const noLimits = ['UNLIMITED', 'Partition_Limit', 'INVALID']

/** Reader of the lines of the output of `sacct` below the first line, which has the column names. */
export class SacctLines {
  readonly #file: string
  readonly #columns: number
  /** Index of each column that the reader uses; -1 for a missing column. */
  readonly #places: Readonly<Record<AccountingField, number>>
  readonly #moment: Moment
  readonly #repeated = new RepeatedValues()
  #line = 0
  #values: ReadonlyArray<string> = []

  /**
   * @param line number of the first line, from 1
   * @throws TraceError for a missing or repeated column
   */
  constructor(file: string, line: number, names: ReadonlyArray<string>, moment: Moment) {
    checkNames(file, line, names)
    this.#file = file
    this.#columns = names.length
    const places = accountingFields.map((field) => [field, names.indexOf(field)])
    this.#places = Object.fromEntries(places) as Record<AccountingField, number>
    this.#moment = moment
  }

  get fields(): ReadonlySet<AccountingField> {
    return new Set(accountingFields.filter((field) => this.#has(field)))
  }

  /** Returns the row of the line; undefined for a step of a job (`12.batch`). @throws TraceError for a wrong value */
  read(line: number, values: ReadonlyArray<string>): AccountingRow | undefined {
    this.#line = line
    this.#values = values
    if (values.length !== this.#columns) throw this.#wrongNumber()
    const jobId = this.#text('JobID')
    const raw = this.#text('JobIDRaw')
    if (isStep(jobId) || isStep(raw)) return undefined
    const rawId = this.#rawId(jobId, raw)
    const state = this.#repeated.text(this.#known('State', stateWord, slurmStates.join(', ')))
    const [eligible, start, end] = (['Eligible', 'Start', 'End'] as const).map((field) =>
      this.#orUnknown(field, this.#moment, unknownTimes, `${time}, or Unknown`),
    )
    const submit = this.#has('Submit') ? this.#known('Submit', this.#moment, time) : -1
    if (submit < 0 && eligible < 0) this.#known('Eligible', this.#moment, time)
    const id = jobId === '' ? raw : jobId
    const [allocated, requested] = (['AllocTRES', 'ReqTRES'] as const).map((field) =>
      this.#known(field, gpusOf, 'counts such as gres/gpu=8'),
    )
    return {
      line,
      jobId: id,
      rawId,
      submit,
      eligible,
      start,
      end,
      elapsed: this.#elapsed(start, end),
      limit: this.#limit(),
      nodes: this.#nodes(),
      state,
      nodeList: this.#nodeList(),
      restarts: this.#orUnknown('Restarts', wholeNumber, [], 'a whole number'),
      gpus: allocated || requested,
      cpus: this.#cpus(),
      startedBy: this.#startedBy(),
      labels: this.#labels(id, requested || allocated),
    }
  }

  /** Returns the values of fields with the same meaning in the line of the last call of `read`. */
  saidTwice(): SaidTwice {
    return [
      ['Elapsed and ElapsedRaw', this.#whole('ElapsedRaw'), durationSeconds(this.#text('Elapsed')) ?? -1],
      ['Timelimit and TimelimitRaw', this.#whole('TimelimitRaw') * 60, limitSeconds(this.#text('Timelimit')) ?? -1],
      ['NNodes and AllocNodes', this.#whole('NNodes'), this.#whole('AllocNodes') || -1],
      ['NNodes and AllocTRES', this.#whole('NNodes'), nodesOf(this.#text('AllocTRES'))],
      ['AllocCPUS and NCPUS', this.#whole('AllocCPUS') || -1, this.#whole('NCPUS') || -1],
      ['AllocCPUS and AllocTRES', this.#whole('AllocCPUS') || -1, cpusOf(this.#text('AllocTRES')) || -1],
    ]
  }

  #wrongNumber(): TraceError {
    const [found, columns] = [this.#values.length, this.#columns]
    return new TraceError({
      file: this.#file,
      line: this.#line,
      found: `${found} values`,
      expected: `${columns} values, as many as the first line has names${found > columns ? ' (a value holds the delimiter: leave JobName out, or choose another delimiter with sacct --delimiter)' : ''}`,
    })
  }

  #whole(field: AccountingField): number {
    return wholeNumber(this.#text(field)) ?? -1
  }

  #rawId(jobId: string, raw: string): number {
    if (raw !== '') return this.#known('JobIDRaw', wholeNumber, 'the number of a job')
    const [, number, part] = /^(\d{1,15})([_+](?:\d+|\[[^\]]*\])(?:%\d+)?)?$/.exec(jobId) ?? []
    if (number !== undefined && part !== undefined) return -1
    return this.#known('JobID', wholeNumber, 'the number of a job, such as 12, 12_3 of an array or 12+1')
  }

  #elapsed(start: number, end: number): number {
    const raw = this.#orUnknown('ElapsedRaw', wholeNumber, ['INVALID'], 'a whole number of seconds')
    if (raw >= 0) return raw
    const elapsed = this.#orUnknown('Elapsed', durationSeconds, ['Unknown', 'INVALID'], duration)
    if (elapsed >= 0 || this.#has('Elapsed') || this.#has('ElapsedRaw')) return elapsed
    return start >= 0 && end >= start ? end - start : -1
  }

  #limit(): number {
    const raw = this.#orUnknown(
      'TimelimitRaw',
      wholeNumber,
      noLimits,
      'a whole number of minutes, UNLIMITED or Partition_Limit',
    )
    if (raw >= 0) return raw * 60
    return this.#orUnknown('Timelimit', limitSeconds, noLimits, `${duration}, UNLIMITED or Partition_Limit`)
  }

  /** Returns the number of allocated nodes, to which the run time belongs; if 0, of requested nodes; else 0. */
  #nodes(): number {
    const given = (['NNodes', 'AllocNodes', 'ReqNodes'] as const).filter((field) => this.#has(field))
    for (const field of given) {
      const nodes = this.#known(field, wholeNumber, 'a whole number of nodes')
      if (nodes > 0) return nodes
    }
    return 0
  }

  /** Returns the number of allocated processors, or else of requested processors (of a waiting job); 0 if unknown. */
  #cpus(): number {
    const allocated = cpusOf(this.#text('AllocTRES'))
    if (allocated > 0) return allocated
    for (const field of ['AllocCPUS', 'NCPUS', 'ReqCPUS'] as const) {
      const cpus = this.#orUnknown(field, wholeNumber, [], 'a whole number of processors')
      if (cpus > 0) return cpus
    }
    return cpusOf(this.#text('ReqTRES'))
  }

  #nodeList(): string {
    const text = this.#text('NodeList')
    return text === 'None assigned' || text === '(null)' ? '' : this.#repeated.text(text)
  }

  #startedBy(): StartedBy | undefined {
    const part = this.#known(
      'Flags',
      (text) => startedByOf(text.split(',')),
      'at most one of SchedMain, SchedBackfill, SchedSubmit',
    )
    return part === 'unknown' ? undefined : part
  }

  #labels(jobId: string, gpus: number): JobLabels {
    const labels = this.#repeated.labels(
      this.#text('User'),
      this.#text('Account'),
      this.#text('Partition'),
      this.#text('QOS'),
      this.#text('Reservation'),
    )
    const name = this.#text('JobName')
    // A held job has the priority 0, which is no rank.
    const priority = this.#orUnknown('Priority', wholeNumber, [], 'a whole number')
    const ofId = labelsOfId(jobId)
    if (name === '' && priority <= 0 && gpus === 0 && ofId.array === undefined && ofId.hetJob === undefined)
      return labels
    return { ...labels, ...(name && { name }), ...(priority > 0 && { priority }), ...(gpus > 0 && { gpus }), ...ofId }
  }

  #known<A>(field: AccountingField, read: (text: string) => A | undefined, expected: string): A {
    const text = this.#text(field)
    const value = read(text)
    if (value === undefined)
      throw new TraceError({ file: this.#file, line: this.#line, field, found: quote(text), expected })
    return value
  }

  /** Returns a field's number; -1 if the column is missing, the field is empty, or its text is one of `unknown`. */
  #orUnknown(
    field: AccountingField,
    read: (text: string) => number | undefined,
    unknown: ReadonlyArray<string>,
    expected: string,
  ): number {
    const text = this.#text(field)
    return text === '' || unknown.includes(text) ? -1 : this.#known(field, read, expected)
  }

  #has(field: AccountingField): boolean {
    return this.#places[field] >= 0
  }

  #text(field: AccountingField): string {
    const place = this.#places[field]
    return place < 0 ? '' : this.#values[place]
  }
}

function isStep(id: string): boolean {
  return /^\d+(?:[_+]\d+)?\.(?:\d+|[a-z]+)(?:\+\d+)?$/.test(id)
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) && Number(text) <= swfMaximum ? Number(text) : undefined
}

/** Lists of alternative columns: a file must have at least one column of each list. */
const needed = [
  ['JobID', 'JobIDRaw'],
  ['NNodes', 'ReqNodes', 'AllocNodes'],
  ['State'],
  ['Submit', 'Eligible'],
  ['Elapsed', 'ElapsedRaw', 'End'],
] as const satisfies ReadonlyArray<ReadonlyArray<AccountingField>>

const columnsNeeded = `the columns ${needed.map(([column]) => column).join(', ')} (and User, Account, Partition, JobName, Timelimit, Start if possible)`

function checkNames(file: string, line: number, names: ReadonlyArray<string>): void {
  const missing = needed.filter((columns) => !columns.some((column) => names.includes(column))).map(([first]) => first)
  const found = `no column ${missing.join(', ')} among ${names.join(', ').slice(0, 200)}`
  if (missing.length > 0) throw new TraceError({ file, line, found, expected: columnsNeeded })
  const seen = new Set<string>()
  for (const column of names) {
    const shown = /^\w{1,40}$/.test(column) ? column : quote(column)
    if (seen.has(column))
      throw new TraceError({ file, line, found: `the column ${shown} twice`, expected: 'every column once' })
    seen.add(column)
  }
}

/** Throws the error for a file without a line of column names. */
export function noHeading(file: string): never {
  throw new TraceError({ file, line: 1, found: 'no column', expected: columnsNeeded })
}

/** Most texts to keep: most hostlists of a long history differ, so keeping all texts would fill the memory in vain. */
const MOST_TEXTS = 2 ** 16

/** Store with one copy of each text that many rows share: users, accounts, partitions, states, hostlists. */
class RepeatedValues {
  readonly #texts = new Map<string, string>()
  readonly #labels = new Map<string, JobLabels>()

  text(text: string): string {
    const known = this.#texts.get(text)
    if (known !== undefined) return known
    if (this.#texts.size >= MOST_TEXTS) this.#texts.clear()
    this.#texts.set(text, text)
    return text
  }

  /** Returns an object with the labels that many rows share, without empty labels; the same object for equal labels. */
  labels(user: string, account: string, queue: string, qos: string, advanceReservation: string): JobLabels {
    const key = `${user}\n${account}\n${queue}\n${qos}\n${advanceReservation}`
    let labels = this.#labels.get(key)
    if (labels === undefined) {
      labels = {
        ...(user && { user }),
        ...(account && { account }),
        ...(queue && { queue }),
        ...(qos && { qos }),
        ...(advanceReservation && { advanceReservation }),
      }
      this.#labels.set(key, labels)
    }
    return labels
  }
}
