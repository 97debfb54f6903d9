import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FoldError, type Header, type LogHeader, type LogRecord, LogState } from '../src/index.ts'
import { chance, tellLegalHistory } from './legal-history.ts'
import { read } from './reading.ts'
import { stateDigest } from '../src/log/owners.ts'
import { sha256 } from '../src/node/index.ts'
import { ReferenceWriter } from './reference-writer.ts'
import { stateDigest as digestOfSpec } from './spec-digest.ts'
import { anyTopology, type Call, router, sampleHeader, topologies, writeLog } from './sample-logs.ts'

/** Returns the digest of a fold's state, as a seal has the digest. */
function digestOf(state: LogState): string {
  const { nodes, levels } = state.topology
  const capped = state.header.policy.claims.links === 'capped'
  const cells: number[] = []
  for (let node = 0; node < nodes; node++) {
    cells.push(state.downNodes.has(node) ? 0xffffffff : (state.nodeOwner(node)?.allocate.seq ?? 0))
  }
  levels.forEach(({ links }, level) => {
    for (let link = 0; link < links; link++) {
      const use = capped ? state.bandwidthInUse(level, link) : (state.linkOwner(level, link)?.allocate.seq ?? 0)
      cells.push(state.downLinks[level].has(link) ? 0xffffffff : use)
    }
  })
  const sum = new Uint32Array(8)
  for (const { seq, entries } of state.routes.values()) {
    if (entries === undefined) continue
    const bytes = createHash('sha256')
      .update(`${seq} ${entries.join(',')}`)
      .digest()
    for (let i = 0; i < 8; i++) sum[i] += bytes.readUInt32LE(4 * i)
  }
  return digestOfSpec(cells, state.header.router === undefined ? [] : [...sum])
}

/** Returns the state after the calls, by way of a log. */
function stateAfter(calls: ReadonlyArray<Call>, header: LogHeader = sampleHeader()): LogState {
  const reference = new ReferenceWriter(header, topologies[0])
  for (const call of calls) call(reference)
  const state = new LogState(reference.records[0] as Header)
  for (const record of reference.records.slice(1)) state.apply(record)
  return state
}

describe('LogState', () => {
  it('LogState has the state digest of every seal, for any legal history', () => {
    let seals = 0
    fc.assert(
      fc.property(anyTopology, fc.boolean(), fc.boolean(), chance, (topology, capped, isRouted, next) => {
        const given = { seal_every: 5, ...(isRouted && { router }) }
        const header = sampleHeader(given, capped ? 'capped' : 'owned')
        const bytes = writeLog(header, topology, [(to) => (tellLegalHistory(to, topology, capped, 120, next), 0)])
        const { records } = read(bytes)
        const state = new LogState(records[0] as Header)
        for (const record of records.slice(1)) {
          state.apply(record)
          const busy = [...Array(topology.nodes).keys()].filter(
            (node) => state.nodeOwner(node) !== undefined || state.downNodes.has(node),
          )
          expect(state.freeNodes.size + busy.length).toBe(topology.nodes)
          expect(busy.some((node) => state.freeNodes.has(node))).toBe(false)
          if (record.type !== 'seal') continue
          seals++
          expect(digestOf(state)).toBe(record.state)
          expect(stateDigest(state, sha256)).toBe(record.state)
        }
        expect(state.ended).toBe(true)
      }),
      { numRuns: 100 },
    )
    expect(seals).toBeGreaterThan(100)
  })

  const submit =
    (id: string, t = 0): Call =>
    (to) =>
      to.record({ type: 'submit', t, job: id, size: 2 })
  const allocate =
    (id: string, nodes: number[], links: number[][] = []): Call =>
    (to) =>
      to.record({ type: 'allocate', t: 1000, job: id, nodes, links, cause: 1 })

  const route =
    (fields: {
      readonly job?: string
      readonly entries?: ReadonlyArray<string>
      readonly undo?: number
      readonly unroutable?: string
    }): Call =>
    (to) =>
      to.record({ type: 'route', t: 1000, ...fields, cause: 1 })

  it('LogState has the jobs, the reservations, the owners of nodes and links, and the failed nodes and links after the applied records', () => {
    const calls: Call[] = [
      submit('a'),
      submit('b'),
      submit('c'),
      allocate('a', [0, 1], [[0], [3]]),
      (to) => to.record({ type: 'reserve', t: 1000, job: 'b', start: 5000, nodes: [0, 1], cause: 1 }),
      (to) => to.record({ type: 'down', t: 2000, nodes: [1, 7], links: [[], [3]] }),
    ]
    const state = stateAfter(calls)
    expect([...state.waiting.keys()]).toEqual(['b', 'c'])
    expect([...state.running.keys()]).toEqual(['a'])
    expect(state.reservations.get('b')).toMatchObject({ start: 5, nodes: '0-1' })
    expect(state.nodeOwner(1)?.submit.job).toBe('a')
    expect(state.linkOwner(1, 3)?.allocate.seq).toBe(4)
    expect(state.linkOwner(1, 4)).toBeUndefined()
    expect([...state.downNodes]).toEqual([1, 7])
    expect(state.freeNodes.size).toBe(16 - 3)
    expect(state).toMatchObject({ seq: 6, t: 2, ended: false })

    const later = stateAfter([
      ...calls,
      (to) => to.record({ type: 'kill', t: 2000, job: 'a', code: 'node-down', cause: 6 }),
      (to) => to.record({ type: 'release', t: 2000, job: 'a', cause: 7 }),
      (to) => to.record({ type: 'requeue', t: 2000, job: 'a', cause: 7 }),
      (to) => to.record({ type: 'cancel', t: 2000, job: 'c' }),
      (to) => to.record({ type: 'up', t: 3000, nodes: [1], links: [[], [3]] }),
      (to) =>
        to.record({ type: 'allocate', t: 3000, job: 'b', nodes: [0, 1], links: [[], [3]], backfill: 5, cause: 1 }),
    ])
    expect([...later.waiting.keys()]).toEqual(['a'])
    expect([...later.running.keys()]).toEqual(['b'])
    expect(later.reservations.size).toBe(0)
    expect([...later.downNodes]).toEqual([7])
    expect(later.freeNodes.size).toBe(16 - 3)
  })

  it('LogState refuses every record that cannot follow, and stays unchanged', () => {
    const before: Call[] = [
      submit('wait'),
      submit('run'),
      submit('done'),
      submit('held'),
      submit('dead'),
      allocate('run', [0, 1], [[0], [3]]),
      allocate('done', [2]),
      allocate('dead', [3]),
      (to) => to.record({ type: 'finish', t: 1000, job: 'done', cause: 7 }),
      (to) => to.record({ type: 'kill', t: 1000, job: 'dead', code: 'estimate', cause: 9 }),
      (to) => to.record({ type: 'release', t: 1000, job: 'dead', cause: 9 }),
      (to) => to.record({ type: 'reserve', t: 1000, job: 'held', start: 9000, nodes: [5], cause: 1 }),
      (to) => to.record({ type: 'down', t: 1000, nodes: [8], links: [[4]] }),
      (to) => to.record({ type: 'route', t: 1000, job: 'run', entries: ['0 0-1:0+2'], cause: 6 }),
    ]
    const late: Call = (to) => to.record({ type: 'cancel', t: 500, job: 'wait' })
    const wrong: ReadonlyArray<readonly [string, Call]> = [
      ['job run was submitted before', submit('run', 1000)],
      ['job dead was submitted before', submit('dead', 1000)],
      ['t = 0.5 is before 1', late],
      ['job ghost is not waiting', (to) => to.record({ type: 'cancel', t: 1000, job: 'ghost' })],
      [
        'job run is not waiting',
        (to) => to.record({ type: 'reject', t: 1000, job: 'run', code: 'never', constraint: '', cause: 1 }),
      ],
      [
        'job run is not waiting',
        (to) => to.record({ type: 'refuse', t: 1000, job: 'run', code: 'no-placement', constraint: '', cause: 1 }),
      ],
      [
        'job run is not waiting',
        (to) => to.record({ type: 'reserve', t: 1000, job: 'run', start: 2000, nodes: [], cause: 1 }),
      ],
      [
        'job held has a reservation, record 12',
        (to) => to.record({ type: 'reserve', t: 1000, job: 'held', start: 2000, nodes: [], cause: 1 }),
      ],
      [
        'node 16 is not in the machine: the machine has 16 nodes',
        (to) => to.record({ type: 'reserve', t: 1000, job: 'wait', start: 2000, nodes: [16], cause: 1 }),
      ],
      [
        'record 11 is no reservation of job held',
        (to) => to.record({ type: 'unreserve', t: 1000, job: 'held', for: 11, cause: 1 }),
      ],
      [
        'record 12 is no reservation of job wait',
        (to) => to.record({ type: 'unreserve', t: 1000, job: 'wait', for: 12, cause: 1 }),
      ],
      ['job run is not waiting', allocate('run', [9])],
      ['node 1 is held by job run, record 6', allocate('wait', [1])],
      ['node 2 is held by job done, record 7', allocate('wait', [2])],
      ['node 8 is down', allocate('wait', [8])],
      ['node 99 is not in the machine', allocate('wait', [99])],
      ['link 3 of level 1 is held by job run', allocate('wait', [9], [[], [3]])],
      ['link 4 of level 0 is down', allocate('wait', [9], [[4]])],
      ['link 16 of level 1 is not in the machine: the level has 16 links', allocate('wait', [9], [[], [16]])],
      ['link 0 of level 2 is not in the machine: the level has 0 links', allocate('wait', [9], [[], [], [0]])],
      ['link 0 of level 3 is not in the machine: the level has 0 links', allocate('wait', [9], [[], [], [], [0]])],
      ['job wait is not running', (to) => to.record({ type: 'finish', t: 1000, job: 'wait', cause: 1 })],
      ['job done has ended, with record 9', (to) => to.record({ type: 'finish', t: 1000, job: 'done', cause: 1 })],
      [
        'job done has ended, with record 9',
        (to) => to.record({ type: 'kill', t: 1000, job: 'done', code: 'estimate', cause: 1 }),
      ],
      ['job run still runs', (to) => to.record({ type: 'release', t: 1000, job: 'run', cause: 1 })],
      ['job dead is not running', (to) => to.record({ type: 'release', t: 1000, job: 'dead', cause: 1 })],
      ['job done was not killed and released', (to) => to.record({ type: 'requeue', t: 1000, job: 'done', cause: 1 })],
      ['job wait is not running', route({ job: 'wait', entries: ['0 0:0'] })],
      ['expected either entries that enter the tables, or undo', route({ job: 'run' })],
      ['expected either entries that enter the tables, or undo', route({ entries: ['0 0:0'], undo: 14 })],
      ['found undo 13, expected 14, the first route record of job run', route({ job: 'run', undo: 13 })],
      ['found undo 14, expected no undo: job wait has no route records', route({ job: 'wait', undo: 14 })],
      ['expected a job', route({ undo: 14 })],
      ['expected a job', route({ unroutable: 'no way' })],
      ['found switch 20, but the machine has 20 switches', route({ entries: ['3,20 0:0'] })],
      ['found node 16, but the machine has 16 nodes', route({ entries: ['3 14-16:0'] })],
      ['found port 4, but switch 3 has 4 ports', route({ entries: ['3 0-2:2+3'] })],
      ['node 8 is down already', (to) => to.record({ type: 'down', t: 1000, nodes: [7, 8] })],
      ['link 4 of level 0 is down already', (to) => to.record({ type: 'down', t: 1000, nodes: [7], links: [[4]] })],
      ['node 7 is not down', (to) => to.record({ type: 'up', t: 1000, nodes: [7, 8] })],
      ['link 5 of level 0 is not down', (to) => to.record({ type: 'up', t: 1000, nodes: [8], links: [[5]] })],
      ['node 16 is not in the machine', (to) => to.record({ type: 'down', t: 1000, nodes: [16] })],
    ]
    for (const [problem, call] of wrong) {
      const reference = new ReferenceWriter(sampleHeader({ seal_every: 100 }), topologies[0])
      for (const each of [...before, call]) each(reference)
      const [header, ...records] = reference.records
      const state = new LogState(header as Header)
      const last = records.pop()!
      for (const record of records) state.apply(record)
      const snapshot = snapshotOf(state)
      expect(() => state.apply(last)).toThrow(FoldError)
      expect(() => state.apply(last)).toThrow(`record 15 (${last.type}): ${problem}`)
      expect(snapshotOf(state)).toEqual(snapshot)
    }
  })

  it('LogState takes records only in the order of their seqs, with one header and one end record', () => {
    const reference = new ReferenceWriter(sampleHeader(), topologies[0])
    for (const call of [submit('a'), submit('b'), end]) call(reference)
    const [header, first, second, last, seal] = reference.records
    const state = new LogState(header as Header)
    expect(() => state.apply(header)).toThrow('record 0 (header): a second header; a log has one header')
    expect(() => state.apply(second)).toThrow('record 2 (submit): record 1 comes next')
    for (const record of [first, second, last]) state.apply(record)
    expect(() => state.apply({ ...second, seq: 4 } as LogRecord)).toThrow('record 4 (submit): the log has ended')
    state.apply(seal)
    expect(state.ended).toBe(true)
  })
})

const end: Call = (to) =>
  to.record({ type: 'end', t: 0, submitted: 2, started: 0, finished: 0, rejected: 0, killed: 0, cancelled: 0 })

function snapshotOf(state: LogState): unknown {
  const { seq, t, ended, waiting, running, reservations, routes, freeNodes, downNodes, downLinks } = state
  const held = [...running].map(([job, each]) => [job, each.allocate.seq, each.ended?.seq])
  return structuredClone({
    seq,
    t,
    ended,
    waiting,
    held,
    reservations,
    routes,
    free: [...freeNodes],
    down: [downNodes, ...downLinks].map((ids) => [...ids]),
    digest: digestOf(state),
  })
}
