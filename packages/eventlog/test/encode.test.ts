import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeRecord, encodeRecord, type LogRecord } from '../src/index.ts'
import { encodeJson } from '../src/records/kinds.ts'
import { json } from './sample-logs.ts'

describe('encodeRecord', () => {
  it('encodeRecord writes the keys in order, leaves out absent keys, and escapes texts', () => {
    const record = {
      cause: 2,
      job: '\u007fé😀"\\\n\u001f',
      type: 'finish',
      status: undefined,
      t: 0.001,
      seq: 3,
    } as unknown as LogRecord
    expect(encodeRecord(record)).toBe(
      '{"seq":3,"t":0.001,"type":"finish","job":"\u007f\\u00e9\\ud83d\\ude00\\"\\\\\\n\\u001f","cause":2}',
    )
  })

  it('encodeRecord gives lines that decodeRecord turns into the same record', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), json, fc.nat(2 ** 40), (text, nearest, ms) => {
        const record: LogRecord = {
          seq: 7,
          t: ms / 1000,
          type: 'refuse',
          job: text,
          code: text,
          constraint: text,
          nearest,
          cause: 1,
        }
        const line = encodeRecord(record)
        expect(/^[ -\u007f]*$/.test(line)).toBe(true)
        expect(encodeRecord(decodeRecord(line))).toBe(line)
        expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(record)))
      }),
    )
  })
})

describe('decodeRecord', () => {
  const refused = (line: string) => expect(() => decodeRecord(line)).toThrow()

  it('decodeRecord refuses a record in another than the canonical spelling', () => {
    const line = '{"seq":3,"t":12.5,"type":"reserve","job":"a","start":20,"nodes":"0-2,7","links":["","5"],"cause":2}'
    expect(encodeRecord(decodeRecord(line))).toBe(line)
    const others: ReadonlyArray<readonly [string, string]> = [
      ['{"seq"', '{ "seq"'],
      ['"a"', '"\\u0061"'],
      ['12.5', '12.50'],
      ['12.5', '1.25e1'],
      ['12.5', '12.5001'],
      ['12.5', '-12.5'],
      ['12.5', '1e16'],
      ['12.5', '"12.5"'],
      ['"t":12.5,', ''],
      ['"start":20', '"start":-0'],
      ['"start":20', '"start":20.0'],
      ['"seq":3', '"seq":3.0'],
      ['"seq":3', '"seq":3,"seq":3'],
      ['"seq":3,"t":12.5', '"t":12.5,"seq":3'],
      ['0-2,7', '0-2,7,'],
      ['0-2,7', '0-1,2,7'],
      ['0-2,7', '7,0-2'],
      ['0-2,7', '00-2,7'],
      ['0-2,7', '0-2,7-7'],
      ['0-2,7', '[0-2,7]'],
      ['0-2,7', '0-2,4194304'],
      ['"links":["","5"]', '"links":["5",""]'],
      ['"links":["","5"]', '"links":[]'],
      ['"links":["","5"]', '"links":null'],
      ['"cause":2', '"cause":2,"cause2":2'],
      ['"cause":2', '"cause":2,"x":{}'],
      ['"cause":2', '"cause":-1'],
      ['"cause":2', '"cause":9007199254740992'],
      ['}', '} '],
      ['"a"', '1'],
      ['"a"', '"é"'],
    ]
    for (const [from, to] of others) {
      expect(line).toContain(from)
      refused(line.replace(from, to))
    }
  })

  it('decodeRecord refuses free JSON in another than the canonical spelling', () => {
    const withNearest = (text: string) =>
      `{"seq":3,"t":1,"type":"refuse","job":"a","code":"b","constraint":"c","nearest":${text},"cause":2}`
    for (const good of ['{"b":1,"a":[0.5,1e+21,-3,null,""]}', '{"0":1,"b":2}', '"\\u00e9"'])
      expect(encodeRecord(decodeRecord(withNearest(good)))).toBe(withNearest(good))
    for (const bad of ['{"b":1,"0":2}', '{"a":1,"a":1}', '1.0', '1E3', '1e400', '-0', '"\\u00E9"', '[ ]', '"\\/"'])
      refused(withNearest(bad))
  })
})

describe('encodeJson', () => {
  it('encodeJson returns JSON in ASCII', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = encodeJson(value)
        expect(/^[ -\u007f]*$/.test(text)).toBe(true)
        expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(value))
      }),
    )
  })
})
