import type { ClaimsRef, LogRecord } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { parseTopology } from '@cloister/topology'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { auditLog, auditRecords, exitCode, invariants } from '../src/index.ts'
import type { LogBuilder } from './log-builder.ts'
import { rewritten } from './log-edits.ts'
import { type Fault, placeAnywhere, placeByType, type Place, placeOnWholeLeaves, type Scene, type SimulatedJob, simulate } from './simulator.ts'

const topologies = ['radix:4', 'pgft:3;3,3,3;1,3,3;1,1,1'].map((each) => parseTopology(each))

const policies: ReadonlyArray<{ readonly place: Place; readonly claims: Partial<ClaimsRef> }> = [
  { place: placeAnywhere, claims: {} },
  { place: placeOnWholeLeaves, claims: { links: 'owned', rule: 'jigsaw-conditions', fullBandwidth: true } },
  { place: placeByType, claims: { links: 'owned', rule: 'ta', fullBandwidth: true } },
]

const seconds = fc.integer({ min: 0, max: 40 }).map((n) => n * 500)

const job = (isExact: boolean, most: number): fc.Arbitrary<Omit<SimulatedJob, 'id'>> =>
  fc.record({ submit: seconds, size: fc.integer({ min: 1, max: most }), runTime: seconds, walltime: seconds }).map((each) => ({
    ...each,
    walltime: isExact ? each.runTime : each.walltime,
  }))

const scene: fc.Arbitrary<Scene> = fc
  .record({
    topology: fc.constantFrom(...topologies),
    walltime: fc.constantFrom<'exact' | 'trace'>('exact', 'trace'),
    overrun: fc.constantFrom<'run-on' | 'kill'>('run-on', 'kill'),
    window: fc.constantFrom(undefined, 0, 1, 2, 5),
    isEasy: fc.boolean(),
    policy: fc.constantFrom(...policies),
    sealEvery: fc.constantFrom(2, 7, 256),
    requeues: fc.boolean(),
    hasFaults: fc.boolean(),
    seed: fc.integer({ min: 1, max: 1000 }),
  })
  .chain((choice) => {
    const { topology, walltime, overrun, window, isEasy, policy, sealEvery } = choice
    const jobs = fc.array(job(walltime === 'exact', topology.nodes + 1), { minLength: 1, maxLength: 25 })
    return jobs.map((unsorted): Scene => {
      const sorted = unsorted.toSorted((a, b) => a.submit - b.submit).map((each, i) => ({ ...each, id: `${i}` }))
      return {
        options: {
          topology, walltime, overrun, sealEvery,
          queue: isEasy ? { order: 'submit', backfill: 'easy', ...(window === undefined ? {} : { window }) } : { order: 'submit', backfill: 'none' },
          claims: policy.claims,
        },
        place: policy.place,
        jobs: sorted,
        faults: choice.hasFaults ? faults(choice.seed, topology.nodes, policy.place !== placeAnywhere) : [],
        cancels: choice.hasFaults ? sorted.filter((_, i) => (i + choice.seed) % 6 === 0).map(({ id, submit }) => ({ t: submit + 500 * (choice.seed % 9), job: id })) : [],
        requeues: choice.requeues,
      }
    })
  })

/** A node, with an uplink where they matter, that fails and comes back, and another that stays down. */
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

describe('random sound logs of a scheduler over plain sets', () => {
  test('pass, as records and as bytes', () => {
    fc.assert(fc.property(scene, (each) => expectSound(simulate(each))), { numRuns: 150 })
  })

  afterAll(() => {
    const neverMet = invariants.map(({ name }) => name).filter((name) => !tested.has(name))
    // No policy here shares links, rounds sizes up or orders its ranks.
    expect(neverMet).toEqual(['link-capacity', 'enough-nodes', 'ranks', 'laas'])
  })
})

describe('a sound log with one record too few or twice, everything else made to fit', () => {
  const healthy = scene.map((each) => ({ ...each, faults: [], cancels: [] }))

  test.each([['too few', 0], ['twice', 2]])('%s: does not pass', (_, times) => {
    fc.assert(
      fc.property(healthy, fc.nat(), (each, choice) => {
        const { records } = simulate(each)
        const candidates = records.filter(({ type }) => type !== 'header' && type !== 'seal' && type !== 'end')
        const chosen = candidates[choice % candidates.length]
        const edited = records.flatMap((record) => (record === chosen ? Array<typeof record>(times).fill(record) : [record]))
        const report = auditRecords(rewritten(each.options, edited).records, sha256)
        expect(report.ok, `${times} of ${JSON.stringify(chosen)}`).toBe(false)
      }),
      { numRuns: 150 },
    )
  })
})

describe('a sound log with records changed at random', () => {
  test('never makes the audit throw', () => {
    const edits = fc.array(fc.record({ at: fc.nat(), kind: fc.nat(6), by: fc.integer({ min: 0, max: 40 }) }), { minLength: 1, maxLength: 12 })
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
  else if (kind === 3 && 'nodes' in record) record['links'] = [['0-2'], ['', '', '0'], [`${by}`, `${by}-99`], ['1,0'], ['0', '0', '0', '0', '0', '0']][by % 5]
  else if (kind === 4) records.splice(at, 1)
  else if (kind === 5) records.splice(at, 0, { ...records[Math.min(at + by, records.length - 1)] })
  else records.push(...records.splice(at, 1))
  if (records.length === 1) records.push({ seq: 1, t: 0, type: 'cancel', job: '0' })
}
