import { type ClaimsRef, extractWindow, type LogRecord } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { parseTopology, type Topology } from '@cloister/topology'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { auditLog, auditRecords, exitCode, invariants } from '../src/index.ts'
import type { LogBuilder, Queue } from './log-builder.ts'
import { rewritten } from './log-edits.ts'
import { orderNames } from './naive-orders.ts'
import {
  type Fault,
  placeAnywhere,
  placeByType,
  type Place,
  placeOnWholeLeaves,
  type Scene,
  type SimulatedJob,
  simulate,
} from './simulator.ts'

const topologies = ['radix:4', 'pgft:3;3,3,3;1,3,3;1,1,1'].map((each) => parseTopology(each))

const policies: ReadonlyArray<{ readonly place: Place; readonly claims: Partial<ClaimsRef> }> = [
  { place: placeAnywhere, claims: {} },
  { place: placeAnywhere, claims: { any_free_nodes: true } },
  { place: placeOnWholeLeaves, claims: { links: 'owned', rule: 'jigsaw-conditions', full_bandwidth: true } },
  { place: placeByType, claims: { links: 'owned', rule: 'ta', full_bandwidth: true, complete: true } },
]

const seconds = fc.integer({ min: 0, max: 40 }).map((n) => n * 500)

const job = (isExact: boolean, most: number): fc.Arbitrary<Omit<SimulatedJob, 'id'>> =>
  fc
    .record({
      submit: seconds,
      size: fc.integer({ min: 1, max: most }),
      runTime: seconds,
      estimate: seconds,
      user: fc.constantFrom('ada', 'ben', 'cy'),
    })
    .map((each) => ({ ...each, estimate: isExact ? each.runTime : each.estimate }))

type Discipline = Pick<Queue, 'backfill' | 'window' | 'kill'>
const windows = [{ window: 1 }, { window: 2 }, { window: 5 }, { window: 50 }]
const easy: ReadonlyArray<Discipline> = windows.map((window) => ({ backfill: 'easy', ...window }))
const killing: ReadonlyArray<Discipline> = easy.map((each) => ({ ...each, kill: true }))
const conservative: ReadonlyArray<Discipline> = windows.map((window) => ({ backfill: 'conservative', ...window }))

const queues = (...disciplines: ReadonlyArray<Discipline>): fc.Arbitrary<Queue> =>
  fc
    .tuple(
      fc.constantFrom<Pick<Queue, 'order'>>({}, {}, ...orderNames.slice(1).map((order) => ({ order }))),
      fc.constantFrom(...disciplines),
      fc.constantFrom<Pick<Queue, 'requeue'>>({}, { requeue: true }),
    )
    .map(([order, discipline, requeue]) => ({ ...order, ...discipline, ...requeue }))

interface Choice {
  readonly topology: Topology
  readonly estimates: 'exact' | 'requested'
  readonly overrun: 'run-on' | 'kill'
  readonly queue: Queue
  readonly policy: (typeof policies)[number]
  readonly sealEvery: number
  readonly hasFaults: boolean
  readonly seed: number
}

const choices = (...disciplines: ReadonlyArray<Discipline>): fc.Arbitrary<Choice> =>
  fc.record({
    topology: fc.constantFrom(...topologies),
    estimates: fc.constantFrom<'exact' | 'requested'>('exact', 'requested'),
    overrun: fc.constantFrom<'run-on' | 'kill'>('run-on', 'kill'),
    queue: queues(...disciplines),
    policy: fc.constantFrom(...policies),
    sealEvery: fc.constantFrom(2, 7, 256),
    hasFaults: fc.boolean(),
    seed: fc.integer({ min: 1, max: 1000 }),
  })

function scenes(chosen: fc.Arbitrary<Choice>, fewestJobs: number): fc.Arbitrary<Scene> {
  return chosen.chain(({ topology, estimates, overrun, queue, policy, sealEvery, hasFaults, seed }) => {
    const jobs = fc.array(job(estimates === 'exact', topology.nodes + 1), { minLength: fewestJobs, maxLength: 25 })
    return jobs.map((unsorted): Scene => {
      const sorted = unsorted.toSorted((a, b) => a.submit - b.submit).map((each, i) => ({ ...each, id: `${i}` }))
      return {
        options: { topology, estimates, overrun, sealEvery, queue, claims: policy.claims },
        place: policy.place,
        jobs: sorted,
        faults: hasFaults ? faults(seed, topology.nodes, policy.place !== placeAnywhere) : [],
        cancels: hasFaults
          ? sorted
              .filter((_, i) => (i + seed) % 6 === 0)
              .map(({ id, submit }) => ({ t: submit + 500 * (seed % 9), job: id }))
          : [],
      }
    })
  })
}

const scene = scenes(choices({ backfill: 'none' }, ...easy, ...killing, ...conservative), 1)
/** Random scenes with many jobs, and with backfilled jobs in the way of a due reservation. */
const killScene = scenes(
  choices(...killing).map((each) => ({ ...each, estimates: 'requested', overrun: 'run-on' })),
  20,
)
/** Scenes with many jobs and reservations to keep. */
const reservationScene = scenes(
  choices(...conservative).map((each) => ({ ...each, estimates: 'exact', hasFaults: false, queue: { ...each.queue } })),
  20,
)

/** Returns faults: a node (and an uplink, if links matter) fails and comes back; a second node fails and stays down. */
function faults(seed: number, nodes: number, withLinks: boolean): ReadonlyArray<Fault> {
  const first = new Set([`node ${seed % nodes}`, ...(withLinks ? [`link 0 ${(seed * 7) % nodes}`] : [])])
  const second = new Set([`node ${(seed + 1) % nodes}`])
  return [
    { t: 2000, type: 'down', parts: first },
    { t: 500 * (seed % 30) + 2500, type: 'up', parts: first },
    { t: 5000, type: 'down', parts: second },
  ]
}

const tested = new Set<string>()

function expectSound(log: LogBuilder): void {
  const fromRecords = auditRecords(log.records, sha256)
  expect(fromRecords.violations).toEqual([])
  expect(exitCode(fromRecords)).toBe(0)
  const fromBytes = auditLog([log.bytes()], sha256)
  expect(fromBytes.violations).toEqual([])
  expect(fromBytes.ok).toBe(true)
  expect({ ...fromBytes.checked }).toMatchObject(fromRecords.checked)
  for (const name of Object.keys(fromBytes.checked)) tested.add(name)
}

/** Returns the part of a log between two shares (0 to 1) of its time. */
function partOf(log: LogBuilder, from: number, until: number): Uint8Array {
  const end = log.records.reduce((t, record) => ('t' in record ? record.t : t), 0)
  const chunks: Array<Uint8Array> = []
  extractWindow(
    () => log.records,
    from * end,
    until * end,
    (chunk) => chunks.push(chunk),
    sha256,
  )
  return Buffer.concat(chunks)
}

describe('logs of random runs of the naive scheduler in simulator.ts', () => {
  test.each([
    ['', scene, 60],
    [' with the kill option', killScene, 20],
    [' with conservative backfilling', reservationScene, 20],
  ])('auditLog finds no violation in a part of a random run%s', (_, scene, numRuns) => {
    const bounds = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }))
    fc.assert(
      fc.property(scene, bounds, (each, [one, other]) => {
        const report = auditLog([partOf(simulate(each), Math.min(one, other), Math.max(one, other))], sha256)
        expect(report.violations).toEqual([])
        expect(report.status).toBe('whole')
        expect(report.notApplicable['workload-count']).toContain('a part of a run: ')
      }),
      { numRuns },
    )
  })

  test.each([
    ['', scene, 150],
    [' with the kill option', killScene, 40],
    [' with conservative backfilling', reservationScene, 40],
  ])('auditLog and auditRecords find no violation in a random run%s', (_, scene, numRuns) => {
    fc.assert(
      fc.property(scene, (each) => expectSound(simulate(each))),
      { numRuns },
    )
  })

  afterAll(() => {
    const neverMet = invariants.map(({ name }) => name).filter((name) => !tested.has(name))
    // The scenes have no policy with owned links and no rule, shared links, rounded sizes or ordered ranks. The scenes
    // have neither routes nor contention nor moves, no discipline `counting`, and their headers have no checksum of the submit records.
    expect(neverMet).toEqual([
      'job-groups',
      'submits-checksum',
      'links-connect',
      'link-capacity',
      'enough-nodes',
      'refusals-complete',
      'refusals-hold',
      'refusal-reservations',
      'ranks',
      'progress-rates',
      'moves-paired',
      'moves-for-starts',
      'moves-cost',
      'moves-beside-reservation',
      'routes-paired',
      'routes-inside',
      'routes-after-outages',
      'unroutable-kills',
      'turns',
      'backfill-counts',
      'laas',
      'nested-remainders',
      'isolated-under-adaptive-routing',
    ])
  })
})

describe('a sound log with one record removed or repeated', () => {
  const healthy = scene.map((each) => ({ ...each, faults: [], cancels: [] }))

  test.each([
    ['removed', 0],
    ['repeated', 2],
  ])('the audit of a sound log is not ok after one record was %s, even with new seqs and seals', (_, times) => {
    fc.assert(
      fc.property(healthy, fc.nat(), (each, choice) => {
        const { records } = simulate(each)
        const candidates = records.filter(
          (record) => !['header', 'seal', 'end'].includes(record.type) && !isIdle(record, records),
        )
        const chosen = candidates[choice % candidates.length]
        const edited = records.flatMap((record) =>
          record === chosen ? Array<typeof record>(times).fill(record) : [record],
        )
        const report = auditRecords(rewritten(each.options, edited).records, sha256)
        expect(report.ok, `${times} of ${JSON.stringify(chosen)}`).toBe(false)
      }),
      { numRuns: 150 },
    )
  })
})

/** Returns true if the next record after an unreserve is the job's allocate, which ends the reservation as well. */
function isIdle(record: LogRecord, records: ReadonlyArray<LogRecord>): boolean {
  if (record.type !== 'unreserve') return false
  const next = records.find((each) => each.seq > record.seq && 'job' in each && each.job === record.job)
  return next?.type === 'allocate' && next.t === record.t
}

describe('auditRecords of random records', () => {
  test('auditRecords never throws for a sound log with records changed at random', () => {
    const edits = fc.array(fc.record({ at: fc.nat(), kind: fc.nat(6), by: fc.integer({ min: 0, max: 40 }) }), {
      minLength: 1,
      maxLength: 12,
    })
    fc.assert(
      fc.property(scene, edits, (each, changes) => {
        const records: Array<{ [key: string]: unknown }> = simulate(each).records.map((record) => ({ ...record }))
        for (const { at, kind, by } of changes) change(records, 1 + (at % (records.length - 1)), kind, by)
        const report = auditRecords(records as unknown as ReadonlyArray<LogRecord>, sha256)
        expect(JSON.parse(JSON.stringify(report))).toEqual(report)
      }),
      { numRuns: 150 },
    )
  })
})

function change(records: Array<{ [key: string]: unknown }>, at: number, kind: number, by: number): void {
  const record = records[at]
  const numeric = Object.keys(record).filter((key) => typeof record[key] === 'number')
  if (kind === 0) record[numeric[by % numeric.length]] = by
  else if (kind === 1 && 'job' in record) record['job'] = `${by}`
  else if (kind === 2 && 'nodes' in record) record['nodes'] = ['', '0', '3,2', `${by}-${by + 9}`, 'x', '7-999'][by % 6]
  else if (kind === 3 && 'nodes' in record)
    record['links'] = [['0-2'], ['', '', '0'], [`${by}`, `${by}-99`], ['1,0'], ['0', '0', '0', '0', '0', '0']][by % 5]
  else if (kind === 4) records.splice(at, 1)
  else if (kind === 5) records.splice(at, 0, { ...records[Math.min(at + by, records.length - 1)] })
  else records.push(...records.splice(at, 1))
  if (records.length === 1) records.push({ seq: 1, t: 0, type: 'cancel', job: '0' })
}
