import { driveSlurm, type DriveReport, liveQueue, type RouteOptions, watchdog } from '@cloister/cluster'
import { type BoundOrder, bindOrder } from '@cloister/ordering'
import { attempt, bind, OptionError, queueForms } from '@cloister/run'
import { Files } from '@cloister/run/node'
import { describeIrregularity, fabricOfSpec, fabricPorts, type Topology } from '@cloister/topology'
import { Effect, Option } from 'effect'
import { Command, Flag } from 'effect/cli'
import { checkDistinct, checkNotInput } from '../files/outputs.ts'
import { operated, operatingFlags } from '../operate/metrics-server.ts'
import { lookUpOrder } from '../policy/order-lookup.ts'
import { PolicyLookup } from '../policy/policy-lookup.ts'
import { inputFiles } from '../run/input-files.ts'
import { program } from '../run/log-target.ts'
import { parseJson } from '../run/spec-of-flags.ts'
import { print } from '../terminal/output.ts'
import { count } from '../terminal/quantities.ts'
import { untilSignal } from '../terminal/signals.ts'
import { fields } from '../terminal/table.ts'
import { findTopology } from '../topology/topology-lookup.ts'
import { checkContinuedLog, checkSeconds, clusterFlags, continuedLogFlag, withVisibleRemarks } from './cluster-flags.ts'
import { jsonFlag, numberFlag, onFlag, type Options, orderConfigFlag, policyConfigFlag, textFlag } from './flags.ts'

const targetFlags = {
  partition: textFlag(
    'partition',
    'NAME',
    'Slurm partition to place jobs of\nThe jobs are the held jobs of the partition with AdminComment=cloister.',
  ),
  ...clusterFlags,
  json: jsonFlag,
}

const driveFlags = {
  ...targetFlags,
  out: continuedLogFlag,
  policy: textFlag(
    'policy',
    'NAME',
    'Placement policy: a built-in name, a package, a file or exec:COMMAND\n`cloister policy list` lists the built-in and installed policies.',
  ),
  policyConfig: policyConfigFlag,
  queue: textFlag(
    'queue',
    'QUEUE',
    `Queue discipline, default: easy:50\n${queueForms}. ,kill is not allowed on a real machine.`,
  ).pipe(Flag.withDefault('easy:50')),
  order: textFlag(
    'order',
    'NAME',
    'Order of the waiting jobs, default: submit\n`cloister order list` lists the built-in and installed orders.',
  ).pipe(Flag.withDefault('submit')),
  orderConfig: orderConfigFlag,
  policyTimeout: numberFlag(
    'policy-timeout',
    'S',
    'Longest time for one answer of the policy in seconds, default: 10',
  ).pipe(Flag.withDefault(10)),
  interval: numberFlag('interval', 'S', 'Seconds between two queries of Slurm, default: 2').pipe(Flag.withDefault(2)),
  startWithin: numberFlag(
    'start-within',
    'S',
    'Longest time to the start of a released job in seconds, default: 60\nIf Slurm does not start the job within S seconds, the controller places the job again.',
  ).pipe(Flag.withDefault(60)),
  commandSeconds: numberFlag(
    'command-seconds',
    'S',
    'Longest time for one call of scontrol in seconds, default: 10\nA controller that continues a log first waits S seconds for late changes of the previous controller.',
  ).pipe(Flag.withDefault(10)),
  lease: textFlag(
    'lease',
    'FOLDER',
    'Lease folder of the one active controller, on a shared file system\nDefault: the name of the log with .lease.',
  ).pipe(Flag.optional),
  leaseSeconds: numberFlag('lease-seconds', 'S', 'Seconds until a lease without renewal ends, default: 60').pipe(
    Flag.withDefault(60),
  ),
  opensmRoutes: textFlag(
    'opensm-routes',
    'FILE',
    'File of forwarding tables to write for OpenSM on this host\nThe tables route each job over the links of its allocation. OpenSM reads FILE if started with -R file,no_fallback -U FILE. Needs --topology ib:FILE and a policy that allocates links.',
  ).pipe(Flag.optional),
  opensmPidFile: textFlag(
    'opensm-pid-file',
    'FILE',
    'File with the process id of OpenSM\nAfter each change of the forwarding tables OpenSM gets a SIGHUP, and reads the tables again.',
  ).pipe(Flag.optional),
  routesWithin: numberFlag(
    'routes-within',
    'S',
    'Longest time until switches have the routes of a job in s, default: 30\nThe controller reads the routes of the switches by dump_fts, and reports late switches. A job stays held until the switches have the routes of the job.',
  ).pipe(Flag.withDefault(30)),
  ...operatingFlags,
  dryRun: onFlag('dry-run', 'Query Slurm once, print the commands and run none of them'),
}

const slurm = Command.make('slurm', driveFlags, (options) =>
  untilSignal(operated(options, drivePartition(options))),
).pipe(
  Command.withDescription('Start the held jobs of a Slurm partition on nodes chosen by a policy'),
  Command.withExamples([
    {
      command:
        'cloister drive slurm --partition batch --topology slurm:topology.conf --policy jigsaw --out driven.ndjson --dry-run',
      description: 'Print the commands for the jobs that wait now, and run none of them',
    },
    {
      command:
        'cloister drive slurm --partition batch --topology slurm:topology.conf --policy jigsaw --out driven.ndjson',
      description: 'Place the jobs of a partition; after a stop the same command appends to the log',
    },
    {
      command:
        'cloister drive slurm --partition batch --topology ib:fabric.txt --policy jigsaw --out driven.ndjson --opensm-routes /etc/opensm/lfts --opensm-pid-file /run/opensm.pid',
      description: 'Also route each job over its own links before the start of the job',
    },
  ]),
)

const watchdogFlags = {
  ...targetFlags,
  lease: textFlag('lease', 'FOLDER', 'Lease folder that the controller renews'),
  after: numberFlag('after', 'S', 'Seconds without renewal until held jobs go to Slurm, default: 300').pipe(
    Flag.withDefault(300),
  ),
}

const watching = Command.make('watchdog', watchdogFlags, (options) => untilSignal(watchLease(options))).pipe(
  Command.withDescription('Hand held jobs back to Slurm if no controller renews the lease'),
  Command.withExamples([
    {
      command: 'cloister drive watchdog --partition batch --topology slurm:topology.conf --lease driven.ndjson.lease',
      description: 'Watch the lease of the controller, as a service on another host',
    },
  ]),
)

export const drive = Command.make('drive').pipe(
  Command.withDescription('Place the jobs of a real machine under Slurm'),
  Command.withSubcommands([slurm, watching]),
)

type DriveFlags = Options<typeof driveFlags>

const drivePartition = Effect.fn(function* (options: DriveFlags) {
  const { topology: spec, out, policy: policyName, opensmRoutes, opensmPidFile } = options
  yield* checkSeconds('interval', options.interval)
  yield* checkSeconds('start-within', options.startWithin)
  yield* checkSeconds('command-seconds', options.commandSeconds)
  yield* checkSeconds('lease-seconds', options.leaseSeconds)
  yield* checkSeconds('policy-timeout', options.policyTimeout)
  yield* checkSeconds('routes-within', options.routesWithin)
  yield* checkContinuedLog(out)
  const disk = yield* Files
  const lease = Option.getOrElse(options.lease, () => `${out}.lease`)
  yield* attempt(() => {
    const checkOutput = (path: string, others: ReadonlyArray<string>): void =>
      checkNotInput(disk, path, [
        ...others,
        ...inputFiles(disk, path, [{ topology: spec, policy: policyName, order: options.order }], undefined),
      ])
    const routes = Option.toArray(opensmRoutes)
    checkDistinct(disk, [out, lease, ...routes])
    for (const path of [out, lease]) checkOutput(path, [])
    for (const path of routes) checkOutput(path, Option.toArray(opensmPidFile))
  })
  const queue = yield* attempt(() => liveQueue(options.queue))
  const topology = yield* findTopology(spec)
  const found = yield* (yield* PolicyLookup).find(policyName)
  const config = yield* attempt(() => parseJson('policy-config', options.policyConfig))
  const newOrder = yield* orderOf(options, topology)
  const report = yield* driveSlurm({
    ...options,
    topology,
    policy: yield* bind(found, topology, config),
    policyName,
    queue,
    newOrder,
    log: out,
    program,
    lease,
    polls: Option.getOrUndefined(options.polls),
    routes: yield* routesOf(options, topology),
  })
  yield* print('drive slurm', options.json, report, () => describe(report))
}, withVisibleRemarks)

/** Returns a function that binds the queue order of the flags; undefined for the order of submission. */
const orderOf = Effect.fnUntraced(function* ({ order: name, orderConfig }: DriveFlags, topology: Topology) {
  const config = yield* attempt(() => parseJson('order-config', orderConfig))
  const order = yield* lookUpOrder(name)
  const bind = (): BoundOrder => bindOrder(order, topology, config)
  const { claims } = (yield* attempt(bind)).ordering
  if (claims.recorded === true)
    return yield* new OptionError({
      option: 'order',
      reason: `found ${name}, which repeats a recorded history; expected an order for jobs to come`,
    })
  return order.name === 'submit' ? undefined : bind
})

const routesOf = Effect.fnUntraced(function* (options: DriveFlags, topology: Topology) {
  const { topology: spec, opensmRoutes, opensmPidFile, routesWithin } = options
  if (Option.isNone(opensmRoutes)) {
    if (Option.isNone(opensmPidFile)) return undefined
    return yield* new OptionError({
      option: 'opensm-pid-file',
      reason: 'needs --opensm-routes: without it no forwarding tables are written',
    })
  }
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
  if (topology.rails !== undefined)
    return yield* new OptionError({
      option,
      reason: `writes the tables of one rail, and the machine has ${topology.rails.count}; ib:FILE,adapter=NAME takes one rail`,
    })
  if (topology.pgft === undefined)
    return yield* new OptionError({ option, reason: `needs a regular tree; ${describeIrregularity(topology)}` })
  const { readText } = yield* Files
  const ports = yield* attempt(() => fabricPorts(readText(fabric.path), topology, topology.name, fabric.adapter))
  return { file: opensmRoutes.value, pidFile: opensmPidFile.value, within: routesWithin, ports } satisfies RouteOptions
})

const watchLease = Effect.fn(function* (options: Options<typeof watchdogFlags>) {
  const { after } = options
  if (!(after >= 1 && after <= 86_400))
    return yield* new OptionError({ option: 'after', reason: `found ${after}, expected 1 to 86400 seconds` })
  const topology = yield* findTopology(options.topology)
  const report = yield* watchdog({ ...options, topology, polls: Option.getOrUndefined(options.polls) })
  yield* print('drive watchdog', options.json, report, () =>
    fields([
      ['handed back', `${count(report.handedBack)} jobs`],
      ['lease', diskFailures(report.diskErrors)],
    ]),
  )
}, withVisibleRemarks)

function describe(report: DriveReport): string {
  const { polls, records, decisions, changes, failed, decidingMilliseconds, leaseErrors } = report
  return fields([
    ['polls', count(polls)],
    ['records', `${count(records)} added`],
    ['decisions', `${count(decisions)}, in ${(decidingMilliseconds / 1000).toFixed(3)} s`],
    ['changes of jobs', `${count(changes)}${failed === 0 ? '' : `, of which ${count(failed)} failed`}`],
    ['lease', diskFailures(leaseErrors)],
  ])
}

function diskFailures(errors: number): string | undefined {
  return errors === 0 ? undefined : `the lease could not be read or written ${count(errors)} times`
}
