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

test('whatever the accounting says, the log is sound, and the same each time', () => {
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
          expect(() => importHistory(history, options, () => {}, sha256)).toThrow('found no run with its nodes')
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

describe('jobs that share nodes', () => {
  const someRuns = fc
    .array(fc.record({ start: fc.nat(20), length: fc.nat(8), nodes: someNodes }), { minLength: 1, maxLength: 12 })
    .map((runs) =>
      runs.map(({ start, length, nodes }, job): NodeRun => {
        return { job, start, end: start + length, how: 'finished', nodes: Int32Array.from(nodes).sort() }
      }),
    )
  const historyOf = (runs: ReadonlyArray<NodeRun>) => {
    const jobs = runs.map(({ start, nodes }, job) => ({
      id: String(job),
      arrival: start,
      limit: undefined,
      size: nodes.length,
      cancelled: undefined,
      labels: {},
    }))
    return { jobs: HistoryJobs.of(jobs), runs: HistoryRuns.of(runs) }
  }
  /** A run that takes no time meets only those that are under way. */
  const meet = (a: NodeRun, b: NodeRun): boolean =>
    a.nodes.some((node) => b.nodes.includes(node)) &&
    a.start < b.end &&
    b.start < a.end &&
    (a.start !== a.end || b.start < a.start) &&
    (b.start !== b.end || a.start < b.start)
  const meetings = (runs: ReadonlyArray<NodeRun>): number =>
    runs.flatMap((a, at) => runs.slice(at + 1).filter((b) => meet(a, b))).length

  test('have a node one at a time afterwards; merged they hold all that they held', () => {
    fc.assert(
      fc.property(someRuns, (runs) => {
        const { runs: runsLeft, conflict, shared, left } = withoutSharing(historyOf(runs), 'merge', 6)
        const merged = [...runsLeft]
        expect(conflict === undefined).toBe(meetings(runs) === 0)
        expect(meetings(merged)).toBe(0)
        expect(merged.length).toBe(runs.length - shared + left)
        for (const { start, end, nodes } of runs)
          expect(
            merged.some(
              (run) => run.start <= start && run.end >= end && [...nodes].every((node) => run.nodes.includes(node)),
            ),
          ).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  test('are left out where they come later, and no others', () => {
    fc.assert(
      fc.property(someRuns, (runs) => {
        const { runs: runsLeft, jobs, shared, left } = withoutSharing(historyOf(runs), 'skip', 6)
        const kept = [...runsLeft]
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
