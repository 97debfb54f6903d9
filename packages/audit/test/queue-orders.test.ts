import type { Header } from '@cloister/eventlog'
import { extractWindow, type LogRecord } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { parseTopology } from '@cloister/topology'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { auditLog, auditRecords, exitCode } from '../src/index.ts'
import { FAIR_SHARE, LogBuilder, type Queue } from './log-builder.ts'
import { rewritten } from './log-edits.ts'
import { placeAnywhere, type Scene, simulate } from './simulator.ts'

const EASY = { backfill: 'easy', window: 20 } as const
const FCFS = { backfill: 'none' } as const
const orders = ['wfp', 'unicef', 'fair-share', 'f1', 'largest'] as const
const ofOrder = ['queue-order', 'head-reserved', 'window-reserved', 'backfill-window', 'backfill-counts']

/** Returns a scene in which many jobs end, and many start, at the same time. */
function crowd(queue: Queue): Scene {
  const jobs = Array.from({ length: 80 }, (_, i) => {
    const runTime = 2000 * (1 + ((i * 7) % 5))
    return {
      id: `${i}`,
      submit: 500 * Math.floor(i / 4),
      size: [1, 3, 2, 9, 5, 1, 7, 2][(i * 5) % 8],
      runTime,
      estimate: runTime + 1000 * ((i * 3) % 4),
      user: ['ada', 'ben', 'cy'][Math.floor(i / 3) % 3],
    }
  })
  const options = {
    topology: parseTopology('radix:4'),
    queue,
    estimates: 'requested',
    claims: { any_free_nodes: true },
  } as const
  return { options, place: placeAnywhere, jobs, faults: [], cancels: [] }
}

const isOfOrder = (name: string): boolean => name === 'queue-order' || name === 'backfill-window'

/** Returns the log with every pair of neighbouring starts of one pass exchanged, a log for each pair. */
function exchanged({ options }: Scene, records: ReadonlyArray<LogRecord>): ReadonlyArray<LogBuilder> {
  const places = records.flatMap((record, at) => {
    const next = records[at + 1]
    if (record.type !== 'allocate' || next?.type !== 'allocate' || next.t !== record.t) return []
    return (record.backfill === undefined) === (next.backfill === undefined) ? [at] : []
  })
  return places.map((at) =>
    rewritten(options, [...records.slice(0, at), records[at + 1], records[at], ...records.slice(at + 2)]),
  )
}

describe.each([
  ['fcfs', FCFS],
  ['EASY', EASY],
  ['EASY with kill', { ...EASY, kill: true } as const],
])('forged logs under %s', (_, discipline) => {
  test.each(orders)('the audit of a run under %s finds nothing, and finds exchanged starts', (order) => {
    const scene = crowd({ ...discipline, order })
    const { records } = simulate(scene)
    expect(auditRecords(records, sha256)).toMatchObject({ ok: true, violations: [] })
    const forged = exchanged(scene, records)
    expect(forged.length).toBeGreaterThan(9)
    for (const log of forged) {
      const { violations, notApplicable } = auditRecords(log.records, sha256)
      expect(notApplicable).not.toHaveProperty('equal-scores')
      expect(violations.map(({ invariant }) => invariant).filter(isOfOrder)).not.toEqual([])
    }
  })

  test.each(orders)('the audit of a run under %s finds the name of any other order', (order) => {
    const { records } = simulate(crowd({ ...discipline, order }))
    for (const other of [undefined, ...orders].filter((each) => each !== order)) {
      const named: Queue = other === undefined ? discipline : { ...discipline, order: other }
      const log = rewritten({ ...crowd(named).options }, records)
      expect(Object.keys(auditRecords(log.records, sha256).violationCounts).filter(isOfOrder), other).not.toEqual([])
    }
  })

  test.each(['halfLifeHours', 'maxAgeHours', 'ageWeight', 'shareWeight'])(
    'the audit of a run under fair-share finds another %s',
    (name) => {
      const scene = crowd({ ...discipline, order: 'fair-share' })
      const orderConfig = { ...FAIR_SHARE, [name]: FAIR_SHARE[name] * (name.endsWith('Hours') ? 10 : 0) }
      const log = rewritten({ ...scene.options, orderConfig }, simulate(scene).records)
      expect(Object.keys(auditRecords(log.records, sha256).violationCounts).filter(isOfOrder)).not.toEqual([])
    },
  )
})

describe('an order that the auditor does not know', () => {
  const disciplines: ReadonlyArray<Queue> = [
    FCFS,
    EASY,
    { ...EASY, kill: true },
    { backfill: 'conservative', window: 5 },
    { backfill: 'conservative', window: 50, reservation: 'movable' },
  ]
  test('leaves the claim `order` untested, and no invariant sees a fault in a sound log of any order', () => {
    const scene = fc.record({ order: fc.constantFrom(...orders), discipline: fc.constantFrom(...disciplines) })
    const shuffle = fc.array(fc.nat(), { minLength: 80, maxLength: 80 })
    fc.assert(
      fc.property(scene, shuffle, ({ order, discipline }, keys) => {
        const { jobs, ...rest } = crowd({ ...discipline, order })
        const mixed = jobs
          .slice(0, 40)
          .map((job, i) => ({ ...job, size: 1 + (keys[i] % 16), runTime: 500 * (keys[i] % 23) }))
        const { records } = simulate({ ...rest, jobs: mixed })
        const named = rewritten({ ...rest.options, queue: { ...discipline, order: 'mine' } }, records)
        const report = auditRecords(named.records, sha256)
        expect(report.violations).toEqual([])
        expect(report.untestedClaims).toEqual([
          { claim: 'order', reason: 'the queue order mine is not built in, so the order of the queue is untested' },
        ])
        expect(exitCode(report)).toBe(1)
        for (const name of ofOrder) expect(report.checked).not.toHaveProperty(name)
        expect(report.notApplicable['queue-order']).toBe(report.untestedClaims[0].reason)
      }),
      { numRuns: 6 },
    )
  })

  test.each<[string, (log: LogBuilder) => void]>([
    ['node-exclusive', (log) => log.allocate(0, 'b', { nodes: '0-3' })],
    ['exact-size', (log) => log.allocate(0, 'b', { nodes: '4' })],
    ['any-free-nodes', () => undefined],
  ])('hides no fault of %s', (invariant, act) => {
    const queue = { ...FCFS, order: 'mine' }
    const log = new LogBuilder({ jobs: 2, queue, estimates: 'requested', claims: { any_free_nodes: true } })
    log.submit(0, 'a', 4, 10)
    log.submit(0, 'b', 4, 10)
    log.allocate(0, 'a', { nodes: '0-3' })
    act(log)
    log.complete(5, 'a')
    expect(Object.keys(auditRecords(log.records, sha256).violationCounts)).toContain(invariant)
  })

  test.each([
    [{ version: '2.0.0' }, 'version 2.0.0 of the queue order fair-share is not built in'],
    [{ config: { halfLifeHours: 1 } }, 'cannot have the config {"halfLifeHours":1}'],
    [{ name: '__proto__' }, 'the queue order __proto__ is not built in'],
  ])('may be a version or config of a built-in order: %j', (change, reason) => {
    const { records } = simulate(crowd({ ...FCFS, order: 'fair-share' }))
    const [header, ...others] = records
    if (header.type !== 'header') throw new Error('no header')
    const { untestedClaims } = auditRecords([{ ...header, order: { ...header.order!, ...change } }, ...others], sha256)
    expect(untestedClaims).toEqual([{ claim: 'order', reason: expect.stringContaining(reason) }])
  })

  test('may be fair-share in a part of a run, which lacks earlier runs of the users', () => {
    for (const [order, claims] of [['fair-share', ['order']] as const, ['wfp', []] as const]) {
      const { records } = simulate(crowd({ ...FCFS, order }))
      const chunks: Array<Uint8Array> = []
      extractWindow(
        () => records,
        8,
        15,
        (chunk) => chunks.push(chunk),
        sha256,
      )
      const report = auditLog(chunks, sha256)
      expect(report.violations).toEqual([])
      expect(report.untestedClaims.map(({ claim }) => claim)).toEqual(claims)
    }
  })
})

test.each<[string, Partial<NonNullable<Header['order']>>]>([
  ['the order of submission with a name', { name: 'submit', config: {}, claims: { fixed: true, history: false } }],
  ['a fixed order whose scores change', { name: 'wfp', config: {}, claims: { fixed: true, history: false } }],
  ['an order of users without history', { claims: { fixed: false, history: false } }],
  ['a built-in order that keeps all jobs waiting', { claims: { fixed: false, history: true, waits: true } }],
])('the invariant `header` refuses %s', (_, change) => {
  const [header, ...others] = simulate(crowd({ ...FCFS, order: 'fair-share' })).records
  if (header.type !== 'header') throw new Error('no header')
  const report = auditRecords([{ ...header, order: { ...header.order!, ...change } }, ...others], sha256)
  expect(report.violationCounts).toHaveProperty('header')
})

describe('scores that differ by rounding only', () => {
  /** Users with equal usage, and a third user without usage, submit a job each. */
  function starts(...order: ReadonlyArray<string>): ReturnType<typeof auditRecords> {
    const log = new LogBuilder({ jobs: 7, queue: { ...FCFS, order: 'fair-share' } })
    for (const [job, user] of ['a', 'b', 'c', 'd'].map((each, i) => [each, ['ada', 'ben'][i % 2]]))
      log.submit(0, job, 4, job < 'c' ? 1 : 2, { user })
    for (const [i, job] of ['a', 'b', 'c', 'd'].entries()) log.allocate(0, job, { nodes: `${4 * i}-${4 * i + 3}` })
    log.complete(1, 'a', 'b')
    log.complete(2, 'c', 'd')
    for (const [job, user] of ['x', 'y', 'z'].map((each, i) => [each, ['ada', 'ben', 'cy'][i]]))
      log.submit(3, job, 4, 1, { user })
    for (const [i, job] of order.entries()) log.allocate(3, job, { nodes: `${4 * i}-${4 * i + 3}` })
    log.complete(4, 'x', 'y', 'z')
    return auditRecords(log.end(4).records, sha256)
  }

  test('allow either order of the two jobs, and no other order', () => {
    expect(starts('z', 'x', 'y')).toMatchObject({ ok: true, violations: [] })
    const report = starts('z', 'y', 'x')
    expect(report).toMatchObject({ ok: true, violations: [] })
    expect(report.notApplicable['equal-scores']).toMatch(/^1 times/)
  })

  test.each([
    [21, 2, 14, 3, [0, 1]],
    [14, 1, 21, 4, [2, 1]],
  ])(
    'allow to kill a job for the other job, and to let it run on (%i, %i, %i, %i s)',
    (b, submit, c, start, doubts) => {
      const reports = [true, false].map((isKilled) => {
        const queue: Queue = { ...EASY, kill: true, order: 'unicef' }
        const log = new LogBuilder({ jobs: 4, queue, estimates: 'requested', overrun: 'run-on' })
        log.submit(0, 'a', 8, 100)
        log.submit(0, 'b', 9, b)
        log.allocate(0, 'a', { nodes: '0-7' })
        const reserve = log.reserve(0, 'b', 100, { nodes: '0-8' })
        log.submit(submit, 'c', 3, c)
        log.submit(start, 'd', 17, 10)
        log.reject(start, 'd', 'too-few-nodes')
        log.allocate(start, 'c', { nodes: '8-10' }, { backfill: reserve })
        log.complete(100, 'a')
        if (isKilled) log.kill(100, 'c', 'reservation', reserve)
        if (isKilled) log.release(100, 'c')
        else log.complete(120, 'c')
        log.allocate(isKilled ? 100 : 120, 'b', { nodes: '0-8' })
        log.complete(200, 'b')
        return auditRecords(log.end(200).records, sha256)
      })
      for (const { violations } of reports) expect(violations).toEqual([])
      expect(reports.map(({ notApplicable }) => parseInt(notApplicable['equal-scores'] ?? '0'))).toEqual(doubts)
    },
  )
})
