import { topologySpecs } from '@cloister/topology'
import { Effect, Option } from 'effect'
import { Flag } from 'effect/cli'
import { policyConfigFlag } from './commands/flags.ts'
import { readOutages } from './outages.ts'
import { remark } from './terminal/output.ts'
import { bind, parsePolicyConfig } from './policy/policy-binding.ts'
import { findPolicy } from './policy/policy-lookup.ts'
import { attempt } from './errors/problem.ts'
import { count } from './terminal/quantities.ts'
import { parseQueue, queueSpellings } from './queue-option.ts'
import { routerNames, routerOf } from './router-option.ts'
import type { Run } from './run.ts'
import { type ScenarioOptions, assume, scenarioFlags } from './scenario-options.ts'
import { findTopology } from './topology-lookup.ts'
import { type WorkloadOptions, loadJobs, traceFlag, workloadFlags } from './workload-options.ts'

/** What a run takes: the workload, the machine, the policy and how jobs are queued. */
export const runFlags = {
  trace: traceFlag,
  ...workloadFlags,
  topology: Flag.String('topology').pipe(
    Flag.withMetavar('TOPOLOGY'),
    Flag.withDescription(`The machine: ${topologySpecs.map(({ spec }) => spec).join(' ')}`),
  ),
  policy: Flag.String('policy').pipe(
    Flag.withMetavar('NAME'),
    Flag.withDescription('The placement policy: a built-in one, a package, or a file (see cloister policy list)'),
  ),
  policyConfig: policyConfigFlag,
  queue: Flag.String('queue').pipe(
    Flag.withMetavar('QUEUE'),
    Flag.withDescription(`Queue discipline: ${queueSpellings}`),
    Flag.withDefault('easy:50'),
  ),
  walltime: Flag.Literals('walltime', ['exact', 'trace']).pipe(
    Flag.withDescription("What the scheduler takes for a job's length: its run time, or the user's estimate"),
    Flag.withDefault('exact' as const),
  ),
  overrun: Flag.Literals('overrun', ['run-on', 'kill']).pipe(
    Flag.withDescription('What becomes of a job that outlives its estimate'),
    Flag.withDefault('run-on' as const),
  ),
  outages: Flag.String('outages').pipe(
    Flag.withMetavar('FILE'),
    Flag.withDescription('What breaks and is mended, and when: lines such as {"t":3600,"type":"down","nodes":"17"}'),
    Flag.optional,
  ),
  requeue: Flag.Boolean('requeue').pipe(
    Flag.withDescription('Let jobs wait again that were killed by an outage or for a reservation'),
    Flag.withDefault(false),
    Flag.withoutNegation,
  ),
  ...scenarioFlags,
  router: Flag.Literals('router', routerNames).pipe(
    Flag.withDescription(
      'Also record what each job changes in the forwarding tables: partition keeps its traffic on its own links',
    ),
    Flag.withDefault('none' as const),
  ),
  seed: Flag.Int('seed').pipe(
    Flag.withMetavar('N'),
    Flag.withDescription('Seed of whatever the run draws'),
    Flag.withDefault(1),
  ),
  decisions: Flag.Boolean('decisions').pipe(
    Flag.withDescription('Also record why jobs did not start, and notes of the policy: slower, longer logs'),
    Flag.withDefault(false),
    Flag.withoutNegation,
  ),
}

export interface RunOptions extends WorkloadOptions, ScenarioOptions {
  readonly trace: string
  readonly topology: string
  readonly policy: string
  readonly policyConfig: string
  readonly queue: string
  readonly walltime: 'exact' | 'trace'
  readonly overrun: 'run-on' | 'kill'
  readonly outages: Option.Option<string>
  readonly requeue: boolean
  readonly router: (typeof routerNames)[number]
  readonly decisions: boolean
}

/** What is not said on the command line. */
export const defaultRunOptions: Omit<RunOptions, 'trace' | 'topology' | 'policy'> = {
  policyConfig: '{}',
  queue: 'easy:50',
  walltime: 'exact',
  overrun: 'run-on',
  outages: Option.none(),
  requeue: false,
  scenario: 'none',
  bandwidth: 'none',
  communication: 'none',
  runTimes: 'fixed',
  router: 'none',
  seed: 1,
  decisions: false,
  traceDir: Option.none(),
  filter: '',
  procsPerNode: Option.none(),
  arrivals: Option.none(),
}

/** Everything that the options name, found and checked; the trace, which takes longest, comes last. */
export const prepareRun = Effect.fnUntraced(function* (options: RunOptions) {
  const { walltime, overrun, requeue, seed, decisions } = options
  const queue = yield* attempt(() => parseQueue(options.queue))
  const topology = yield* findTopology(options.topology)
  const outages = yield* attempt(() =>
    Option.match(options.outages, { onNone: () => [], onSome: (path) => readOutages(path, topology) }),
  )
  const found = yield* findPolicy(options.policy)
  const config = yield* attempt(() => parsePolicyConfig(options.policyConfig))
  const bound = yield* bind(found, topology, config)
  const router = yield* attempt(() => routerOf(options.router, topology, bound))
  const jobs = yield* loadJobs(options.trace, options)
  if (walltime === 'trace' && jobs.withoutWalltime > 0) {
    yield* remark(
      `${count(jobs.withoutWalltime)} of ${count(jobs.workload.jobs.length)} jobs have no estimate; their run time is taken for it`,
    )
  }
  const assumed = yield* assume(jobs, options, bound.policy.name, bound.placer.claims)
  const run: Run = {
    topology,
    found,
    bound,
    ...assumed,
    queue,
    walltime,
    overrun,
    outages,
    requeue,
    router,
    seed,
    decisions,
  }
  return run
})
