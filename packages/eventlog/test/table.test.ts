import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Appendable, decodeRecord, encodeRecord, extractWindow, LogWriter } from '../src/index.ts'
import { parameterFields } from '../src/log/recorder.ts'
import { sha256 } from '../src/node/index.ts'
import { recordTable } from '../src/records/table.ts'
import { anyRecord, appendableTypes } from './any-record.ts'
import { ReferenceWriter } from './reference-writer.ts'
import { retell } from './retell.ts'
import { concat, sampleHeader, topologies } from './sample-logs.ts'

const header = sampleHeader({ seal_every: 100 })

/** Returns the line of a record that a writer receives, by `append` or by the method for the type. */
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

  it("a record has the same line by LogWriter.append and by the writer's method for the type", () => {
    fc.assert(
      fc.property(anyRecord(type), (record) => {
        let isTold = false
        const line = lineOf(record, (writer) => {
          isTold = retell(record, writer)
          if (!isTold) writer.append(record)
        })
        expect(isTold).toBe(type in parameterFields || type === 'end')
        expect(line).toBe(encodeRecord({ ...record, seq: 1 }))
      }),
      { numRuns: 60 },
    )
  })

  it("the writer's method for a type of record has a parameter for every required field", () => {
    const given: ReadonlyArray<string> | undefined = parameterFields[type as keyof typeof parameterFields]
    if (given === undefined) return
    const names = Object.keys(recordTable[type])
    expect(given.filter((name) => !names.includes(name))).toEqual([])
    expect(names.filter((name) => !given.includes(name) && !optional.includes(name))).toEqual([])
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
      const { cause: _cause, for: _for, backfill: _backfill, of: _of, ...rest } = record as Appendable & Referring
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
}
