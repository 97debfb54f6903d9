/** Random workloads, policies and options for property tests: small machines under heavy load, with many ties. */
import type { LogOutcome, LogRecord, MigrationRules, Recorder, Totals } from '@cloister/eventlog'
import { LogWriter, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { bindOrder } from '@cloister/ordering'
import { orders } from '@cloister/orders'
import { bindPolicy, type ForwardingTables, type PlacementPolicy, type Router } from '@cloister/placement'
import { baseline } from '@cloister/policy-baseline'
import { jigsaw } from '@cloister/policy-jigsaw'
import { parseTopology, type Topology } from '@cloister/topology'
import { type Job, makeWorkload, withTurns } from '@cloister/workload'
import * as fc from 'fast-check'
import {
  type Cancellation,
  describeOrder,
  describeRouter,
  describeRun,
  mayMigrate,
  optionsOfRules,
  type Outage,
  PolicyFaultError,
  type QueueDiscipline,
  type RunTimes,
  simulate,
  type Simulation,
  type Summary,
  type TimeLimit,
} from '../src/index.ts'

export { type BrokenWay, brokenPolicy, brokenWays } from './broken-policy.ts'

export interface RunOptions {
  readonly topology: string
  readonly policy: PlacementPolicy<any, any>
  readonly config: unknown
  readonly jobs: ReadonlyArray<Job>
  readonly queue: QueueDiscipline
  /** Name of a built-in queue order. Default: submit. */
  readonly order?: string | undefined
  readonly estimates: 'exact' | 'requested'
  readonly overrun: 'run-on' | 'kill'
  readonly refusals: boolean
  readonly outages?: ReadonlyArray<Outage>
  readonly cancellations?: ReadonlyArray<Cancellation>
  readonly requeue?: boolean
  readonly unroutable?: 'kill'
  readonly router?: Router
  readonly runTimes?: RunTimes
  readonly migrate?: MigrationRules
}

/** Returns run times from half to twice the given time, by job, nodes and state, in whole seconds. */
export const varied: RunTimes = (state, { job, nodes }, placement, time) => {
  const factor =
    Number(job) % 3 === 0 ? 2 : 1 + ((placement.nodes[0] + 3 * placement.nodes[nodes - 1] + state.freeNodes) % 4)
  return 1000 * Math.round((time * factor) / 2000)
}

export const policies: ReadonlyArray<Pick<RunOptions, 'policy' | 'config'>> = [
  { policy: baseline, config: {} },
  { policy: jigsaw, config: {} },
  { policy: jigsaw, config: { order: 'sparsest-first' } },
  { policy: jigsaw, config: { maxSteps: 2 } },
  { policy: jigsaw, config: { sharing: { capacity: 3000 } } },
  { policy: jigsaw, config: { sharing: { capacity: 2000 }, maxSteps: 2 } },
]

/** Few distinct times in whole seconds, so that ends, submissions and shadow times coincide. */
const job = (machine: number): fc.Arbitrary<Omit<Job, 'id'>> =>
  fc.record(
    {
      submit: fc.integer({ min: 0, max: 12 }).map((s) => s * 1000),
      size: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: machine + 1 })),
      runTime: fc.integer({ min: 0, max: 9 }).map((s) => s * 1000),
      walltime: fc.option(
        fc.integer({ min: 0, max: 12 }).map((s) => s * 1000),
        { nil: undefined },
      ),
      bandwidth: fc.constantFrom(500, 1000, 1500, 2000),
      user: fc.constantFrom('ada', 'bob'),
    },
    { requiredKeys: ['submit', 'size', 'runTime', 'walltime'] },
  )

const queues: ReadonlyArray<QueueDiscipline> = [
  { backfill: 'none' },
  { backfill: 'easy', window: 2 },
  { backfill: 'easy', window: 50 },
  { backfill: 'easy', window: 5 },
  { backfill: 'easy', window: 2, reservation: 'movable' },
  { backfill: 'easy', window: 50, reservation: 'movable' },
  { backfill: 'easy', window: 5, reservation: 'movable' },
  { backfill: 'easy', window: 5, reservation: 'movable', windowOrder: 'largest', replan: true },
  { backfill: 'easy', window: 5, windowOrder: 'shortest', replan: true },
  { backfill: 'easy', window: 50, reservation: 'movable', moveMinNodes: 3 },
  { backfill: 'easy', window: 50, windowOrder: 'smallest', reservation: 'movable' },
  { backfill: 'easy', window: 50, kill: true },
  { backfill: 'easy', window: 5, kill: true },
  { backfill: 'unreserved', window: 3 },
  { backfill: 'unreserved', window: 50 },
  { backfill: 'counting', window: 50 },
  { backfill: 'counting', window: 3, passing: 'early' },
  { backfill: 'counting', window: 50, passing: 'in-order' },
]

/** Outages with repairs. No node or link fails twice at once. */
const outages = (topology: Topology): fc.Arbitrary<ReadonlyArray<Outage>> =>
  fc.uniqueArray(fc.nat(topology.nodes - 1), { maxLength: 4 }).chain((nodes) =>
    fc
      .tuple(
        ...nodes.map((node) =>
          fc
            .record({
              from: fc.integer({ min: 0, max: 15 }),
              lasts: fc.integer({ min: 1, max: 20 }),
              link: fc.boolean(),
            })
            .map(({ from, lasts, link }) => {
              // Link n of the leaves fails with node n if both exist.
              const resources = { nodes: [node], links: link && node < topology.levels[0].links ? [[node]] : [] }
              return [
                { time: from * 1000, change: 'down', resources },
                { time: (from + lasts) * 1000, change: 'up', resources },
              ] as const
            }),
        ),
      )
      .map((pairs) => pairs.flat().sort((a, b) => a.time - b.time)),
  )

const machines = ['radix:4', 'radix:6', 'pgft:3;4,3,3;1,2,2;1,1,1', 'pgft:3;4,4,3;1,4,2;1,1,2']

/** Queue orders of random runs. Every second run has the order of submission. */
export const drawnOrders: ReadonlyArray<string> = [...orders.keys()].flatMap((name) => ['submit', name])

/** Queue orders with scores that change with time. */
export const changingOrders: ReadonlyArray<string> = [...orders]
  .filter(([, order]) => !bindOrder(order, { nodes: 1 }).ordering.claims.fixed)
  .map(([name]) => name)

/** Runs under every discipline except conservative backfilling. */
export const runs: fc.Arbitrary<RunOptions> = runsUnder(queues)
export const conservativeRuns: fc.Arbitrary<RunOptions> = runsUnder([
  { backfill: 'conservative', window: 50 },
  { backfill: 'conservative', window: 3 },
  { backfill: 'conservative', window: 4 },
  { backfill: 'conservative', window: 50, reservation: 'movable' },
  { backfill: 'conservative', window: 3, reservation: 'movable' },
  { backfill: 'conservative', window: 4, reservation: 'movable' },
])

/**
 * Returns runs under EASY with `kill` in these queue orders. Every second job needs most of the nodes, and many jobs run
 * past their estimates: only a backfilled job past its estimate blocks the reservation at the shadow time.
 */
export function killingRuns(...orders: ReadonlyArray<string>): fc.Arbitrary<RunOptions> {
  const killing = queues.filter((queue) => queue.backfill === 'easy' && queue.kill === true)
  return runsUnder(killing, machines, orders, 12).map((run) => {
    const { nodes } = parseTopology(run.topology)
    const jobs = run.jobs.map(({ size, runTime, walltime = 0, ...each }, at) => ({
      ...each,
      size: at % 2 === 0 ? 1 + (size % 6) : nodes - (size % 4),
      runTime: 2 * runTime,
      walltime: walltime % 5000,
    }))
    return { ...run, jobs, estimates: 'requested', overrun: 'run-on' }
  })
}

/** Runs with the option `migrate`, under policies with owned links. */
export const movingRuns: fc.Arbitrary<RunOptions> = fc
  .record({
    run: runsUnder(queues.filter(mayMigrate), [
      ...machines,
      '2 rails of radix:4',
      'radix:6 without nodes 3,17-19; leaf 4; leaf 5 ports 2',
    ]),
    config: fc.constantFrom({}, { order: 'sparsest-first' }, { maxSteps: 2 }),
    migrate: fc.record({ cost: fc.constantFrom(0, 1000, 3000), limit: fc.integer({ min: 1, max: 3 }) }),
  })
  .map(({ run: { runTimes: _runTimes, ...run }, config, migrate }) => {
    // Jobs that run for long are worth a move, and small jobs fragment a machine.
    const jobs = run.jobs.map((each) => ({ ...each, size: (each.size % 7) + 1, runTime: 5 * each.runTime + 5000 }))
    return { ...run, jobs, policy: jigsaw, config, migrate }
  })

function runsUnder(
  disciplines: ReadonlyArray<QueueDiscipline>,
  topologies: ReadonlyArray<string> = machines,
  ofOrders: ReadonlyArray<string> = drawnOrders,
  fewestJobs: number = 1,
): fc.Arbitrary<RunOptions> {
  return fc
    .constantFrom(...topologies)
    .chain((topology) =>
      fc.record({
        topology: fc.constant(topology),
        chosen: fc.constantFrom(...policies),
        jobs: fc.array(job(parseTopology(topology).nodes), { minLength: fewestJobs, maxLength: 40 }),
        queue: fc.constantFrom(...disciplines),
        order: fc.constantFrom(...ofOrders),
        estimates: fc.constantFrom('exact' as const, 'requested' as const),
        overrun: fc.constantFrom('run-on' as const, 'kill' as const),
        refusals: fc.boolean(),
        outages: fc.oneof(fc.constant([]), outages(parseTopology(topology))),
        requeue: fc.boolean(),
        varies: fc.boolean(),
        takenBack: fc.oneof(
          fc.constant([]),
          fc.array(fc.record({ job: fc.nat(), after: fc.integer({ min: 1, max: 15 }) }), { maxLength: 8 }),
        ),
      }),
    )
    .map(({ chosen, jobs, takenBack, varies, ...options }) => {
      const sorted = numbered(jobs)
      return {
        ...options,
        ...chosen,
        jobs: sorted,
        cancellations: cancellations(sorted, takenBack),
        ...(varies ? { runTimes: varied } : {}),
      }
    })
}

function cancellations(
  jobs: ReadonlyArray<Job>,
  takenBack: ReadonlyArray<{ readonly job: number; readonly after: number }>,
): ReadonlyArray<Cancellation> {
  const all = takenBack.map(({ job, after }) => ({
    job: job % jobs.length,
    time: jobs[job % jobs.length].submit + after * 1000,
  }))
  return all.sort((a, b) => a.time - b.time || a.job - b.job)
}

/** Returns jobs in submit order, numbered from 1. */
export function numbered(jobs: ReadonlyArray<Omit<Job, 'id'>>): ReadonlyArray<Job> {
  return [...jobs].sort((a, b) => a.submit - b.submit).map((one, at) => ({ ...one, id: String(at + 1) }))
}

/** Returns jobs in submit order, numbered from 1, without walltimes. Times are in milliseconds. */
export function jobsOf(
  ...jobs: ReadonlyArray<readonly [submit: number, size: number, runTime: number]>
): ReadonlyArray<Job> {
  return numbered(jobs.map(([submit, size, runTime]) => ({ submit, size, runTime, walltime: undefined })))
}

export interface RunLog {
  readonly text: string
  readonly bytes: Uint8Array
  readonly totals: Totals
  readonly records: ReadonlyArray<LogRecord>
}

/**
 * Runs a simulation and reads its log. `wrap` may replace parts of the input; `kernel` may be a second implementation.
 */
export function run(
  options: RunOptions,
  kernel: (simulation: Simulation<any>) => Summary = simulate,
  wrap: (simulation: Simulation<any>) => Simulation<any> = (same) => same,
): RunLog {
  const { simulation, chunks } = prepared(options)
  const { totals } = kernel(wrap(simulation))
  const bytes = Buffer.concat(chunks)
  return { text: bytes.toString('latin1'), bytes, totals, records: readAll(bytes) }
}

/** A run that ends with a fault of the policy: the error, and the content of the log. */
export interface BrokenRun {
  readonly error: PolicyFaultError
  readonly bytes: Uint8Array
  readonly records: ReadonlyArray<LogRecord>
  readonly outcome: LogOutcome
}

/** Runs until the policy fails; returns undefined if the policy does not fail. */
export function runToFault(options: RunOptions, timeLimit?: TimeLimit): BrokenRun | undefined {
  const { simulation, chunks } = prepared(options)
  try {
    simulate({ ...simulation, ...(timeLimit && { timeLimit }) })
    return undefined
  } catch (error) {
    if (!(error instanceof PolicyFaultError)) throw error
    const bytes = Buffer.concat(chunks)
    const records: Array<LogRecord> = []
    const reading = readLog([bytes], sha256)
    for (let next = reading.next(); ; next = reading.next()) {
      if (next.done) return { error, bytes, records, outcome: next.value }
      records.push(next.value)
    }
  }
}

/** Makes all jobs communicate: in a log, only the run times of such jobs may depend on the allocation. */
export function communicating(jobs: ReadonlyArray<Job>): ReadonlyArray<Job> {
  return jobs.map((job) => ({ communication: { pattern: 'ring', share: 500 }, ...job }))
}

/** Gives a job a recorded start up to 20 s after the submission. */
function started(job: Job): Job {
  return { ...job, recordedStart: job.submit + ((7919 * (job.runTime + job.size)) % 20_000) }
}

/** Returns the simulation, and the list `chunks`, to which the simulation adds the bytes of its log. */
function prepared(options: RunOptions): {
  readonly simulation: Simulation<any>
  readonly chunks: ReadonlyArray<Uint8Array>
} {
  const topology = parseTopology(options.topology)
  const bound = bindPolicy(options.policy, topology, options.config)
  const ofOrder = options.order === 'recorded' ? withTurns(options.jobs.map(started)) : options.jobs
  const jobs = options.runTimes === undefined ? ofOrder : communicating(ofOrder)
  const workload = makeWorkload(jobs, { name: 'random', filter: '' })
  const {
    queue,
    order: nameOfOrder = 'submit',
    estimates,
    overrun,
    refusals,
    outages = [],
    cancellations = [],
    requeue = false,
    unroutable,
    router,
    runTimes,
    migrate,
  } = options
  const routing = router && { router, tables: router.make(topology) as ForwardingTables }
  const order = nameOfOrder === 'submit' ? undefined : bindOrder(orders.get(nameOfOrder)!, { nodes: topology.nodes })
  const header = describeRun({
    workload,
    bound,
    ...(order && { order: describeOrder(order) }),
    ...(routing && { router: describeRouter(routing) }),
    program: 'cloister@test',
    options: {
      ...optionsOfRules(
        {
          queue,
          estimates,
          overrun,
          requeue,
          refusals,
          ...(unroutable && { unroutable }),
          ...(migrate && { migrate }),
        },
        'trace',
      ),
      ...(runTimes && { runTimes: 'communication' as const }),
    },
  })
  const chunks: Array<Uint8Array> = []
  const recorder: Recorder = new LogWriter(
    { ...header, seal_every: 16 },
    topology,
    (chunk) => chunks.push(chunk),
    sha256,
  )
  const simulation = {
    topology,
    policyName: options.policy.name,
    placer: bound.placer,
    workload,
    queue,
    order,
    estimates,
    overrun,
    outages,
    cancellations,
    requeue,
    ...(unroutable && { unroutable }),
    refusals,
    recorder,
    ...(routing && { routing }),
    ...(runTimes && { runTimes }),
    ...(migrate && { migrate }),
  }
  return { simulation, chunks }
}

function readAll(bytes: Uint8Array): ReadonlyArray<LogRecord> {
  const records: Array<LogRecord> = []
  const reading = readLog([bytes], sha256)
  for (let next = reading.next(); ; next = reading.next()) {
    if (!next.done) records.push(next.value)
    else if (next.value.status === 'whole') return records
    else throw new Error(`the log does not read back: ${JSON.stringify(next.value)}`)
  }
}
