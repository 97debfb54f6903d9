import { formatIdset } from '@cloister/topology'
import { type Field, type Fields, idset, type Kind, links, naturals, time, type ValueOf } from '../records/kinds.ts'
import { recordTable, type RecordTable } from '../records/table.ts'
import type { End, Header, Seal, Written } from '../records/types.ts'
import { isSealSeq, SEAL_EVERY } from './header.ts'

/** Ids of nodes, and ids of links by level (`links[0]`: leaf up-ports). Levels beyond the end of `links` are empty. */
export interface Resources {
  readonly nodes: ArrayLike<number>
  readonly links: ReadonlyArray<ArrayLike<number>>
}

/** Type of record that a recorder takes: any type except header and seal. */
export type RecordedType = Exclude<keyof RecordTable, 'header' | 'seal'>

/** Record that `LogWriter.append` can write: any record except a header and a seal. The writer makes the seals. */
export type Appendable = Exclude<Written, Header | Seal>

/** Fields of records that are lists of ids in an event, and texts or plain arrays in a record. */
interface IdLists extends Resources {
  readonly ranks: ArrayLike<number>
  readonly rails: ArrayLike<number>
  readonly cables: Resources['links']
}
type EventValue<Name, Of> = Name extends keyof IdLists ? IdLists[Name] : ValueOf<Of>

type EventFields<Of extends Fields> = {
  readonly [Name in keyof Of as Of[Name]['isOptional'] extends true ? never : Name]: EventValue<Name, Of[Name]>
} & {
  readonly [Name in keyof Of as Of[Name]['isOptional'] extends true ? Name : never]?:
    | EventValue<Name, Of[Name]>
    | undefined
}

/**
 * Event of a run: the fields of its record in the table of records, without `seq`. All times are integer milliseconds.
 * `nodes`, `links` and `ranks` are lists of ids; the ids of `nodes` and of each list of `links` ascend. An optional
 * field may be undefined, and its record then lacks the field.
 */
export type RecordedEvent<Type extends RecordedType = RecordedType> = {
  [Each in Type]: { readonly type: Each; readonly t: number } & EventFields<RecordTable[Each]>
}[Type]

/**
 * Takes the events of a run in order and numbers their records. The caller never changes the arrays of an event later,
 * so a recorder may keep the arrays. `LogWriter` turns the events into the bytes of a log; `countingRecorder` only
 * numbers the records.
 */
export interface Recorder {
  /** Records an event and returns the `seq` of the event's record. */
  record(event: RecordedEvent): number
  /**
   * Returns the `seq` that `record` returns for the next event, an event of this type. Only a recorder that reads no
   * other field of events has this method: a scheduler then calls `count`, and saves the time to make the event.
   */
  count?(type: RecordedType): number
}

/** Returns the record of an event, with times in seconds and ids as idsets. */
export function recordOf(event: RecordedEvent, seq: number): Appendable {
  const values = event as { readonly [name: string]: unknown }
  const record: { [name: string]: unknown } = { seq, t: event.t / 1000, type: event.type }
  for (const [name, { kind }] of Object.entries<Field<any>>(recordTable[event.type])) {
    const value = values[name] === undefined ? undefined : inRecord(kind, values[name])
    if (value !== undefined) record[name] = value
  }
  return record as unknown as Appendable
}

function inRecord(kind: Kind<any>, value: unknown): unknown {
  if (kind === time) return (value as number) / 1000
  if (kind === idset) return formatIdset(value as ArrayLike<number>)
  if (kind === naturals) return Array.from(value as ArrayLike<number>)
  return kind === links ? idsetsOf(value as Resources['links']) : value
}

/** Returns an idset for each level up to the last level with a link; undefined if no level has a link. */
function idsetsOf(levels: Resources['links']): ReadonlyArray<string> | undefined {
  let count = levels.length
  while (count > 0 && levels[count - 1].length === 0) count--
  return count === 0 ? undefined : levels.slice(0, count).map((ids) => formatIdset(ids))
}

/**
 * Totals of an end record. `started`, `finished` and `killed` count records, and a requeued job may have several; the
 * other totals count jobs.
 */
export type Totals = Omit<End, 'seq' | 't' | 'type'>

/**
 * Returns a recorder that writes nothing and returns the seqs that a `LogWriter` with the same `sealEvery` returns. A
 * recorder around this recorder that reads events needs `record` alone: with `count` it would miss events.
 */
export function countingRecorder(sealEvery: number = SEAL_EVERY): Recorder {
  // The header has seq 0.
  let next = 1
  const count = (type: RecordedType): number => {
    const seq = next++
    if (type === 'fault' || isSealSeq(next, sealEvery)) next++
    return seq
  }
  return { count, record: ({ type }) => count(type) }
}
