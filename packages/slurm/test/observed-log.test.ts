import { auditLog } from '@cloister/audit'
import { type LogRecord, readLog, resourcesOf } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { parseTopology, seededDraws } from '@cloister/topology'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  jobsMissing,
  liveHeader,
  NodeIds,
  ObservedLog,
  parseSinfo,
  parseSqueue,
  type Observation,
  withAccounting,
} from '../src/index.ts'
import { FakeCluster } from './fake-cluster.ts'

const topology = parseTopology('radix:4')
const nodeIds = new NodeIds(topology)
const EPOCH = 1_700_000_000

/** Times of the observations of a fake cluster, and restarts of the observing process. */
interface Watch {
  readonly seed: number
  /** Seconds between each observation and the one before. */
  readonly pauses: ReadonlyArray<number>
  /** Indices in the list of pauses: after these pauses, a new process continues the log. */
  readonly restarts: ReadonlySet<number>
  readonly minJobAge: number
  readonly accounting: boolean
  readonly sharesNodes: boolean
}

function watch({ seed, pauses, restarts, minJobAge, accounting, sharesNodes }: Watch) {
  const cluster = new FakeCluster(topology, EPOCH - 20, seededDraws(seed), sharesNodes)
  while (cluster.now < EPOCH) cluster.tick()
  const chunks: Array<Uint8Array> = []
  const header = liveHeader('live', EPOCH, 'test@1.0.0')
  const open = (sink: (chunk: Uint8Array) => void): ObservedLog =>
    new ObservedLog(header, topology, nodeIds, sink, sha256)
  let log = open((chunk) => chunks.push(chunk))
  const observationOf = (gapSince?: number): Observation => {
    const seen = parseSqueue(cluster.squeue(minJobAge), '|')
    const asks = accounting && (gapSince !== undefined || jobsMissing(log.state, seen).length > 0)
    return {
      at: cluster.now,
      rows: asks ? withAccounting(seen, cluster.sacct()) : seen,
      down: parseSinfo(cluster.sinfo(), nodeIds, topology.nodes),
      ...(gapSince === undefined ? {} : { gapSince }),
    }
  }
  log.look(observationOf())
  for (const [at, pause] of pauses.entries()) {
    const last = cluster.now
    for (let second = 0; second < pause; second++) cluster.tick()
    if (restarts.has(at)) {
      const told: Array<Uint8Array> = []
      log = open((chunk) => told.push(chunk))
      log.retell([...readLog(chunks, sha256)])
      expect(Buffer.concat(told).equals(Buffer.concat(chunks))).toBe(true)
      chunks.splice(0, Infinity, ...told)
      log = open((chunk) => void (told.length === 0 ? chunks.push(chunk) : told.shift()))
      log.retell([...readLog([...chunks], sha256)])
    }
    log.look(observationOf(pause > 3 ? last : undefined))
  }
  // At the last observation no job is completing, so that Slurm gives the true times of all runs.
  while (cluster.jobs.some((job) => cluster.isCompleting(job))) {
    cluster.tick()
    log.look(observationOf())
  }
  return { cluster, log, chunks, records: [...readLog(chunks, sha256)] }
}

/** Returns a text for each run of a log, with the true times of start and end (`happened`). */
function runsOf(records: ReadonlyArray<LogRecord>): ReadonlyArray<string> {
  const runs: Array<{ readonly job: string; readonly start: number; readonly nodes: string; end: number }> = []
  for (const record of records) {
    if (record.type === 'header') continue
    const time = EPOCH + (('happened' in record ? record.happened : undefined) ?? record.t)
    if (record.type === 'allocate')
      runs.push({ job: slurmId(record.job), start: time, nodes: resourcesOf(record).nodes.join(), end: Infinity })
    if (record.type === 'release') runs.findLast(({ job }) => job === slurmId(record.job))!.end = time
  }
  return runs.map((run) => `${run.job} ${run.start}-${run.end} ${run.nodes}`).sort()
}

function slurmId(job: string): string {
  return job.replace(/\/.*$/, '')
}

function realRuns(cluster: FakeCluster): ReadonlyArray<string> {
  return cluster.jobs
    .flatMap(({ id, runs }) =>
      runs
        .filter(({ end }) => end > EPOCH)
        .map(({ start, end, nodes }) => `${id} ${Math.max(start, EPOCH)}-${end} ${nodes.join()}`),
    )
    .sort()
}

const someWatch = fc.record({
  seed: fc.nat(1e6),
  pauses: fc.array(fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 3 }), fc.integer({ min: 4, max: 25 })), {
    minLength: 1,
    maxLength: 14,
  }),
  restarts: fc.array(fc.nat(13), { maxLength: 2 }).map((at) => new Set(at)),
  minJobAge: fc.constantFrom(1, 5, 300),
  accounting: fc.boolean(),
  sharesNodes: fc.boolean(),
})

describe('ObservedLog', () => {
  test('writes a log without audit findings that ends in the observed state, whenever observations and restarts happen', () => {
    fc.assert(
      fc.property(someWatch, (given) => {
        const { cluster, log, chunks, records } = watch(given)
        const { violations } = auditLog(chunks, sha256)
        expect(violations).toEqual([])
        const { state } = log
        expect([...state.down.keys()].sort((a, b) => a - b)).toEqual([...cluster.down].sort((a, b) => a - b))
        if (given.sharesNodes) {
          const came = records.filter(({ type }) => type === 'submit').length
          expect(came).toBeLessThan(3 * cluster.jobs.reduce((sum, { runs }) => sum + 1 + runs.length, 0))
          return
        }
        const running = cluster.jobs.filter((job) => job.state === 'RUNNING')
        // Without the accounting, a job with an unknown end may block a start on its nodes until the next observation.
        if (given.minJobAge >= 300 || given.accounting)
          expect([...state.running.keys()].map(slurmId).sort()).toEqual(running.map(({ id }) => id).sort())
        for (const { id, runs } of running) {
          const run = state.running.get(state.nameOf(id)!)
          if (run !== undefined) expect(run.nodes.join()).toBe(runs.at(-1)!.nodes.join())
        }
        const waiting = cluster.jobs.filter((job) => job.state === 'PENDING' && job.eligible <= cluster.now)
        expect([...state.waiting].map(slurmId)).toEqual(expect.arrayContaining(waiting.map(({ id }) => id)))
      }),
      { numRuns: 25 },
    )
  })

  test('logs the true times of all runs if it observes each second or reads the accounting', () => {
    fc.assert(
      fc.property(someWatch, (given) => {
        const seconds = { ...given, sharesNodes: false, pauses: given.pauses.map(() => 1), minJobAge: 300 }
        const eachSecond = watch(seconds)
        expect(runsOf(eachSecond.records)).toEqual(realRuns(eachSecond.cluster))
        const gaps = { ...given, sharesNodes: false, accounting: true, pauses: given.pauses.map((pause) => pause + 3) }
        const withGaps = watch(gaps)
        expect(runsOf(withGaps.records)).toEqual(realRuns(withGaps.cluster))
        expect(withGaps.records.filter(({ type }) => type === 'gap').length).toBe(gaps.pauses.length)
      }),
      { numRuns: 8 },
    )
  })

  test('writes no record for an observation that equals the log', () => {
    const { cluster, log } = watch({
      seed: 7,
      pauses: [3, 3, 3],
      restarts: new Set(),
      minJobAge: 300,
      accounting: false,
      sharesNodes: false,
    })
    const again = log.look({
      at: cluster.now,
      rows: parseSqueue(cluster.squeue(300), '|'),
      down: parseSinfo(cluster.sinfo(), nodeIds, topology.nodes),
    })
    expect(again).toEqual({ records: 0, onUnknownNodes: [], withoutEnd: [], onSharedNodes: [] })
  })
})
