import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeRecord } from '../src/index.ts'
import { lineDecoder } from '../src/records/lines.ts'
import { FEATURES, REVISION, upcasters } from '../src/records/versions.ts'
import { VERSION } from '../src/records/table.ts'
import { anyRecord, appendableTypes } from './any-record.ts'

/** Start of a header that allows all fields of the table. */
const additions = { format: 'cloister-log', version: VERSION, revision: REVISION, requires: [...FEATURES].sort() }
const { decode, scan } = lineDecoder(JSON.stringify(additions), upcasters)
const scanLine = (line: string) => {
  const text = `before\n${line}\nafter`
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0))
  return scan(bytes, text, 7, 7 + line.length)
}

const record = fc.constantFrom(...appendableTypes).chain((type) => anyRecord(type))
const usual = '{"seq":3,"t":12.5,"type":"reserve","job":"a","start":20,"nodes":"0-2,7","links":["","5"],"cause":2}'

describe('LineScanner', () => {
  it('LineScanner reads the usual records of logs', () => {
    const lines = [
      usual,
      '{"seq":1,"t":0,"type":"submit","job":"7","size":16,"estimate":20.125,"walltime":3600,"user":"a b","queue":""}',
      '{"seq":4,"t":12.5,"type":"allocate","job":"7","nodes":"0-17,36","links":["0-17","3"],"backfill":3,"cause":2}',
      '{"seq":5,"t":900000.001,"type":"finish","job":"a job with a long name","cause":4,"status":"failed"}',
      '{"seq":6,"t":900000.001,"type":"release","job":"7","cause":5}',
      `{"seq":6,"t":8,"type":"cancel","job":"${'x'.repeat(40)}"}`,
      `{"seq":7,"t":900000.001,"type":"seal","state":"${'a'.repeat(43)}","hash":"${'-'.repeat(43)}"}`,
    ]
    for (const line of lines) expect(scanLine(line)).toEqual(decode(line))
  })

  it('LineScanner returns the record that decodeRecord returns, or undefined', () => {
    fc.assert(
      fc.property(record, (each) => {
        const line = encodeRecord(each)
        const found = scanLine(line)
        if (found !== undefined) expect(encodeRecord(found)).toBe(line)
        if (found !== undefined) expect(found).toEqual(decode(line))
      }),
    )
  })

  it('LineScanner reads no line that decodeRecord refuses', () => {
    const pieces = [
      '0',
      '1',
      '9',
      '.',
      '"',
      ',',
      '-',
      '\\',
      'e5',
      '-0',
      '[',
      ']',
      '}',
      ' ',
      '\u007f',
      '\u0000',
      'é',
      ':',
    ]
    const places = fc.tuple(record.map(encodeRecord), fc.nat(), fc.nat(3), fc.constantFrom('', ...pieces))
    const usualLine = fc.tuple(fc.constant(usual), fc.nat(usual.length), fc.nat(3), fc.constantFrom('', ...pieces))
    let taken = 0
    fc.assert(
      fc.property(fc.oneof(places, usualLine), ([line, place, length, piece]) => {
        const at = place % (line.length + 1)
        const changed = line.slice(0, at) + piece + line.slice(at + length)
        const found = changed.includes('\n') ? undefined : scanLine(changed)
        if (found === undefined) return
        taken++
        expect(found).toEqual(decode(changed))
      }),
      { numRuns: 3000 },
    )
    expect(taken).toBeGreaterThan(100)
  })
})
