import { type Field, fieldsOf, type Header, type LogRecord, type RecordType } from '@cloister/eventlog'
import { optionOf, type RunOptionName, runOptionNames } from '@cloister/run'

/** Log with one lie. `change` names the lie, such as `submit.user` for a changed field. */
export interface Lie {
  readonly change: string
  readonly header: Header
  readonly records: ReadonlyArray<LogRecord>
  /** True if the forger counts totals and causes again, because records moved; false after a change of one field. */
  readonly isMended: boolean
}

/** Returns one of the numbers from 0 to `count` - 1. */
export type Draw = (count: number) => number

type Values = { readonly [name: string]: unknown }

/** Fields that every record has, and that the writer of a log sets. */
const ofWriter: ReadonlySet<string> = new Set(['seq', 'type', 'format', 'version'])

const recordTypes = ['submit', 'cancel', 'finish', 'down', 'up', 'reserve', 'unreserve', 'allocate', 'release', 'route', 'kill', 'requeue', 'reject', 'refuse', 'progress', 'withdraw', 'fault', 'gap', 'seal', 'end'] as const satisfies ReadonlyArray<RecordType> // prettier-ignore

/** Types of records, and names of their fields: each pair that a forger changes. A seal is made again by the writer. */
export const forgedPairs: ReadonlyArray<string> = [
  ...pathsOf('header', fieldsOf('header')),
  ...recordTypes.filter((type) => type !== 'seal').flatMap((type) => pathsOf(type, fieldsOf(type))),
]

function pathsOf(above: string, fields: { readonly [name: string]: Field<any> }): ReadonlyArray<string> {
  return Object.entries(fields)
    .filter(([name]) => !ofWriter.has(name))
    .flatMap(([name, { kind }]) =>
      kind.fields === undefined ? [`${above}.${name}`] : pathsOf(`${above}.${name}`, kind.fields),
    )
}

/**
 * Returns the log with each field changed once, in a random record with the field: another value, no value, or a value
 * if no record has the optional field. A type of record that the log lacks is added once for each of its fields.
 */
export function* changedFields(header: Header, records: ReadonlyArray<LogRecord>, draw: Draw): Generator<Lie> {
  for (const { path, value } of changesOf('header', header, fieldsOf('header'), [header], draw))
    yield { change: path, header: value as unknown as Header, records, isMended: false }
  for (const type of recordTypes) {
    if (type === 'seal') continue
    const all = records.filter((record) => record.type === type) as unknown as ReadonlyArray<Values>
    if (all.length === 0) yield* addedRecords(type, header, records, draw)
    else
      for (const [name, field] of Object.entries(fieldsOf(type))) {
        if (ofWriter.has(name)) continue
        const having = all.filter((record) => record[name] !== undefined)
        const pool = having.length === 0 ? all : having
        const record = pool[draw(pool.length)]
        for (const { path, value } of changesOf(type, record, { [name]: field }, all, draw))
          yield { change: path, header, records: replaced(records, record, value), isMended: false }
      }
  }
}

function replaced(records: ReadonlyArray<LogRecord>, former: Values, value: Values): ReadonlyArray<LogRecord> {
  return records.with(records.indexOf(former as unknown as LogRecord), value as unknown as LogRecord)
}

/** Adds a record of a type that the log lacks at a random place, once with each field. */
function* addedRecords(
  type: RecordType,
  header: Header,
  records: ReadonlyArray<LogRecord>,
  draw: Draw,
): Generator<Lie> {
  const fields = Object.entries(fieldsOf(type)).filter(([name]) => !ofWriter.has(name))
  const place = draw(records.length)
  const { t } = records[place] as { readonly t: number }
  const jobs = records.flatMap((record) => (record.type === 'submit' ? [record.job] : []))
  const least = (name: string, field: Field<any>): unknown => {
    if (name === 't' || name === 'start' || name === 'since') return t
    if (name === 'job') return jobs[draw(jobs.length)]
    return name === 'nodes' ? '0' : firstValue(field)
  }
  const seq = Number.MAX_SAFE_INTEGER
  for (const [name, field] of fields) {
    const own = fields.filter(([each, { isOptional }]) => each === name || !isOptional)
    const record = { seq, type, ...Object.fromEntries(own.map(([each, one]) => [each, least(each, one)])) }
    const paths = field.kind.fields === undefined ? [`${type}.${name}`] : pathsOf(`${type}.${name}`, field.kind.fields)
    for (const change of paths)
      yield { change, header, records: records.toSpliced(place, 0, record as unknown as LogRecord), isMended: false }
  }
}

/** Returns the object with each of its fields changed, at any depth. @param others objects with values to borrow */
function* changesOf(
  above: string,
  of: object,
  fields: { readonly [name: string]: Field<any> },
  others: ReadonlyArray<object>,
  draw: Draw,
): Generator<{ readonly path: string; readonly value: Values }> {
  const values = of as Values
  for (const [name, field] of Object.entries(fields)) {
    if (ofWriter.has(name)) continue
    const path = `${above}.${name}`
    const found = values[name]
    const inner = field.kind.fields
    if (inner !== undefined && found !== undefined) {
      const borrowed = others.flatMap((each) => [(each as Values)[name] ?? []].flat()) as ReadonlyArray<object>
      const [first, ...rest] = [found].flat() as ReadonlyArray<object>
      for (const change of changesOf(path, first, inner, borrowed, draw)) {
        const changed = Array.isArray(found) ? [change.value, ...rest] : change.value
        yield { path: change.path, value: { ...values, [name]: changed } }
      }
    } else if (inner !== undefined) {
      const made = firstValue(field)
      for (const each of pathsOf(path, inner)) yield { path: each, value: { ...values, [name]: made } }
    } else {
      const pool = others.map((each) => (each as Values)[name]).filter((each) => each !== undefined && each !== found)
      for (const value of otherValues(name, field, found, pool, draw))
        yield { path, value: { ...values, [name]: value } }
    }
    if (field.isOptional && found !== undefined) {
      const { [name]: _, ...rest } = values
      yield { path, value: rest }
    }
  }
}

/** Returns plausible other values of a field. @param pool values of the field in other records */
function otherValues(
  name: string,
  field: Field<any>,
  found: unknown,
  pool: ReadonlyArray<unknown>,
  draw: Draw,
): ReadonlyArray<unknown> {
  const { values } = field.kind
  const borrowed = pool.length === 0 ? [] : [pool[draw(pool.length)]]
  if (values !== undefined) return values.filter((value) => value !== found)
  const samples = (runOptionNames as ReadonlyArray<string>).includes(name)
    ? optionOf(name as RunOptionName).samples
    : []
  if (found === undefined) return [...new Set([firstValue(field), ...samples.slice(0, 1)])]
  const others = [...borrowed, ...samples, ...near(found)].filter(
    (value) => JSON.stringify(value) !== JSON.stringify(found),
  )
  return [...new Set(others)].slice(0, 6)
}

function near(found: unknown): ReadonlyArray<unknown> {
  if (typeof found === 'number') return [found + 1, Math.max(0, found - 1), found + 1_000_000, 0]
  if (typeof found === 'boolean') return [!found]
  if (typeof found === 'string') return nearText(found)
  if (Array.isArray(found)) return [found.toReversed(), found.slice(1), [...found, ...found.slice(-1)]]
  return typeof found === 'object' && found !== null ? [{ ...found, forged: 1 }] : [1]
}

function nearText(found: string): ReadonlyArray<string> {
  if (/^[\d,-]+$/.test(found)) return ['0', '0-1', `0,${found}`, found.replace(/^\d+[-,]?/, '')]
  if (/^[\d,-]+ \d/.test(found))
    return [found.replace(/:(\d+)/, ':0'), found.replace(/:(\d+)/, ':1'), found.replace(/ \S+$/, '')]
  if (/^[0-9a-f]{64}$/.test(found)) return ['0'.repeat(64)]
  return /^[\w-]{43}$/.test(found) ? ['A'.repeat(43)] : [`${found}x`, '']
}

/** Returns a value for a field that the record lacks. */
function firstValue({ kind }: Field<any>): unknown {
  if (kind.values !== undefined) return kind.values[0]
  if (kind.fields !== undefined) {
    const made = Object.fromEntries(Object.entries(kind.fields).map(([name, field]) => [name, firstValue(field)]))
    return kind.name.startsWith('list') ? [made] : made
  }
  switch (kind.name) {
    case 'idset':
      return ''
    case 'links':
      return ['0']
    case 'table entries':
      return ['0 0:0']
    case 'true or false':
      return true
    case 'digest':
      return 'A'.repeat(43)
    case 'SHA-256 in hexadecimal':
      return '0'.repeat(64)
    case 'free JSON object':
      return { forged: 1 }
    case 'free JSON':
    case 'time':
    case 'seq':
    case 'integer':
      return 1
    default:
      return kind.name.startsWith('integer')
        ? 1
        : kind.name.startsWith('list')
          ? [kind.name.includes('names') ? 'forged' : 0]
          : 'forged'
  }
}
