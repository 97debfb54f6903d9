import { type Appendable, type Header, headerTopology, type LogRecord, LogWriter } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import * as fc from 'fast-check'

/** One change of a log's records. `at`, `to` and `value` count modulo the number of records, fields or values. */
export interface Mutation {
  readonly kind: keyof typeof kinds
  readonly at: number
  readonly to: number
  readonly value: number
}

type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }
type Fields = { readonly [name: string]: Json }
type Change = (records: ReadonlyArray<LogRecord>, mutation: Mutation) => ReadonlyArray<LogRecord>

/** Replacement values for numbers, texts and idsets in records, some plausible and some extreme. */
const numbers = [0, 1, 2, 0.001, 1.5, 59, 1e11, 1e12, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER]
const texts = ['', '1', 'never came', '__proto__', 'estimate', 'reservation', 'node-down', 'cancel', 'a\nb']
const idsets = ['', '0', '0-1', '0-3,5', '7', '0-7']

const kinds = {
  drop: (records, { at }) => records.toSpliced(at, 1),
  repeat: (records, { at, to }) => records.toSpliced(to, 0, records[at]),
  move: (records, { at, to }) => records.toSpliced(at, 1).toSpliced(to, 0, records[at]),
  swap: (records, { at, to }) => records.with(at, records[to]).with(to, records[at]),
  /** Sets a field of a record to the value of the same field in another record. */
  borrow: (records, { at, to, value }) =>
    changed(records, at, value, (name) => (records[to] as unknown as Fields)[name]),
  replace: (records, { at, to, value }) => changed(records, at, value, (_, found) => otherValue(found, to)),
  omit: (records, { at, value }) => changed(records, at, value, () => undefined),
  cut: (records, { at }) => records.slice(0, at),
  /** Changes the type of a record, and adds the fields of all types. */
  disguise: (records, { at, to, value }) =>
    records.with(at, {
      ...defaults(records[at], numbers[value % numbers.length]),
      ...records[at],
      type: types[to % types.length],
    } as unknown as LogRecord),
} satisfies { readonly [kind: string]: Change }

const types = ['submit', 'cancel', 'finish', 'down', 'up', 'reserve', 'unreserve', 'allocate', 'release', 'route', 'kill', 'requeue', 'reject', 'refuse', 'progress', 'withdraw', 'fault', 'gap', 'end'] as const // prettier-ignore

/** Generates random changes of logs. */
export const mutations: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom(...(Object.keys(kinds) as ReadonlyArray<keyof typeof kinds>)),
  at: fc.nat(),
  to: fc.nat(),
  value: fc.nat(),
})

/** Applies changes to the records after the header, one after another. */
export function mutated(records: ReadonlyArray<LogRecord>, all: ReadonlyArray<Mutation>): ReadonlyArray<LogRecord> {
  return all.reduce<ReadonlyArray<LogRecord>>((some, mutation) => {
    if (some.length === 0) return some
    const [at, to] = [mutation.at % some.length, mutation.to % some.length]
    const isPlaces = mutation.kind === 'replace' || mutation.kind === 'disguise'
    return kinds[mutation.kind](some, { ...mutation, at, to: isPlaces ? mutation.to : to })
  }, records)
}

/** Returns the header with one changed field; if the field is an object, one field of the object is changed. */
export function mutatedHeader(header: Header, { at, to, value }: Mutation): Header {
  const names = Object.keys(header).slice(4)
  const name = names[at % names.length]
  const found = (header as unknown as Fields)[name]
  const other =
    typeof found === 'object' && found !== null && !Array.isArray(found)
      ? changed([found as unknown as LogRecord], 0, value, (_, inner) => otherValue(inner, to), 0)[0]
      : otherValue(found, to)
  return { ...header, [name]: other }
}

/** Changes one field of record `at`. @param first index of the first field of the record that may change */
function changed(
  records: ReadonlyArray<LogRecord>,
  at: number,
  place: number,
  valueOf: (name: string, found: Json) => Json | undefined,
  first = 1,
): ReadonlyArray<LogRecord> {
  const record = records[at] as unknown as Fields
  const names = Object.keys(record).filter((name, index) => index >= first && name !== 'type')
  if (names.length === 0) return records
  const name = names[place % names.length]
  const value = valueOf(name, record[name])
  const { [name]: _, ...rest } = record
  const fields = value === undefined ? rest : { ...record, [name]: value }
  return records.with(at, fields as unknown as LogRecord)
}

function otherValue(found: Json, choice: number): Json {
  if (typeof found === 'number')
    return choice % 3 === 0 ? found + 1 : choice % 3 === 1 ? Math.max(0, found - 1) : numbers[choice % numbers.length]
  if (typeof found === 'boolean') return !found
  if (typeof found === 'string' && /^[\d,-]*$/.test(found)) return idsets[choice % idsets.length]
  if (typeof found === 'string') return texts[choice % texts.length]
  if (Array.isArray(found) && found.length > 0)
    return found.with(choice % found.length, otherValue(found[choice % found.length] as Json, choice >> 3))
  return found
}

/** Returns values for the fields of all record types, so that a record of a changed type has all fields of its type. */
function defaults(record: LogRecord, value: number): Fields {
  const number = Math.trunc(value)
  const totals = { submitted: 0, started: 0, finished: 0, rejected: 0, killed: 0, cancelled: 0 }
  const job = 'job' in record ? record.job : 'never came'
  return { job, size: 1, nodes: '0', start: number, cause: record.seq, for: record.seq, of: record.seq, since: 0, op: 'add', scheme: 'partition', entries: 1, digest: 'A'.repeat(43), code: 'cancel', constraint: '', purpose: 'start', request: {}, message: '', rate: number, ...totals } // prettier-ignore
}

/**
 * Returns a log of a header and records with new seals and new record numbers. Anybody can write such seals: seals
 * reveal accidents, but no forgery. Leaves out seal records, records of unknown type, and all records after the end
 * record.
 * @throws RecordError, LogWriteError if no log can hold the records
 */
export function resealed(header: Header, records: Iterable<LogRecord>): Uint8Array {
  const chunks: Array<Uint8Array> = []
  const topology = { ...headerTopology(header), name: header.topology.name }
  const writer = new LogWriter(header, topology, (chunk) => chunks.push(chunk), sha256)
  for (const record of records) {
    if (record.type === 'header' || record.type === 'seal' || record.type === 'unknown') continue
    writer.append(record satisfies Appendable)
    if (record.type === 'end') break
  }
  return new Uint8Array(Buffer.concat(chunks))
}
