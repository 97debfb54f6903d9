import { auditLog } from '@cloister/audit'
import { sha256 } from '@cloister/eventlog/node'
import { nodeName, parseTopology } from '@cloister/topology'
import { type AccountingRow, readSacct } from '@cloister/trace-io'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { historyOfRows, importHistory, NodeIds, parseNodeEvents, type Sharing } from '../src/index.ts'
import { HistoryJobs, HistoryRuns, type NodeRun } from '../src/history.ts'
import { withoutSharing } from '../src/node-sharing.ts'

const topology = parseTopology('radix:4')
const EPOCH = 1_700_000_000

const states = ['COMPLETED', 'FAILED', 'TIMEOUT', 'NODE_FAIL', 'PREEMPTED', 'CANCELLED by 7', 'RUNNING', 'REQUEUED']
const someNodes = fc.uniqueArray(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 3 })
const someRows = fc.array(
  fc.record({
    job: fc.integer({ min: 1, max: 8 }),
    submit: fc.nat(30),
    wait: fc.option(fc.nat(20), { freq: 5 }),
    elapsed: fc.nat(12),
    state: fc.constantFrom(...states),
    nodes: someNodes,
  }),
  { maxLength: 14 },
)

function read(text: string): Array<AccountingRow> {
  const rows: Array<AccountingRow> = []
  readSacct(new TextEncoder().encode(text), { file: 'sacct.psv' }, (row) => rows.push(row))
  return rows
}

function textOf(rows: ReadonlyArray<Record<string, unknown>>): string {
  const lines = rows.map(({ job, submit, wait, elapsed, state, nodes }) => {
    const start = wait === null ? undefined : EPOCH + (submit as number) + (wait as number)
    const isOpen = start === undefined || state === 'RUNNING'
    return [
      job,
      EPOCH + (submit as number),
      start ?? 'Unknown',
      isOpen ? 'Unknown' : start + (elapsed as number),
      isOpen ? 0 : elapsed,
      (nodes as ReadonlyArray<number>).length,
      start === undefined ? 'PENDING' : state,
      start === undefined
        ? 'None assigned'
        : (nodes as ReadonlyArray<number>).map((node) => nodeName(topology, node)).join(),
    ].join('|')
  })
  return ['JobIDRaw|Submit|Start|End|ElapsedRaw|NNodes|State|NodeList', ...lines, ''].join('\n')
}

test('importHistory writes a log without audit findings for random accountings, and equal bytes for equal rows', () => {
  fc.assert(
    fc.property(
      someRows,
      fc.constantFrom<Sharing>('merge', 'skip'),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.nat(60), fc.option(fc.nat(60))), { maxLength: 5 }),
      (given, sharing, outages) => {
        const ids = new NodeIds(topology)
        const lines = outages.map(
          ([node, from, length]) =>
            `${nodeName(topology, node)}|${EPOCH + from}|${length === null ? 'Unknown' : EPOCH + from + length}|DOWN`,
        )
        const events = parseNodeEvents(['NodeName|TimeStart|TimeEnd|State', ...lines].join('\n'), 'events.psv', ids)
        const history = historyOfRows(read(textOf(given)), ids)
        const options = { topology, file: 'sacct.psv', name: 'random', events, sharing, program: 'test@1.0.0' }
        const log: Array<Uint8Array> = []
        if (history.runs.length === 0) {
          expect(() => importHistory(history, options, () => {}, sha256)).toThrow('found no run with a list of nodes')
          return
        }
        const { apart } = withoutSharing(history, sharing, topology.nodes)
        if (apart !== undefined) {
          expect(() => importHistory(history, options, () => {}, sha256)).toThrow(
            'runs, each of which shares nodes with another run',
          )
          return
        }
        const report = importHistory(history, options, (chunk) => log.push(chunk), sha256)
        const audit = auditLog(log, sha256)
        expect(audit.violations).toEqual([])
        expect(audit.ok).toBe(true)
        expect(report.finished + report.killed).toBeLessThanOrEqual(report.started)
        const again: Array<Uint8Array> = []
        importHistory(history, options, (chunk) => again.push(chunk), sha256)
        expect(Buffer.concat(again).equals(Buffer.concat(log))).toBe(true)
      },
    ),
    { numRuns: 300 },
  )
})

describe('runs of Slurm jobs on one node at the same time', () => {
  const someRuns = fc
    .array(fc.record({ start: fc.nat(20), length: fc.nat(8), nodes: someNodes }), { minLength: 1, maxLength: 12 })
    .map((runs) =>
      runs.map(({ start, length, nodes }, job): NodeRun => {
        return {
          job,
          start,
          end: start + length,
          how: 'finished',
          nodes: Int32Array.from(nodes).sort(),
          startedBy: undefined,
          gpus: 0,
        }
      }),
    )
  const inColumns = (runs: ReadonlyArray<NodeRun>): HistoryRuns => {
    const columns = new HistoryRuns()
    for (const run of runs) columns.add(run)
    return columns
  }
  const listOf = (runs: HistoryRuns): Array<NodeRun> => Array.from({ length: runs.length }, (_, at) => runs.at(at))
  const historyOf = (runs: ReadonlyArray<NodeRun>) => {
    const jobs = new HistoryJobs()
    const none = { limit: undefined, cancelled: undefined, isSmallerThanNode: false, labels: {} }
    for (const [job, { start, nodes }] of runs.entries())
      jobs.add({ id: String(job), arrival: start, size: nodes.length, ...none })
    return { jobs, runs: inColumns(runs) }
  }
  /**
   * Returns true if two runs are on one node at the same time. A run with a length of 0 meets only runs that began
   * before it and end after it.
   */
  const meet = (a: NodeRun, b: NodeRun): boolean =>
    a.nodes.some((node) => b.nodes.includes(node)) &&
    a.start < b.end &&
    b.start < a.end &&
    (a.start !== a.end || b.start < a.start) &&
    (b.start !== b.end || a.start < b.start)
  const meetings = (runs: ReadonlyArray<NodeRun>): number =>
    runs.flatMap((a, at) => runs.slice(at + 1).filter((b) => meet(a, b))).length

  /** Returns the runs that are on one node with a given run at the same time, directly or through a chain of runs. */
  const groupOf = (runs: ReadonlyArray<NodeRun>, run: NodeRun): ReadonlyArray<NodeRun> => {
    const group = new Set([run])
    for (const each of group) for (const other of runs) if (other !== each && meet(each, other)) group.add(other)
    return [...group]
  }
  const areTogether = (a: NodeRun, b: NodeRun): boolean =>
    String(a.nodes) === String(b.nodes) &&
    a.start < Math.max(b.end, b.start + 1) &&
    b.start < Math.max(a.end, a.start + 1)
  const fewNodes = fc.constantFrom([0], [0, 1], [2])
  const fewRuns = fc
    .array(fc.record({ start: fc.nat(20), length: fc.nat(8), nodes: fewNodes }), { minLength: 1, maxLength: 6 })
    .map((runs) =>
      runs.map(({ start, length, nodes }, job): NodeRun => {
        return {
          job,
          start,
          end: start + length,
          how: 'finished',
          nodes: Int32Array.from(nodes),
          startedBy: undefined,
          gpus: 0,
        }
      }),
    )

  test('sharing merge joins a group of runs only if every two of them overlap in time and have the same nodes', () => {
    let mergedOnce = false
    fc.assert(
      fc.property(fc.oneof(someRuns, fewRuns), (runs) => {
        const { runs: runsLeft, conflict, shared, left, apart } = withoutSharing(historyOf(runs), 'merge', 6)
        const merged = listOf(runsLeft)
        expect(conflict === undefined).toBe(meetings(runs) === 0)
        const groups = runs.map((run) => groupOf(runs, run))
        const fit = groups.every((group) => group.every((a) => group.every((b) => areTogether(a, b))))
        expect(apart === undefined).toBe(fit)
        if (apart !== undefined) {
          expect(merged).toHaveLength(runs.length)
          return
        }
        mergedOnce ||= conflict !== undefined
        expect(meetings(merged)).toBe(0)
        expect(merged.length).toBe(runs.length - shared + left)
        for (const { start, end, nodes } of runs)
          expect(
            merged.some(
              (run) => run.start <= start && run.end >= end && [...nodes].every((node) => run.nodes.includes(node)),
            ),
          ).toBe(true)
      }),
      { numRuns: 1000 },
    )
    expect(mergedOnce).toBe(true)
  })

  test('sharing merge joins no runs if the merged run would overlap the next run of its job', () => {
    const run = (job: number, start: number, end: number, node: number): NodeRun => ({
      job,
      start,
      end,
      how: 'finished',
      nodes: Int32Array.of(node),
      startedBy: undefined,
      gpus: 0,
    })
    const runs = [run(0, 0, 10, 0), run(1, 5, 30, 0), run(0, 20, 25, 1)]
    const { jobs } = historyOf([runs[0], runs[1]])
    expect(withoutSharing({ jobs, runs: inColumns(runs) }, 'merge', 6).apart).toMatchObject({ runs: 2 })
  })

  test('sharing skip omits a run only if it started later than another run on its node', () => {
    fc.assert(
      fc.property(someRuns, (runs) => {
        const { runs: runsLeft, jobs, shared, left } = withoutSharing(historyOf(runs), 'skip', 6)
        const kept = listOf(runsLeft)
        expect(meetings(kept)).toBe(0)
        expect(jobs.length).toBe(kept.length)
        expect(kept.length).toBe(runs.length - shared + left)
        const ids = new Set(kept.map(({ job }) => jobs.idOf(job)))
        const keptBefore = runs.filter((_, at) => ids.has(String(at)))
        for (const [at, run] of runs.entries())
          if (!ids.has(String(at)))
            expect(keptBefore.some((other) => meet(other, run) && other.start <= run.start)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})

test('importHistory writes different kill codes for a preempted run, a requeued run and a run that a user cancelled', () => {
  const states = ['PREEMPTED', 'REQUEUED', 'CANCELLED by 7']
  const runs = states.map((state, at) => ({ job: 1, submit: 0, wait: at * 10, elapsed: 5, state, nodes: [0] }))
  const lines: Array<string> = []
  const history = historyOfRows(read(textOf(runs)), new NodeIds(topology))
  const options = { topology, file: 'sacct.psv', name: 'sacct', program: 'test@1.0.0' }
  importHistory(history, options, (chunk) => lines.push(new TextDecoder().decode(chunk)), sha256)
  expect(lines.join('').match(/"code":"\w+"/g)).toEqual(['"code":"preempted"', '"code":"requeued"', '"code":"cancel"'])
})

describe('jobs that use only a part of the processors of their nodes', () => {
  const heading = 'JobIDRaw|Submit|Start|End|ElapsedRaw|NNodes|State|NodeList|AllocTRES'
  const row = (job: number, seconds: number, nodes: string, tres: string): string =>
    `${job}|${EPOCH}|${EPOCH + job * 1000}|${EPOCH + job * 1000 + seconds}|${seconds}|1|COMPLETED|${nodes}|${tres}`
  const historyOf = (...rows: ReadonlyArray<string>) =>
    historyOfRows(read([heading, ...rows, ''].join('\n')), new NodeIds(topology))

  test('smallerThanNode counts jobs on a part of a node, and gives their share of all node-time', () => {
    const whole = row(1, 30, nodeName(topology, 0), 'cpu=64,gres/gpu=8')
    const part = row(2, 10, nodeName(topology, 0), 'cpu=16,gres/gpu=2')
    expect(historyOf(whole, part).smallerThanNode).toEqual({ jobs: 1, nodeTime: 0.25 })
    expect(historyOf(whole, whole.replace(/^1/, '3')).smallerThanNode).toEqual({ jobs: 0, nodeTime: 0 })
  })

  test('smallerThanNode omits jobs that fill a node with fewer processors than other nodes', () => {
    const large = row(1, 30, nodeName(topology, 0), 'cpu=64')
    const small = row(2, 10, nodeName(topology, 1), 'cpu=16')
    expect(historyOf(large, small).smallerThanNode.jobs).toBe(0)
  })
})
