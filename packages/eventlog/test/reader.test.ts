import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { BrokenChunksError, describeOutcome, encodeRecord, LogReader, type LogRecord, readLog } from '../src/index.ts'
import { sha256 } from '../src/node/index.ts'
import { drain, read, type Reading } from './reading.ts'
import { ReferenceWriter } from './reference-writer.ts'
import { anyHeader, anyRun, type Call, concat, sampleHeader, topologies, writeLog } from './sample-logs.ts'

const allocation = { nodes: [0, 1, 2, 5], links: [[0, 3], [7]] }
/** Calls for a log with records of many types, and with seals at the seqs 8, 16, 24 and 26. */
const calls: ReadonlyArray<Call> = [
  (to) => to.record({ type: 'submit', t: 0, job: '17', size: 4, estimate: 60_000, name: 'é"' }),
  (to) => to.record({ type: 'submit', t: 500, job: '18', size: 2 }),
  (to) => to.record({ type: 'allocate', t: 500, job: '17', ...allocation, note: { pod: 0 }, cause: 2 }),
  (to) =>
    to.record({
      type: 'refuse',
      t: 500,
      job: '18',
      code: 'no-placement',
      constraint: 'leaf',
      nearest: { have: 1 },
      cause: 2,
    }),
  (to) => to.record({ type: 'reserve', t: 500, job: '18', start: 60_500, ...allocation, cause: 2 }),
  (to) => to.record({ type: 'down', t: 600, nodes: [5] }),
  (to) => to.record({ type: 'kill', t: 600, job: '17', code: 'node-down', cause: 6 }),
  (to) => to.record({ type: 'release', t: 600, job: '17', cause: 7 }),
  (to) => to.record({ type: 'requeue', t: 600, job: '17', cause: 7 }),
  (to) => to.record({ type: 'unreserve', t: 600, job: '18', for: 5, cause: 6 }),
  (to) => to.record({ type: 'allocate', t: 600, job: '18', nodes: [8, 9], links: [[]], cause: 6 }),
  (to) => to.record({ type: 'route', t: 600, job: '18', entries: ['4 8-9:0+2'], cause: 12 }),
  (to) => to.record({ type: 'up', t: 700, nodes: [5] }),
  (to) => to.record({ type: 'finish', t: 1700, job: '18', cause: 12 }),
  (to) => to.record({ type: 'release', t: 1700, job: '18', cause: 15 }),
  (to) => to.record({ type: 'route', t: 1700, job: '18', undo: 13, cause: 17 }),
  (to) => to.record({ type: 'cancel', t: 1800, job: '17' }),
  ...['20', '21', '22'].map(
    (id): Call =>
      (to) =>
        to.record({ type: 'submit', t: 2000, job: id, size: 99, estimate: 1 }),
  ),
  (to) => to.record({ type: 'reject', t: 2000, job: '20', code: 'never', constraint: 'machine size', cause: 22 }),
  (to) =>
    to.record({ type: 'end', t: 2000, submitted: 5, started: 2, finished: 1, rejected: 1, killed: 1, cancelled: 1 }),
]

let whole: Uint8Array
let records: ReadonlyArray<LogRecord>
/** First byte of every line, and the length of the log. */
let starts: ReadonlyArray<number>
beforeAll(() => {
  whole = writeLog(sampleHeader(), topologies[0], calls)
  const reference = new ReferenceWriter(sampleHeader(), topologies[0])
  for (const call of calls) call(reference)
  records = reference.records
  let at = 0
  starts = [0, ...records.map((record) => (at += encodeRecord(record).length + 1))]
  expect(records.filter((record) => record.type === 'seal').map((seal) => seal.seq)).toEqual([8, 16, 24, 26])
})

/** Replaces a line, or drops a line. */
function edited(line: number, text: string | undefined): Uint8Array {
  const before = whole.subarray(0, starts[line - 1])
  const after = whole.subarray(starts[line])
  return concat(text === undefined ? [before, after] : [before, Buffer.from(`${text}\n`), after])
}

function lineText(line: number): string {
  return encodeRecord(records[line - 1])
}

function expectCorrupt(reading: Reading, line: number, reason: string, sealed: number): void {
  expect(reading.outcome).toMatchObject({
    status: 'corrupt',
    line,
    offset: starts[line - 1],
    records: sealed,
    sealed,
    bytes: starts[sealed],
  })
  expect(describeOutcome(reading.outcome)).toContain(reason)
  expect(reading.records).toEqual(records.slice(0, sealed))
}

describe('readLog', () => {
  it('readLog returns the written records, for any records and any cut of the bytes into chunks', () => {
    fc.assert(
      fc.property(anyHeader, anyRun, fc.array(fc.nat(20_000)), (header, [topology, given], cuts) => {
        const bytes = writeLog(header, topology, given)
        const at = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length]
        const { records: found, outcome } = read(...at.slice(1).map((cut, i) => bytes.subarray(at[i], cut)))
        expect(outcome).toEqual({ status: 'whole', records: found.length, sealed: found.length, bytes: bytes.length })
        expect(found.map((record) => `${encodeRecord(record)}\n`).join('')).toBe(Buffer.from(bytes).toString('latin1'))
      }),
      { numRuns: 200 },
    )
  })

  it('readLog accepts exactly the whole lines of a log cut at any byte', () => {
    for (let length = 0; length < whole.length; length++) {
      const { records: found, outcome } = read(whole.subarray(0, length))
      const lines = starts.findLastIndex((start) => start <= length)
      const sealed = [0, 9, 17, 25].findLast((count) => count <= lines)
      expect(outcome).toMatchObject({
        status: starts[lines] === length && length > 0 ? 'unsealed' : 'torn',
        records: lines,
        sealed,
        bytes: starts[lines],
      })
      expect(found).toEqual(records.slice(0, lines))
    }
    expect(read(whole).outcome.status).toBe('whole')
  })

  it('readLog never reads a log with a changed bit as another log', () => {
    const small = writeLog(sampleHeader({ seal_every: 4 }), topologies[0], [...calls.slice(0, 4), calls.at(-1)!])
    const good = read(small).records
    for (let bit = 0; bit < 8 * small.length; bit++) {
      const changed = small.slice()
      changed[bit >> 3] ^= 1 << (bit & 7)
      const { records: found, outcome } = read(changed)
      // Only a change of the last line feed can look like a cut.
      expect(outcome.status).toBe(bit >> 3 === small.length - 1 ? 'torn' : 'corrupt')
      expect(found).toEqual(good.slice(0, outcome.records))
    }
  })

  it('readLog finds a changed byte at the same place for any cut of the bytes into chunks', () => {
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.integer({ min: 1, max: 400 }), (at, byte, size) => {
        const changed = whole.slice()
        changed[at] = byte
        const chunks: Uint8Array[] = []
        for (let from = 0; from < changed.length; from += size) chunks.push(changed.subarray(from, from + size))
        expect(read(...chunks)).toEqual(read(changed))
      }),
    )
  })

  it('readLog reports the fault of a corrupt log, with line and byte', () => {
    expectCorrupt(read(edited(3, 'hello')), 3, 'line 3: not JSON: "hello"', 0)
    expectCorrupt(read(edited(12, lineText(12).replace('"600"', '').slice(0, -1))), 12, 'not JSON', 9)
    expectCorrupt(read(edited(12, '[]')), 12, 'unknown "type"', 9)
    expectCorrupt(read(edited(12, 'null')), 12, 'unknown "type"', 9)
    expectCorrupt(read(edited(12, '{"seq":11,"t":0,"type":"toString"}')), 12, 'unknown "type"', 9)
    expectCorrupt(
      read(edited(2, lineText(2).replace('"size":4', '"size":-4'))),
      2,
      'not a valid submit record: Expected a value greater than or equal to 0 at ["size"]',
      0,
    )
    expectCorrupt(read(edited(2, lineText(2).replace('"size":4', '"size":4,"colour":1'))), 2, '["colour"]', 0)
    expectCorrupt(
      read(edited(2, lineText(2).replace('"t":0', '"t":0.0'))),
      2,
      'not the canonical spelling: at character 14',
      0,
    )
    expectCorrupt(read(edited(2, lineText(2).replace('\\u00e9', '\\u00E9'))), 2, 'not the canonical spelling', 0)
    expectCorrupt(read(edited(2, lineText(2).replace('\\u00e9', 'é'))), 2, 'not the canonical spelling', 0)
    expectCorrupt(read(edited(2, `${lineText(2)} `)), 2, 'not the canonical spelling', 0)
    expectCorrupt(read(edited(2, `${lineText(2)}\r`)), 2, 'not the canonical spelling', 0)
    expectCorrupt(read(edited(4, lineText(4).replace('0-2,5', '0-1,2,5'))), 4, 'wrong idset in "nodes"', 0)
    expectCorrupt(read(edited(4, lineText(4).replace('"0,3"', '"3,0"'))), 4, 'wrong idset in "links[0]"', 0)
    expectCorrupt(read(edited(6, lineText(6).replace('"0,3"', '"3,0"'))), 6, 'wrong idset in "links[0]"', 0)
    expectCorrupt(read(edited(4, lineText(4).replace('"7"', '""'))), 4, 'the last idset not empty', 0)
    expectCorrupt(read(edited(3, undefined)), 3, 'expected "seq":2, found 3', 0)
    expectCorrupt(read(edited(10, `${lineText(10)}\n${lineText(10)}`)), 11, 'expected "seq":10, found 9', 9)
    expectCorrupt(read(edited(1, undefined)), 1, 'no Cloister log', 0)
    expectCorrupt(read(edited(11, lineText(1).replace('"seq":0', '"seq":10'))), 11, '', 9)
    expectCorrupt(read(edited(11, lineText(1))), 11, 'expected "seq":10, found 0', 9)
    expectCorrupt(
      read(edited(9, lineText(10).replace('"seq":9', '"seq":8'))),
      9,
      'expected a seal here, found release',
      0,
    )
    expectCorrupt(read(edited(10, lineText(9).replace('"seq":8', '"seq":9'))), 10, 'a seal at a wrong place', 9)
    expectCorrupt(
      read(edited(27, lineText(10).replace('"seq":9', '"seq":26'))),
      27,
      'expected the final seal here, found release',
      25,
    )
    expectCorrupt(read(edited(9, lineText(9).replace('"t":0.6', '"t":0.7'))), 9, `the seal's "t"`, 0)
    expectCorrupt(
      read(edited(2, lineText(2).replace('"size":4', '"size":5'))),
      9,
      'the seal does not match: a byte from byte 0 on was changed',
      0,
    )
    expectCorrupt(
      read(edited(18, lineText(18).replace('"t":1.7', '"t":1.8'))),
      25,
      `a byte from byte ${starts[17]} on was changed`,
      17,
    )
    for (const more of ['x', '\n', `${lineText(10)}\n`]) {
      expectCorrupt(read(concat([whole, Buffer.from(more)])), 28, 'something follows the final seal', 27)
      expectCorrupt(read(whole, Buffer.from(more)), 28, 'something follows the final seal', 27)
    }
  })

  it('readLog finds a wrong state digest in a seal with the right hash', () => {
    const lying = () => {
      const real = sha256()
      let bytes = 0
      return {
        update: (chunk: Uint8Array) => {
          bytes += chunk.length
          real.update(chunk)
        },
        // The state digest covers two sums of 4 bytes; every hash of a seal covers more bytes.
        digest: () => (bytes === 8 ? new Uint8Array(32) : real.digest()),
      }
    }
    const log = readLog([whole], lying)
    expect(log.next()).toMatchObject({
      done: true,
      value: { status: 'corrupt', line: 9, offset: starts[8], reason: expect.stringContaining('state digest') },
    })
  })

  it('readLog refuses other files, other versions and impossible machines', () => {
    const reason = (text: string) => describeOutcome(read(Buffer.from(text)).outcome)
    expect(reason('; Version: 2.2\n')).toContain('corrupt at byte 0, line 1: this is no Cloister log')
    expect(reason('{"seq":0,"type":"header","format":"other"')).toContain('no Cloister log')
    const header = lineText(1)
    expect(reason(`${header.replace('"version":3', '"version":4')}\n`)).toContain('format version 4')
    expect(reason(`${header.replace('"version":3', '"version":"3"')}\n`)).toContain('not a valid header record')
    expect(reason(`${header.replace('"w":[1,2,2]', '"w":[2,2,2]')}\n`)).toContain('impossible "topology"')
    expect(reason(`${header.replace('"m":[2,2,4]', '"m":[4194304,4194304,4194304]')}\n`)).toContain(
      'impossible "topology"',
    )
    expect(reason(`${header.slice(0, -1)},"names":"a[1-3]"}\n`)).toContain(
      'impossible "topology": radix:4: expected 16 node names, found 3',
    )
    expect(reason(`${header.slice(0, -1)},"names":"a["}\n`)).toContain('wrong "names"')
    expect(reason(`${header.slice(0, -1)},"names":"a[1-8],a[9-16]"}\n`)).toContain('not the canonical hostlist')
    expect(
      reason(`${header.replace('"config":{}', `"config":{"a":${'['.repeat(1e5)}${']'.repeat(1e5)}}`)}\n`),
    ).toContain('nested at most 64 deep')
    expect(reason(`${header.replace('"config":{}', `"config":{"a":${'['.repeat(64)}${']'.repeat(64)}}`)}\n`)).toContain(
      'nested at most 64 deep',
    )
    expect(reason(`${header.replace('"config":{}', `"config":{"a":${'['.repeat(63)}${']'.repeat(63)}}`)}\n`)).toContain(
      'not finished',
    )
    expect(reason('')).toContain('torn: line 1 was dropped: the log is empty')
  })

  it('readLog refuses an endless line instead of holding all its bytes', () => {
    const reader = new LogReader(sha256)
    reader.push(Buffer.from(lineText(1).slice(0, -1)))
    const chunk = new Uint8Array(2 ** 24).fill(32)
    for (let i = 0; i < 3; i++) reader.push(chunk)
    expect(reader.outcome).toBeUndefined()
    reader.push(chunk)
    expect(reader.outcome).toMatchObject({
      status: 'corrupt',
      offset: 0,
      line: 1,
      reason: 'more than 67108864 bytes since the last seal',
    })
    expect(reader.push(whole)).toEqual([])
    expect(reader.end()).toMatchObject({ records: [], outcome: { status: 'corrupt' } })
  })

  it('readLog reads any bytes without an exception', () => {
    const fragment = fc.oneof(
      fc.uint8Array({ maxLength: 30 }),
      fc.nat(records.length - 1).map((i) => Buffer.from(`${lineText(i + 1)}\n`)),
      fc.json().map((text) => Buffer.from(`${text}\n`)),
      fc
        .tuple(fc.nat(10), fc.constantFrom(...records.map((record) => record.type)), fc.jsonValue())
        .map(([seq, type, value]) =>
          Buffer.from(`${JSON.stringify({ seq, t: 0, type, job: value, nodes: value, links: value, cause: value })}\n`),
        ),
    )
    fc.assert(
      fc.property(fc.array(fragment), fc.nat(9), (fragments, lines) => {
        const { records: found, outcome } = read(whole.subarray(0, starts[lines]), ...fragments)
        expect(found.length).toBe(outcome.records)
        expect(outcome.sealed).toBeLessThanOrEqual(outcome.records)
      }),
      { numRuns: 500 },
    )
  })

  it('readLog reads all chunks before a BrokenChunksError', () => {
    function* source(length: number, status: 'torn' | 'corrupt') {
      yield whole.subarray(0, length)
      throw new BrokenChunksError(status, 'frame 5')
    }
    const broken = (lines: number, status: 'torn' | 'corrupt') => drain(readLog(source(starts[lines], status), sha256))
    expect(broken(12, 'torn')).toEqual({
      records: records.slice(0, 12),
      outcome: { status: 'torn', records: 12, sealed: 9, bytes: starts[12], line: 13, reason: 'frame 5' },
    })
    expectCorrupt(broken(12, 'corrupt'), 13, 'frame 5', 9)
    expectCorrupt(broken(27, 'torn'), 28, 'something follows the final seal', 27)
    function* failing() {
      yield whole.subarray(0, 9)
      throw new TypeError('of the caller')
    }
    expect(() => readLog(failing(), sha256).next()).toThrow('of the caller')
  })
})
