import { formatIdset, parseIdset, parseTopology } from '@cloister/topology'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareLogs, eachEntry, entriesOf, type Header, type LogRecord, type Route } from '../src/index.ts'
import { read } from './reading.ts'
import { sampleHeader, writeLog } from './sample-logs.ts'

const topology = parseTopology('radix:4')
const router = { name: 'own', version: '1.0.0', claims: { links: 'shared', changes: 'own' } } as const
/** Returns the header of a log, which the writer writes with the first seal. */
function headerOf(changes: Parameters<typeof sampleHeader>[0]): Header {
  const end = {
    type: 'end',
    t: 0,
    submitted: 0,
    started: 0,
    finished: 0,
    rejected: 0,
    killed: 0,
    cancelled: 0,
  } as const
  return read(writeLog(sampleHeader(changes), topology, [(to) => to.record(end)])).records[0] as Header
}
const header = headerOf({ router })

/** Starts of one job on each node: only the route records of running jobs are undone, each job here has one record. */
const starts = Array.from({ length: topology.nodes }, (_, node): ReadonlyArray<LogRecord> => {
  const seq = 1 + 2 * node
  const job = `${node}`
  return [
    { seq, t: 0, type: 'submit', job, size: 1 },
    { seq: seq + 1, t: 0, type: 'allocate', job, nodes: job, cause: seq },
  ]
}).flat()

/** A change of few entries of the tables, so that records often overlap: new entries, or the removal of an earlier record. */
const change = fc.record({
  entries: fc
    .tuple(fc.constantFrom(0, 9), fc.nat(2), fc.nat(2), fc.integer({ min: -1, max: 2 }))
    .map(([sw, first, more, port]) => `${sw} ${first}${more > 0 ? `-${first + more}` : ''}:${port < 0 ? '-' : port}`),
  undo: fc.option(fc.nat(5), { nil: undefined, freq: 2 }),
  wait: fc.nat(1),
})
interface Change {
  readonly entries: string
  readonly undo: number | undefined
  readonly wait: number
}

function logOf(changes: ReadonlyArray<Change>): ReadonlyArray<LogRecord> {
  const records: Array<LogRecord> = [header, ...starts]
  const inForce: Array<{ readonly seq: number; readonly job: string }> = []
  let t = 0
  for (const [at, { entries, undo, wait }] of changes.entries()) {
    t += wait
    const seq = records.length
    const undone = undo === undefined ? undefined : inForce.splice(undo % Math.max(1, inForce.length), 1)[0]
    const job = undone === undefined ? `${at}` : undone.job
    if (undone === undefined) inForce.push({ seq, job })
    records.push({
      seq,
      t,
      type: 'route',
      cause: 0,
      job,
      ...(undone === undefined ? { entries: [entries] } : { undo: undone.seq }),
    })
  }
  return records
}

/** Returns the tables after all records up to `t`: the port of each switch and node. */
function naiveTables(records: ReadonlyArray<LogRecord>, t: number): ReadonlyMap<string, number> {
  const routes = records.filter((record): record is Route => record.type === 'route' && record.t <= t)
  const undone = new Set(routes.map(({ undo }) => undo))
  const ports = new Map<string, number>()
  for (const route of routes.filter(({ seq, entries }) => entries !== undefined && !undone.has(seq)))
    for (const { switches, ranges } of entriesOf(route))
      for (const sw of switches)
        for (const range of ranges) eachEntry(range, (node, port) => void ports.set(`${sw} ${node}`, port))
  return new Map([...ports].filter(([, port]) => port >= 0))
}

function naiveDifferences(a: ReadonlyArray<LogRecord>, b: ReadonlyArray<LogRecord>, t: number): ReadonlyArray<string> {
  const [ofA, ofB] = [naiveTables(a, t), naiveTables(b, t)]
  return [...new Set([...ofA.keys(), ...ofB.keys()])]
    .filter((key) => ofA.get(key) !== ofB.get(key))
    .map((key) => `${key}: ${ofA.get(key) ?? -1}, ${ofB.get(key) ?? -1}`)
    .sort()
}

/** Number of the first switch of each level of `radix:4`. */
const firstOfLevel = [0, 8, 16]

describe('compareLogs on forwarding tables', () => {
  it('compareLogs finds the first instant after which tables differ, and every different entry', () => {
    let [equal, different] = [0, 0]
    const both = fc.array(change, { maxLength: 8 }).chain((common) =>
      fc.tuple(fc.constant(common), fc.array(change, { maxLength: 4 }), fc.array(change, { maxLength: 4 })).map(
        // A swap of two records of one instant mostly leaves the tables equal.
        ([start, a, b]) =>
          [logOf([...start, ...a]), logOf([...start, ...(b.length > 2 ? b : a.toReversed())])] as const,
      ),
    )
    fc.assert(
      fc.property(both, ([a, b]) => {
        const { tables, equal: equality } = compareLogs(a, b)
        const times = [...new Set([...a, ...b].flatMap((each) => ('t' in each ? [each.t] : [])))].sort((x, y) => x - y)
        const firstTime = times.find((t) => naiveDifferences(a, b, t).length > 0)
        expect(tables!.first?.t).toBe(firstTime)
        const spelled = (differences: NonNullable<typeof tables>['atEnd']['differences']): ReadonlyArray<string> =>
          differences
            .flatMap(({ level, sw, nodes, portA, portB }) =>
              Array.from(parseIdset(nodes), (node) => `${firstOfLevel[level] + sw} ${node}: ${portA}, ${portB}`),
            )
            .sort()
        if (firstTime !== undefined) {
          expect(spelled(tables!.first!.differences)).toEqual(naiveDifferences(a, b, firstTime))
          expect(tables!.first!.entries).toBe(spelled(tables!.first!.differences).length)
          different++
        } else equal++
        expect(equality === 'times').toBe(firstTime !== undefined)
        const atEnd = naiveDifferences(a, b, Infinity)
        expect(spelled(tables!.atEnd.differences)).toEqual(atEnd)
        expect(tables!.atEnd).toMatchObject({
          entries: atEnd.length,
          switches: new Set(atEnd.map((text) => text.split(' ')[0])).size,
        })
      }),
      { numRuns: 1000 },
    )
    expect(Math.min(equal, different)).toBeGreaterThan(20)
  })

  it('compareLogs finds entries that differ after equal changes, if the tables had different records before', () => {
    const route = (seq: number, t: number, job: string, change: Pick<Route, 'entries' | 'undo'>): Route => ({
      seq,
      t,
      type: 'route',
      cause: 0,
      job,
      ...change,
    })
    const a = [
      header,
      ...starts,
      route(33, 0, '0', { entries: ['0 0:1'] }),
      route(34, 0, '1', { entries: ['0 0:2'] }),
      route(35, 9, '1', { undo: 34 }),
    ]
    const b = [header, ...starts, route(33, 0, '1', { entries: ['0 0:2'] }), route(34, 9, '1', { undo: 33 })]
    expect(compareLogs(a, b).tables).toMatchObject({
      first: { t: 9, differences: [{ nodes: '0', portA: 1, portB: -1 }] },
    })
  })

  it('compareLogs names the route record that only one of two logs has', () => {
    const route = (seq: number, entries: ReadonlyArray<string>): Route => ({
      seq,
      t: 5,
      type: 'route',
      cause: 0,
      entries,
    })
    const a = [header, route(1, ['0 2-4:2']), route(2, ['8 2-4:1'])]
    const b = [header, route(1, ['0 2-4:2']), route(2, ['8 2:1 3-4:2'])]
    expect(compareLogs(a, b)).toMatchObject({
      equal: 'times',
      divergence: undefined,
      tables: {
        first: {
          t: 5,
          a: { seq: 2, entries: ['8 2-4:1'] },
          b: { seq: 2, entries: ['8 2:1 3-4:2'] },
          switches: 1,
          entries: 2,
          differences: [{ level: 1, sw: 0, nodes: formatIdset([3, 4]), portA: 1, portB: 2 }],
        },
      },
    })
  })

  it('compareLogs compares no tables if a log has no router', () => {
    const [withRouter, without] = [header, headerOf({})]
    expect(compareLogs([withRouter], [without])).toMatchObject({ tables: undefined, equal: 'decisions' })
  })
})
