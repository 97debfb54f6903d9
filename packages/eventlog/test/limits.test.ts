import { parseTopology, type Topology } from '@cloister/topology'
import { describe, expect, it } from 'vitest'
import { type LogOutcome, LogWriter, readLog, RecordError } from '../src/index.ts'
import { sha256 } from '../src/node/index.ts'
import { ReferenceWriter } from './reference-writer.ts'
import { type Call, sampleHeader } from './sample-logs.ts'

/** Returns the outcome of a log that a foreign program wrote and sealed. */
function outcomeOf(calls: ReadonlyArray<Call>, topology: Topology) {
  const reference = new ReferenceWriter(sampleHeader(), topology)
  for (const call of calls) call(reference)
  return last(readLog([new TextEncoder().encode(reference.text)], sha256))
}

function last(records: ReturnType<typeof readLog>): LogOutcome {
  for (;;) {
    const { done, value } = records.next()
    if (done === true) return value
  }
}

const small = parseTopology('radix:4')
const end: Call = (to) =>
  to.record({ type: 'end', t: 0, submitted: 0, started: 0, finished: 0, rejected: 0, killed: 0, cancelled: 0 })

describe('a record with ids beyond the machine', () => {
  const beyond = { nodes: [15, 16], links: [] }
  it.each<[string, Call, string]>([
    [
      'allocate',
      (to) => to.record({ type: 'allocate', t: 0, job: '1', ...beyond, cause: 1 }),
      'node 16 is not in the machine: the machine has 16 nodes',
    ],
    [
      'reserve',
      (to) => to.record({ type: 'reserve', t: 0, job: '1', start: 5, ...beyond, cause: 1 }),
      'node 16 is not in the machine: the machine has 16 nodes',
    ],
    [
      'down',
      (to) => to.record({ type: 'down', t: 0, ...beyond }),
      'node 16 is not in the machine: the machine has 16 nodes',
    ],
    [
      'up',
      (to) => to.record({ type: 'up', t: 0, nodes: [], links: [[], [16]] }),
      'link 16 of level 1 is not in the machine: the level has 16 links',
    ],
    [
      'allocate of a level',
      (to) => to.record({ type: 'allocate', t: 0, job: '1', nodes: [0], links: [[], [], [0]], cause: 1 }),
      'link 0 of level 2 is not in the machine: the level has 0 links',
    ],
  ])('a record with an id beyond the machine is refused by readLog and LogWriter: %s', (_, call, reason) => {
    expect(outcomeOf([call, end], small)).toMatchObject({ status: 'corrupt', line: 2, reason })
    expect(() => call(new LogWriter(sampleHeader(), small, () => {}, sha256))).toThrow(new RecordError(reason))
  })
})

describe('the work of reading a log', () => {
  const topology = parseTopology('pgft:1;4194304;1;1')
  const header = sampleHeader({ seal_every: 256 })
  const first = (): string => {
    const chunks: Uint8Array[] = []
    const writer = new LogWriter(header, topology, (chunk) => chunks.push(chunk), sha256)
    writer.record({ type: 'end', t: 0, submitted: 0, started: 0, finished: 0, rejected: 0, killed: 0, cancelled: 0 })
    return Buffer.from(chunks[0]).toString().split('\n')[0]
  }
  /** Returns the outcome of a log of lines without a seal, which must have a bounded cost, too. */
  const outcomeOfLines = (...bodies: ReadonlyArray<string>) =>
    last(
      readLog(
        [Buffer.from(`${[first(), ...bodies.map((body, at) => `{"seq":${at + 1},"t":0,${body}}`)].join('\n')}\n`)],
        sha256,
      ),
    )

  it.each([
    ['allocate', ['"type":"allocate","job":"1","nodes":"0-4194303","cause":1', '"type":"release","job":"1","cause":1']],
    ['reserve', ['"type":"reserve","job":"1","start":5,"nodes":"0-4194303","cause":1']],
    ['down', ['"type":"down","nodes":"0-4194303"']],
  ])('readLog limits the nodes and links that records name, by the number of records: %s', (_, bodies) => {
    expect(outcomeOfLines(...Array<ReadonlyArray<string>>(10).fill(bodies).flat())).toMatchObject({
      status: 'corrupt',
      reason: expect.stringContaining('nodes and links; a log of this length may name'),
    })
  })

  it('the limits allow a seal at every second record on the largest machine', () => {
    const chunks: Uint8Array[] = []
    const writer = new LogWriter({ ...header, seal_every: 2 }, topology, (chunk) => chunks.push(chunk), sha256)
    for (let i = 0; i < 1000; i++) writer.record({ type: 'submit', t: 0, job: String(i), size: 1, estimate: 1000 })
    expect(last(readLog(chunks, sha256))).toMatchObject({ status: 'unsealed', records: 2001 })
  })

  it('the limits allow 200 jobs in sequence, each on all 65,536 nodes of a machine', () => {
    const largest = parseTopology('radix:64')
    const ids = (count: number): Int32Array => Int32Array.from(Array(count).keys())
    const whole = { nodes: ids(largest.nodes), links: largest.levels.slice(0, 2).map(({ links }) => ids(links)) }
    const writer = new LogWriter(header, largest, () => {}, sha256)
    for (let i = 0; i < 200; i++) {
      writer.record({ type: 'submit', t: 0, job: String(i), size: largest.nodes, estimate: 1000 })
      const reserved = writer.record({ type: 'reserve', t: 0, job: String(i), start: 5, ...whole, cause: 1 })
      const started = writer.record({ type: 'allocate', t: 0, job: String(i), ...whole, cause: reserved })
      writer.record({
        type: 'release',
        t: 0,
        job: String(i),
        cause: writer.record({ type: 'finish', t: 0, job: String(i), cause: started }),
      })
    }
  })
})
