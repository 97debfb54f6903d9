import { describe, expect, it } from 'vitest'
import { describeOutcome, readLog, type Upcaster, type Upcasters } from '../src/index.ts'
import { sha256 } from '../src/node/index.ts'
import { upcasters } from '../src/records/versions.ts'
import { drain, read, type Reading } from './reading.ts'
import { linesOf, sealed, textOf } from './sealed-lines.ts'
import { tinyLog } from './tiny-log.ts'

/**
 * Upcaster from an invented version, to show how a change of the format is made: the header called the topology
 * `machine`, and submits called the size `nodes`.
 */
const fromVersion2: Upcaster = (record) => {
  switch (record['type']) {
    case 'header': {
      const { machine, ...rest } = record
      return { ...rest, version: 3, topology: machine! }
    }
    case 'submit': {
      const { nodes, ...rest } = record
      return { ...rest, size: nodes }
    }
    default:
      return record
  }
}
const known: Upcasters = new Map([...upcasters, [2, fromVersion2]])
/** Text of the log of tiny-log.ts, in the invented version 2. */
const oldText = textOf(
  sealed(
    linesOf(Buffer.from(tinyLog()).toString()).map((line) =>
      line.replace('"version":3', '"version":2').replace('"topology":', '"machine":').replace('"size":', '"nodes":'),
    ),
  ),
)
const old = new TextEncoder().encode(oldText)

function readOld(bytes: Uint8Array, versions = known): Reading {
  return drain(readLog([bytes], sha256, versions))
}

describe('a log of an older version', () => {
  it('readLog converts a log of an older version to the present version, except for the hashes in its seals', () => {
    const withoutHash = ({ records }: Reading) => records.map((record) => ({ ...record, hash: undefined }))
    const { outcome } = readOld(old)
    expect(outcome).toEqual({ status: 'whole', records: 15, sealed: 15, bytes: old.length })
    expect(withoutHash(readOld(old))).toEqual(withoutHash(read(tinyLog())))
  })

  it('readLog checks the hashes of a log of an older version: no changed bit is accepted', () => {
    for (let bit = 0; bit < 8 * old.length; bit += 11) {
      const changed = old.slice()
      changed[bit >> 3] ^= 1 << (bit & 7)
      const { records, outcome } = readOld(changed)
      expect(outcome.status).toBe(bit >> 3 === old.length - 1 ? 'torn' : 'corrupt')
      expect(records).toEqual(readOld(old).records.slice(0, outcome.records))
    }
  })

  it('readLog reads a log of an older version up to a cut, like a log of the present version', () => {
    for (let length = 0; length < old.length; length += 7) {
      const lines = oldText.slice(0, length).split('\n').length - 1
      expect(readOld(old.subarray(0, length)).outcome).toMatchObject({ records: lines })
    }
  })

  it('readLog refuses a log of an older version if an upcaster returns no valid record of the present version', () => {
    const bad = (from: string, to: string) => describeOutcome(readOld(Buffer.from(oldText.replace(from, to))).outcome)
    expect(bad('"nodes":4', '"nodes":-4')).toContain(
      'not a valid submit record: Expected a value greater than or equal to 0 at ["size"]',
    )
    expect(bad('"nodes":4', '"nodes": 4')).toContain('not the canonical spelling')
    expect(bad('"machine":{', '"machine":{"x":1,')).toContain('not a valid header record')
    expect(bad('\n{"seq":1', '\n[]\n{"seq":1')).toContain('not a record')
  })

  it('readLog refuses a log of an older version that requires an unknown feature', () => {
    const log = oldText.replace('"origin"', '"requires":["telepathy"],"origin"')
    expect(describeOutcome(readOld(Buffer.from(log)).outcome)).toContain('requires the feature "telepathy"')
  })

  it('readLog converts a log through all versions, one after another', () => {
    const fromVersion1: Upcaster = ({ n, ...record }) =>
      record['type'] === 'header' ? { ...record, version: 2 } : { ...record, nodes: n! }
    const header = oldText.slice(0, oldText.indexOf('\n') + 1).replace('"version":2', '"version":1')
    const line = '{"seq":1,"t":0,"type":"submit","job":"1","n":4}\n'
    const { records } = readOld(Buffer.from(header + line), new Map([...known, [1, fromVersion1]]))
    expect(records).toMatchObject([
      { type: 'header', version: 3 },
      { type: 'submit', size: 4 },
    ])
  })
})

describe('a log of an unreadable version', () => {
  const said = (version: string, versions?: Upcasters) =>
    describeOutcome(
      drain(readLog([Buffer.from(oldText.replace('"version":2', `"version":${version}`))], sha256, versions)).outcome,
    )

  it('readLog refuses a log of an unreadable version, and lists the readable versions', () => {
    expect(said('2')).toContain(
      'corrupt at byte 0, line 1: format version 2, which this program does not read: it reads version 3',
    )
    expect(said('4')).toContain(
      'format version 4, which this program does not read: it reads version 3; a newer program is needed',
    )
    expect(said('4', known)).toContain('it reads versions 2 to 3; a newer program is needed')
    expect(said('1', known)).toContain('format version 1, which this program does not read: it reads versions 2 to 3')
    expect(said('-5', known)).toContain('it reads versions 2 to 3')
    expect(said('0', new Map([...known, [0, fromVersion2]]))).toContain('it reads versions 2 to 3')
    for (const none of ['"1"', 'null', '1.5', '1e999', '[1]']) expect(said(none)).toMatch(/not a valid header record/)
  })
})
