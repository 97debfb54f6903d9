import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Appendable,
  decodeRecord,
  type Down,
  encodeRecord,
  extractWindow,
  LogWriter,
  type RecordedEvent,
  resourcesOf,
} from '../src/index.ts'
import { sha256 } from '../src/node/index.ts'
import { recordTable } from '../src/records/table.ts'
import { anyRecord, appendableTypes } from './any-record.ts'
import { ReferenceWriter } from './reference-writer.ts'
import { concat, sampleHeader, topologies } from './sample-logs.ts'

const header = sampleHeader({ seal_every: 100 })
const TIMES: ReadonlySet<string> = new Set([
  't',
  'happened',
  'start',
  'estimate',
  'walltime',
  'limit',
  'since',
  'recorded_wait',
  'eligible',
])

/** Returns the event of a record. */
function eventOf(record: Appendable): RecordedEvent {
  const { seq: _seq, ...fields } = record
  const event = Object.entries(fields).map(([name, value]) => [
    name,
    TIMES.has(name) ? Math.round((value as number) * 1000) : value,
  ])
  const { rails = '', cables } = record as Partial<Down>
  const ofRails = resourcesOf({ nodes: rails, ...(cables !== undefined && { links: cables }) })
  return {
    ...Object.fromEntries(event),
    ...('nodes' in record ? resourcesOf(record) : {}),
    ...('rails' in record && { rails: ofRails.nodes }),
    ...('cables' in record && { cables: ofRails.links }),
  } as RecordedEvent
}

/** Returns the line of a record that a writer receives, by `append` or by `record`. */
function lineOf(record: Appendable, tell: (writer: LogWriter) => void): string {
  const chunks: Uint8Array[] = []
  const writer = new LogWriter(header, topologies[0], (chunk) => chunks.push(chunk), sha256)
  tell(writer)
  if (record.type !== 'end') writer.append({ seq: 0, t: record.t, type: 'end', ...totals })
  return Buffer.from(concat(chunks)).toString('latin1').split('\n')[1]
}
const totals = { submitted: 0, started: 0, finished: 0, rejected: 0, killed: 0, cancelled: 0 }

describe.each(appendableTypes)('a record of type %s', (type) => {
  const optional = Object.entries(recordTable[type]).flatMap(([name, { isOptional }]) => (isOptional ? [name] : []))

  it('a record keeps all fields when LogWriter.append writes it and readLog reads it', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(anyRecord(type), (record) => {
        const line = lineOf(record, (writer) => writer.append(record))
        expect(decodeRecord(line)).toEqual({ ...record, seq: 1 })
        expect(line).toBe(encodeRecord({ ...record, seq: 1 }))
        for (const name of Object.keys(record)) seen.add(name)
      }),
      { numRuns: 60 },
    )
    expect(optional.filter((name) => !seen.has(name))).toEqual([])
  })

  it('a record has the same line by LogWriter.append and by LogWriter.record', () => {
    fc.assert(
      fc.property(anyRecord(type), (record) => {
        const line = lineOf(record, (writer) => writer.record(eventOf(record)))
        expect(line).toBe(encodeRecord({ ...record, seq: 1 }))
      }),
      { numRuns: 60 },
    )
  })

  it('the first field of an event is required, because its key begins with the type', () => {
    expect(Object.values(recordTable[type])[0].isOptional).toBe(false)
  })

  it('LogWriter.record refuses an event without a required field', () => {
    fc.assert(
      fc.property(anyRecord(type), (record) => {
        for (const name of Object.keys(recordTable[type]).filter((each) => !optional.includes(each)))
          expect(() => lineOf(record, (writer) => writer.record({ ...eventOf(record), [name]: undefined }))).toThrow()
      }),
      { numRuns: 5 },
    )
  })
})

it('extractWindow keeps all fields of records', () => {
  fc.assert(
    fc.property(fc.constantFrom(...appendableTypes.filter((type) => type !== 'end')).chain(anyRecord), (record) => {
      const reference = new ReferenceWriter(header, topologies[0])
      reference.append(record)
      reference.append({ seq: 0, t: record.t, type: 'end', ...totals })
      const chunks: Uint8Array[] = []
      const keep = (chunk: Uint8Array): number => chunks.push(chunk)
      // A part from time 0 on folds no record, so any record can stand in the part.
      extractWindow(() => reference.records, 0, Infinity, keep, sha256)
      const {
        cause: _cause,
        for: _for,
        backfill: _backfill,
        of: _of,
        undo: _undo,
        moved: _moved,
        ...rest
      } = record as Appendable & Referring
      expect(decodeRecord(Buffer.from(concat(chunks)).toString('latin1').split('\n')[1])).toMatchObject({
        ...rest,
        seq: 1,
      })
    }),
    { numRuns: 200 },
  )
})

/** Fields whose values are seqs of other records; a copy of a log has new seqs. */
interface Referring {
  readonly cause?: number
  readonly for?: number
  readonly backfill?: number
  readonly of?: number
  readonly undo?: number
  readonly moved?: number
}
