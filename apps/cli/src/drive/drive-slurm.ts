import { drive, type DriveReport, type Partition, watchdog } from '@cloister/controller'
import { sha256 } from '@cloister/eventlog/node'
import { describePolicy, type QueueDiscipline, queueOptions, type Routing, schedulingRules } from '@cloister/kernel'
import type { BoundPolicy } from '@cloister/placement'
import { bind, OptionError, parseQueue, routingOf } from '@cloister/run'
import { attempt, Files, stopAfter } from '@cloister/run/node'
import { liveHeader, NodeIds } from '@cloister/slurm'
import { fabricOfSpec, fabricPorts, type Topology } from '@cloister/topology'
import { traceName } from '@cloister/trace-io'
import { Effect, Option } from 'effect'
import { checkNotInput } from '../files/outputs.ts'
import { PolicyLookup } from '../policy/policy-lookup.ts'
import { inputFiles } from '../run/input-files.ts'
import { program } from '../run/log-target.ts'
import { parseJson } from '../run/spec-of-flags.ts'
import { print } from '../terminal/output.ts'
import { count } from '../terminal/quantities.ts'
import { fields } from '../terminal/table.ts'
import { findTopology } from '../topology/topology-lookup.ts'

interface Target {
  readonly partition: string
  readonly topology: string
  readonly polls: Option.Option<number>
  readonly json: boolean
}

export interface DriveSlurmOptions extends Target {
  readonly out: string
  readonly policy: string
  readonly policyConfig: string
  readonly queue: string
  readonly policyTimeout: number
  readonly interval: number
  readonly startWithin: number
  readonly commandSeconds: number
  readonly lease: Option.Option<string>
  readonly leaseSeconds: number
  readonly opensmRoutes: Option.Option<string>
  readonly opensmPidFile: Option.Option<string>
  readonly routesWithin: number
  readonly dryRun: boolean
}

export interface WatchdogFlags extends Target {
  readonly lease: string
  readonly after: number
}

export const driveSlurm = Effect.fn(function* (options: DriveSlurmOptions) {
  const { out, policy: name, json, dryRun } = options
  yield* checkTimes(options)
  const disk = yield* Files
  const routesFile = Option.getOrUndefined(options.opensmRoutes)
  const lease = Option.getOrElse(options.lease, () => `${out}.lease`)
  const read = [{ topology: options.topology, policy: name }]
  yield* attempt(() => checkNotInput(disk, out, inputFiles(disk, out, read, undefined)))
  yield* attempt(() => checkNotInput(disk, lease, [out, ...inputFiles(disk, lease, read, undefined)]))
  if (routesFile !== undefined)
    yield* attempt(() => {
      const others = [out, lease, ...Option.toArray(options.opensmPidFile)]
      checkNotInput(disk, routesFile, [...others, ...inputFiles(disk, routesFile, read, undefined)])
    })
  const queue = yield* attempt(() => queueOf(options.queue))
  const partition = yield* partitionOf(options)
  const { topology } = partition
  const found = yield* (yield* PolicyLookup).find(name)
  const config = yield* attempt(() => parseJson('policy-config', options.policyConfig))
  const bound = yield* bind(found, topology, config)
  if (routesFile === undefined && Option.isSome(options.opensmPidFile))
    return yield* new OptionError({
      option: 'opensm-pid-file',
      reason: 'needs --opensm-routes: without it no forwarding tables are written',
    })
  const routing = routesFile === undefined ? undefined : yield* routesOf(options, routesFile, bound, topology)
  const live = liveHeader(topology, traceName(out), 0, program)
  const report = yield* drive({
    partition,
    rules: {
      topology,
      placer: bound.placer,
      policyName: name,
      queue,
      timeLimit: stopAfter(Math.round(options.policyTimeout * 1000)),
      ...(routing && { makeRouting: routing.make }),
    },
    header: {
      ...live,
      origin: 'driven',
      policy: describePolicy(bound),
      options: { ...live.options, ...queueOptions(queue), ...(routing && { router: 'partition' }) },
    },
    log: out,
    lease,
    leaseSeconds: options.leaseSeconds,
    interval: options.interval,
    startWithin: options.startWithin,
    commandSeconds: options.commandSeconds,
    polls: Option.getOrUndefined(options.polls),
    dryRun,
    ...(routing && { routes: routing.routes }),
  })
  yield* print(json, report, () => describe(report))
})

const routesOf = Effect.fnUntraced(function* (
  { topology: spec, opensmPidFile, routesWithin }: DriveSlurmOptions,
  file: string,
  bound: BoundPolicy<unknown, unknown>,
  topology: Topology,
) {
  const option = 'opensm-routes'
  if (Option.isNone(opensmPidFile))
    return yield* new OptionError({
      option,
      reason: 'needs --opensm-pid-file: OpenSM must get a signal after each change of the routes',
    })
  const fabric = fabricOfSpec(spec)
  if (fabric === undefined)
    return yield* new OptionError({
      option,
      reason: `needs --topology ib:FILE, the output of ibnetdiscover with the ports and GUIDs of the fabric; found ${spec}`,
    })
  const { readText } = yield* Files
  const ports = yield* attempt(() => fabricPorts(readText(fabric.path), topology, topology.name, fabric.adapter))
  const make = (): Routing => routingOf('partition', topology, bound, sha256)!
  yield* attempt(make).pipe(
    Effect.catchIf(
      (error) => error instanceof OptionError,
      ({ reason }) => new OptionError({ option, reason }),
    ),
  )
  return { make, routes: { file, pidFile: opensmPidFile.value, within: routesWithin, ports } }
})

export const watchController = Effect.fn(function* ({ lease, after, polls, ...target }: WatchdogFlags) {
  if (!(after >= 1 && after <= 86_400))
    return yield* new OptionError({ option: 'after', reason: `found ${after}, expected 1 to 86400 seconds` })
  const partition = yield* partitionOf(target)
  const report = yield* watchdog({ partition, lease, after, polls: Option.getOrUndefined(polls) })
  yield* print(target.json, report, () =>
    fields([['handed back', `${count(report.handedBack)} jobs`], ...diskFailures(report.diskErrors)]),
  )
})

const partitionOf = Effect.fnUntraced(function* ({ partition, topology: spec }: Omit<Target, 'polls'>) {
  const topology = yield* findTopology(spec)
  return { name: partition, topology, nodeIds: new NodeIds(topology) } satisfies Partition
})

function queueOf(text: string): QueueDiscipline {
  const queue = parseQueue(text)
  if (queue.backfill === 'easy' && queue.kill === true)
    throw new OptionError({
      option: 'queue',
      reason: `found ${text}, expected a queue without ,kill: on a real machine no job is killed for the start of another job`,
    })
  return schedulingRules({ arrivals: 'trace', queue: text, estimates: 'requested' }).queue
}

const checkTimes = Effect.fnUntraced(function* (options: DriveSlurmOptions) {
  const { interval, startWithin, commandSeconds, leaseSeconds, policyTimeout, out } = options
  const times = {
    interval,
    'start-within': startWithin,
    'command-seconds': commandSeconds,
    'lease-seconds': leaseSeconds,
    'policy-timeout': policyTimeout,
    'routes-within': options.routesWithin,
  }
  for (const [option, found] of Object.entries(times))
    if (!(found >= 0.1 && found <= 3600))
      return yield* new OptionError({ option, reason: `found ${found}, expected 0.1 to 3600 seconds` })
  if (out.endsWith('.zst'))
    return yield* new OptionError({
      option: 'out',
      reason: 'the log of a real machine cannot be compressed, expected a name without .zst',
    })
})

function describe(report: DriveReport): string {
  const { polls, records, decisions, changes, failed, decidingMilliseconds, leaseErrors } = report
  return fields([
    ['polls', count(polls)],
    ['records', `${count(records)} added`],
    ['decisions', `${count(decisions)}, in ${(decidingMilliseconds / 1000).toFixed(3)} s`],
    ['changes of jobs', `${count(changes)}${failed === 0 ? '' : `, of which ${count(failed)} failed`}`],
    ...diskFailures(leaseErrors),
  ])
}

function diskFailures(errors: number): ReadonlyArray<readonly [string, string]> {
  return errors === 0 ? [] : [['lease', `the lease file could not be read or written ${count(errors)} times`]]
}
