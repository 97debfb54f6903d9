import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countingRecorder, LogWriteError, LogWriter, RecordError } from '../src/index.ts'
import { sha256 } from '../src/node/index.ts'
import { ReferenceWriter } from './reference-writer.ts'
import { anyCallsOn, anyHeader, anyRun, type Call, sampleHeader, topologies, writeLog } from './sample-logs.ts'

describe('LogWriter', () => {
  it('LogWriter writes the same bytes as the reference writer, for any calls', () => {
    fc.assert(
      fc.property(anyHeader, anyRun, (header, [topology, calls]) => {
        const reference = new ReferenceWriter(header, topology)
        for (const call of calls) call(reference)
        expect(Buffer.from(writeLog(header, topology, calls)).toString('latin1')).toBe(reference.text)
      }),
      { numRuns: 300 },
    )
  })

  it('LogWriter digests sums of MB/s on a link that a double cannot hold exactly', () => {
    const header = sampleHeader({}, 'capped')
    const [topology] = topologies
    const none = topology.levels.map(() => new Int32Array())
    const allocation = (bandwidth: number) => ({
      nodes: new Int32Array(),
      links: [Int32Array.of(0), ...none.slice(1)],
      bandwidth,
    })
    const calls: ReadonlyArray<Call> = [
      (to) => to.record({ type: 'allocate', t: 0, job: '1', ...allocation(2 ** 32 - 1), cause: 0 }),
      (to) => to.record({ type: 'allocate', t: 0, job: '2', ...allocation(2 ** 53 - 2), cause: 0 }),
      (to) =>
        to.record({ type: 'end', t: 0, submitted: 0, started: 0, finished: 0, rejected: 0, killed: 0, cancelled: 0 }),
    ]
    const reference = new ReferenceWriter(header, topology)
    for (const call of calls) call(reference)
    expect(Buffer.from(writeLog(header, topology, calls)).toString('latin1')).toBe(reference.text)
  })

  it('LogWriter numbers records like the reference writer and countingRecorder', () => {
    fc.assert(
      fc.property(anyHeader, anyCallsOn(topologies[0]), (header, calls) => {
        const writer = new LogWriter(header, topologies[0], () => {}, sha256)
        const reference = new ReferenceWriter(header, topologies[0])
        const counter = countingRecorder(header.seal_every)
        const counting = countingRecorder(header.seal_every)
        for (const call of calls) {
          const seq = call(reference)
          expect(call(writer)).toBe(seq)
          expect(call(counter)).toBe(seq)
          expect(call({ record: ({ type }) => counting.count!(type) })).toBe(seq)
        }
      }),
      { numRuns: 50 },
    )
  })

  it('LogWriter gives the sink one chunk for each seal, and never changes the chunk later', () => {
    const chunks: string[] = []
    const kept: Uint8Array[] = []
    const writer = new LogWriter(
      sampleHeader({ seal_every: 4 }),
      topologies[0],
      (chunk) => {
        chunks.push(Buffer.from(chunk).toString())
        kept.push(chunk)
      },
      sha256,
    )
    for (let i = 0; i < 9; i++) writer.record({ type: 'cancel', t: 0, job: String(i) })
    writer.record({ type: 'end', t: 0, ...totals })
    expect(chunks.map((chunk) => chunk.split('\n').length - 1)).toEqual([5, 4, 4, 2])
    expect(chunks.every((chunk) => chunk.trimEnd().split('\n').at(-1)!.includes('"type":"seal"'))).toBe(true)
    expect(kept.map((chunk) => Buffer.from(chunk).toString())).toEqual(chunks)
  })

  it('LogWriter refuses records that no log can hold', () => {
    const allocation = (...nodes: number[]) => ({ nodes, links: [] })
    const wrong: ReadonlyArray<readonly [string, (writer: LogWriter) => number]> = [
      [
        'ascend from 0, found 3 after 3',
        (to) => to.record({ type: 'allocate', t: 0, job: '1', ...allocation(3, 3), cause: 0 }),
      ],
      [
        'ascend from 0, found 2 after 3',
        (to) => to.record({ type: 'allocate', t: 0, job: '1', ...allocation(3, 2), cause: 0 }),
      ],
      ['ascend from 0, found -1 first', (to) => to.record({ type: 'down', t: 0, ...allocation(-1) })],
      ['ascend from 0, found 0.5 first', (to) => to.record({ type: 'down', t: 0, ...allocation(0.5) })],
      ['ascend from 0, found NaN first', (to) => to.record({ type: 'down', t: 0, ...allocation(NaN) })],
      ['ids below 4194304, found 4194304', (to) => to.record({ type: 'down', t: 0, ...allocation(2 ** 22) })],
      ['time in integer milliseconds from 0, found 0.5', (to) => to.record({ type: 'cancel', t: 0.5, job: '1' })],
      ['time in integer milliseconds from 0, found -1', (to) => to.record({ type: 'cancel', t: -1, job: '1' })],
      ['time in integer milliseconds from 0, found NaN', (to) => to.record({ type: 'cancel', t: NaN, job: '1' })],
      [
        'time in integer milliseconds from 0, found 2000000000000000',
        (to) => to.record({ type: 'cancel', t: 2e15, job: '1' }),
      ],
      ['integer from 0, found -2', (to) => to.record({ type: 'release', t: 0, job: '1', cause: -2 })],
      ['integer from 0, found 1.5', (to) => to.record({ type: 'submit', t: 0, job: '1', size: 1.5 })],
      [
        'integer from 0, found undefined',
        (to) => to.record({ type: 'submit', t: 0, job: '1', size: undefined as unknown as number }),
      ],
    ]
    for (const [message, call] of wrong) {
      const writer = new LogWriter(sampleHeader(), topologies[0], () => {}, sha256)
      expect(() => call(writer)).toThrow(message)
      expect(() => call(writer)).toThrow(LogWriteError)
      expect(() => writer.record({ type: 'cancel', t: 0, job: '1' })).toThrow(
        'the previous record could not be written',
      )
    }
  })

  it('LogWriter refuses records after the end record', () => {
    const writer = new LogWriter(sampleHeader(), topologies[0], () => {}, sha256)
    writer.record({ type: 'end', t: 0, ...totals })
    expect(() => writer.record({ type: 'cancel', t: 0, job: '1' })).toThrow('record 3: the log has ended')
    expect(() => writer.record({ type: 'end', t: 0, ...totals })).toThrow(LogWriteError)
  })

  it('LogWriter refuses a header that no reader would accept', () => {
    const make = (changes: object) => new LogWriter(sampleHeader(changes), topologies[0], () => {}, sha256)
    expect(() => make({ seal_every: 1 })).toThrow(RecordError)
    const { options } = sampleHeader()
    expect(() => make({ options: { ...options, seed: 0.5 } })).toThrow('["options"]["seed"]')
    expect(() => make({ options: { ...options, queue: 'fifo' } })).toThrow('Expected external, fcfs, easy:WINDOW')
    expect(() => make({ workload: { name: 'x', filter: '', jobs: -1, sha256: '' } })).toThrow('["workload"]["jobs"]')
  })
})

const totals = { submitted: 0, started: 0, finished: 0, rejected: 0, killed: 0, cancelled: 0 }
