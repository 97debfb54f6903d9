import { auditRecords } from '@cloister/audit'
import { type LogRecord, resourcesOf, type RunningJob } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import {
  describeOrder,
  describeRouter,
  describeRun,
  optionsOfRules,
  type LiveRules,
  type QueueDiscipline,
  type Routing,
} from '@cloister/kernel'
import { type BoundOrder, bindOrder } from '@cloister/ordering'
import { orders } from '@cloister/orders'
import { bindPolicy, type ForwardingTables, type PlacementPolicy } from '@cloister/placement'
import { baseline } from '@cloister/policy-baseline'
import { jigsaw } from '@cloister/policy-jigsaw'
import { rerun } from '@cloister/replay'
import { followOn, partitionRouter } from '@cloister/network'
import { parseTopology } from '@cloister/topology'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DrivenRun, EPOCH, type Weather } from './driven-runs.ts'
import { ModelFabric } from './model-fabric.ts'
import { DrivenLog, Driver } from '../src/index.ts'
import { type ModelJob, ModelSlurm } from './model-slurm.ts'

const topology = parseTopology('radix:4')
const easy: QueueDiscipline = { backfill: 'easy', window: 50, reservation: 'movable' }
/** Queue discipline, and the name of the queue order if the order is not that of submission. */
type Queue = QueueDiscipline & { readonly named?: string }
const disciplines: ReadonlyArray<Queue> = [
  easy,
  { backfill: 'none', named: 'smallest' },
  { backfill: 'conservative', window: 10, named: 'shortest' },
  { backfill: 'easy', window: 50, named: 'fair-share' },
]

/** Returns the rules and the header of a new log. */
function liveOf(policy: PlacementPolicy<any, any>, { named, ...queue }: Queue, fabric?: ModelFabric) {
  const bound = bindPolicy(policy, topology)
  const newOrder = (): BoundOrder | undefined =>
    named === undefined ? undefined : bindOrder(orders.get(named)!, topology)
  const order = newOrder()
  const router = partitionRouter()
  const makeRouting = (): Routing => ({ router, tables: router.make(topology) as ForwardingTables })
  const rules: LiveRules<unknown> = {
    topology,
    placer: bound.placer,
    policyName: policy.name,
    queue,
    newOrder,
    ...(fabric && { makeRouting }),
  }
  const workload = { name: 'live', filter: '', jobs: [], sha256: '0'.repeat(64), epoch: EPOCH }
  const header = {
    ...describeRun({
      workload,
      bound,
      ...(order && { order: describeOrder(order) }),
      ...(fabric && { router: describeRouter(makeRouting()) }),
      program: 'test@1.0.0',
      seal_every: 32,
      options: { ...optionsOfRules({ queue, estimates: 'requested', overrun: 'run-on', refusals: false }, 'live') },
    }),
    origin: 'driven' as const,
  }
  return { rules, header, makeRouting }
}

function drive(
  policy: PlacementPolicy<any, any>,
  queue: Queue,
  seed: number,
  weather: Weather,
  seconds = 60,
  waits = true,
  fabric?: ModelFabric,
) {
  const { rules, header, makeRouting } = liveOf(policy, queue, fabric)
  const run = new DrivenRun(rules, header, seed, weather, waits, fabric)
  // Nodes and links are checked only if nobody except the controller releases jobs.
  if (fabric !== undefined && weather.interference === 0)
    run.slurm.onStart = ({ id, mark }, nodes) => {
      const name = run.log?.nameOf(id)
      const started = name === undefined ? undefined : run.log!.state.running.get(name)
      if (mark === 'cloister' && started !== undefined && started.nodes.join() === nodes.join())
        checkOwnLinks(fabric, started)
    }
  const isOver = run.live(seconds)
  return { run, isOver, rules, makeRouting, records: run.records(), placer: () => bindPolicy(policy, topology).placer }
}

/** Throws an error if a switch sends messages between the starting job's nodes over links that are not the job's. */
function checkOwnLinks(fabric: ModelFabric, { nodes, links }: Pick<RunningJob, 'nodes' | 'links'>): void {
  const routes = fabric.routes()
  const own = links.map((ids) => new Set(Array.from(ids)))
  for (const from of nodes)
    for (const to of nodes)
      followOn(topology)(routes, from, to, (level, link) => {
        if (!own[level].has(link))
          throw new Error(`from node ${from} to node ${to}: link ${link} is not a link of the job`)
        walked++
      })
}
let walked = 0

/** Returns all starts in the log except withdrawn starts, as texts: Slurm's id of the job, and the nodes. */
function startsByLog(records: ReadonlyArray<LogRecord>): ReadonlyArray<string> {
  const starts = new Map<number, string>()
  for (const record of records) {
    if (record.type === 'allocate')
      starts.set(record.seq, `${record.job.replace(/\/.*/, '')} on ${resourcesOf(record).nodes.join()}`)
    if (record.type === 'withdraw') starts.delete(record.of)
  }
  return [...starts.values()].sort()
}

function startsBySlurm(jobs: ReadonlyArray<ModelJob>): ReadonlyArray<string> {
  return jobs.flatMap(({ id, runs }) => runs.map(({ nodes }) => `${id} on ${nodes.join()}`)).sort()
}

const calm: Weather = { kills: 0, failures: 0, interference: 0, drains: 0, clock: 0, fabric: 0 }
const anyWeather = fc.record({
  kills: fc.constantFrom(0, 5, 20, 100),
  failures: fc.constantFrom(0, 3, 10),
  interference: fc.constantFrom(0, 2, 5),
  drains: fc.constantFrom(0, 3, 10),
  clock: fc.constantFrom(0, 40),
  fabric: fc.constantFrom(0, 2, 5),
})

describe('the controller (Driver and DrivenLog) on a model of Slurm', () => {
  test('the controller starts every job once and on the nodes of its log, if nothing fails and nobody interferes', () => {
    for (const policy of [baseline, jigsaw])
      for (const queue of disciplines) {
        const { run, isOver, records } = drive(policy, queue, 3, calm)
        expect(isOver).toBe(true)
        const driven = run.slurm.jobs.filter(({ mark }) => mark === 'cloister')
        expect(driven.length).toBeGreaterThan(10)
        expect(driven.every(({ runs }) => runs.length === 1)).toBe(true)
        expect(startsByLog(records)).toEqual(startsBySlurm(driven))
      }
  })

  test('the controller loses no job, starts no job twice and leaves no job on hold, despite kills and failures at any time', () => {
    let kills = 0
    fc.assert(
      fc.property(
        fc.nat(1e6),
        anyWeather,
        fc.constantFrom(baseline, jigsaw),
        fc.constantFrom(...disciplines),
        (seed, weather, policy, queue) => {
          const { run, isOver, records, placer } = drive(policy, queue, seed, weather, 25)
          kills += run.kills
          const { jobs } = run.slurm
          expect(
            jobs
              .filter(({ state }) => state === 'PENDING' || state === 'RUNNING')
              .map(({ id, state }) => `${id} ${state}`),
          ).toEqual([])
          expect(isOver).toBe(true)
          // A job has a second run only if Slurm itself restarts the job.
          for (const { runs } of jobs) expect(runs.map(({ restarts }) => restarts)).toEqual(runs.map((_, at) => at))
          const bySlurm = new Set(startsBySlurm(jobs))
          expect(startsByLog(records).filter((start) => !bySlurm.has(start))).toEqual([])
          // Without interference nobody but the controller starts jobs.
          const driven = jobs.filter(({ mark }) => mark === 'cloister')
          if (weather.interference === 0) expect(startsBySlurm(driven)).toEqual(startsByLog(records))
          const { violations } = auditRecords(records, sha256)
          expect(violations).toEqual([])
          const { difference, compared } = rerun({ records: () => records, placer: placer(), policyName: policy.name })
          expect(difference).toBeUndefined()
          expect(compared).toBe(records.length)
        },
      ),
      { numRuns: Number(process.env['CLOISTER_DRIVEN_RUNS'] ?? 25) },
    )
    expect(kills).toBeGreaterThan(15)
  })

  test('the controller starts a job only after the switches have routes for the job, despite kills and failures of the subnet manager', () => {
    fc.assert(
      fc.property(fc.nat(1e6), anyWeather, fc.constantFrom(...disciplines), (seed, weather, queue) => {
        const fabric = new ModelFabric(topology)
        const { run, isOver, records, placer, makeRouting } = drive(jigsaw, queue, seed, weather, 25, true, fabric)
        expect(isOver).toBe(true)
        const driven = run.slurm.jobs.filter(({ mark }) => mark === 'cloister')
        if (weather.interference === 0) expect(startsBySlurm(driven)).toEqual(startsByLog(records))
        const { violations, checked } = auditRecords(records, sha256)
        expect(violations).toEqual([])
        if (records.some(({ type }) => type === 'allocate'))
          expect(checked).toMatchObject({ 'routes-paired': expect.any(Number), 'routes-inside': expect.any(Number) })
        const asked = { records: () => records, placer: placer(), policyName: 'jigsaw', routing: makeRouting() }
        expect(rerun(asked)).toMatchObject({ difference: undefined, compared: records.length })
        expect(fabric.switchesToStorage()).toBe(20)
      }),
      { numRuns: Number(process.env['CLOISTER_DRIVEN_RUNS'] ?? 15) },
    )
    walked = 0
    drive(jigsaw, easy, 3, calm, 60, true, new ModelFabric(topology))
    expect(walked).toBeGreaterThan(100)
  })

  test('the controller logs a run that began and was requeued between two polls', () => {
    const { rules, header } = liveOf(baseline, easy)
    const slurm = new ModelSlurm(topology, EPOCH)
    const types: Array<string> = []
    const log = new DrivenLog(
      header,
      rules,
      (chunk) => types.push(JSON.parse(new TextDecoder().decode(chunk)).type),
      sha256,
    )
    const driver = new Driver(log, 'batch', 8000)
    const look = (): void => {
      slurm.now++
      const observation = { now: (slurm.now - EPOCH) * 1000, jobs: slurm.see(100), unread: [], useless: [] }
      for (const change of driver.look(observation)) slurm.do(change)
    }
    slurm.submit({ size: 2, length: 50, limit: 59, mark: 'cloister', features: '', partition: 'batch' }, true)
    look()
    slurm.schedule()
    slurm.requeue(slurm.jobs[0])
    while (slurm.jobs[0].state === 'PENDING') {
      look()
      slurm.schedule()
    }
    expect(types).toEqual(['header', 'submit', 'allocate', 'kill', 'release', 'requeue', 'allocate'])
    expect(slurm.jobs[0].runs).toHaveLength(2)
  })

  test('a controller that continues a log starts jobs as in its log only if it waits for late commands of its predecessor', () => {
    const weather: Weather = { kills: 5, failures: 0, interference: 0, drains: 1, clock: 0, fabric: 0 }
    const areOfTheLog = (seed: number, waits: boolean): boolean => {
      const { run, records } = drive(baseline, easy, seed, weather, 25, waits)
      const driven = run.slurm.jobs.filter(({ mark }) => mark === 'cloister')
      return startsBySlurm(driven).join(';') === startsByLog(records).join(';')
    }
    const seeds = Array.from({ length: 30 }, (_, seed) => seed)
    expect(seeds.every((seed) => areOfTheLog(seed, false))).toBe(false)
    expect(seeds.filter((seed) => !areOfTheLog(seed, true))).toEqual([])
  })

  test('rerun finds a changed allocate record in the log of a controller', () => {
    const { records, placer } = drive(jigsaw, easy, 5, { ...calm, kills: 20 })
    expect(records.some(({ type }) => type === 'gap')).toBe(true)
    const at = records.findIndex(({ type }) => type === 'allocate')
    const forged = records.map((record, seq) => (seq === at ? { ...record, nodes: '14-15' } : record) as LogRecord)
    const { difference } = rerun({ records: () => forged, placer: placer(), policyName: 'jigsaw' })
    expect(difference).toMatchObject({ seq: at, recorded: { nodes: '14-15' }, repeated: { type: 'allocate' } })
  })
})
