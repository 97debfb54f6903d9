import { join } from 'node:path'
import { canonicalSpec, optionOf, type RunOptionName, runOptionNames, type RunSpec } from '@cloister/run'
import type { Files } from '@cloister/run/node'
import { parseTopology, railCount } from '@cloister/topology'
import * as fc from 'fast-check'

/** Random run: machine, jobs, outages, policy and options. Times are whole seconds. */
export interface FuzzCase extends Subject {
  readonly topology: string
  readonly jobs: ReadonlyArray<{
    readonly submit: number
    readonly size: number
    readonly runTime: number
    readonly walltime: number | undefined
  }>
  readonly outages: ReadonlyArray<{
    readonly t: number
    readonly type: 'down' | 'up'
    readonly nodes: string
    readonly links?: ReadonlyArray<string>
    /** Rail of the cables that fail; absent on a machine with one rail. */
    readonly rails?: string
  }>
  /** Values of options: undefined for the default, or one of the option's samples in the table of run options. */
  readonly options: { readonly [Name in RunOptionName]?: unknown }
}

/** Policy to test, the configuration of the policy as JSON, and the router of all runs, if there is one. */
export interface Subject {
  readonly policy: string
  readonly policyConfig: string
  readonly router?: string
}

/** Configurations of built-in policies that the fuzzer tests besides the default. */
const configs: Readonly<Record<string, ReadonlyArray<string>>> = {
  jigsaw: [
    '{"order":"sparsest-first"}',
    '{"leafJobsHoldUplinks":true}',
    '{"maxSteps":2}',
    '{"sharing":{"capacity":3000}}',
    '{"search":"as-released"}',
  ],
  laas: ['{"sharing":{"capacity":2500}}', '{"search":"as-released"}'],
  ta: ['{"wholeLeaves":true}'],
  'least-constrained': ['{"sharing":{"capacity":4000}}', '{"maxSteps":3}'],
}

/**
 * Returns all pairs of a policy and a configuration to test.
 * @param policyConfig the only configuration to test, or undefined for `{}` and the configurations in `configs`
 * @param router router of all runs; by default few runs draw a built-in router
 */
export function subjectsOf(
  policies: ReadonlyArray<string>,
  policyConfig: string | undefined,
  router?: string,
): ReadonlyArray<Subject> {
  const configsOf = (policy: string): ReadonlyArray<string> =>
    policyConfig === undefined ? ['{}', ...(configs[policy] ?? [])] : [policyConfig]
  return policies.flatMap((policy) =>
    configsOf(policy).map((each) => ({ policy, policyConfig: each, ...(router !== undefined && { router }) })),
  )
}

/** Seconds (forty days) by which every second job of some cases comes later, so that requests have times far from 0. */
const PAUSE = 40 * 86_400

/** Generates random runs with few different times, so that ends, submits, outages and shadow times often coincide. */
export function fuzzCases(
  subjects: ReadonlyArray<Subject>,
  machines: ReadonlyArray<FuzzMachine> = fuzzMachines,
): fc.Arbitrary<FuzzCase> {
  return fc
    .constantFrom(...machines)
    .chain(({ topology, nodes }) =>
      fc.record({
        topology: fc.constant(topology),
        // fast-check shrinks the fields in this order: first the options, and last the jobs, so that each option
        // shrinks only once.
        options: fc.record(Object.fromEntries(drawn.map((name) => [name, sampleOf(name)]))),
        pause: fc.constantFrom(0, 0, PAUSE),
        outages: fc.oneof(
          { weight: 2, arbitrary: fc.constant([]) },
          { weight: 1, arbitrary: outages(nodes, topology) },
        ),
        subject: fc.constantFrom(...subjects),
        // `size: 'max'` makes long lists of jobs as likely as short lists, so that queues are long.
        jobs: fc.array(jobs(nodes), { minLength: 1, maxLength: 60, size: 'max' }),
      }),
    )
    .map(({ subject, jobs: some, pause, ...rest }) => ({
      ...rest,
      ...subject,
      jobs: some
        .map((job, at) => ({ ...job, submit: job.submit + (at % 2) * pause }))
        .sort((a, b) => a.submit - b.submit),
    }))
}

/** Options that a fuzz case never draws, because `specOf` sets the option, or the option is about input files. */
const made: ReadonlyArray<RunOptionName> = [
  'trace',
  'sizes',
  'skipBadLines',
  'arrivesWhen',
  'timeZone',
  'columns',
  'resample',
  'topology',
  'policy',
  'config',
  'orderConfig',
  'outages',
  'matrices',
  'maxPlaceMs',
]
/** Options that a fuzz case draws. */
export const drawn: ReadonlyArray<RunOptionName> = runOptionNames.filter((name) => !made.includes(name))

/** Options that rarely differ from the default. `router` and `migrate` need a policy that allocates links. */
const rarely: ReadonlyArray<RunOptionName> = ['router', 'migrate']

/** Draws an option's default (undefined) as often as a sample; for an option in `rarely`, eight times as often. */
function sampleOf(name: RunOptionName): fc.Arbitrary<unknown> {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: rarely.includes(name) ? 8 : 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...optionOf(name).samples) },
  )
}

function jobs(nodes: number): fc.Arbitrary<FuzzCase['jobs'][number]> {
  return fc.record({
    submit: fc.nat(15),
    size: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: nodes + 1 })),
    runTime: fc.nat(9),
    walltime: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
  })
}

/** Draws failures and repairs of nodes, and of as many links, since routers answer failures of links. */
function outages(nodes: number, spec: string): fc.Arbitrary<FuzzCase['outages']> {
  // The fuzzer draws no failures of links for a machine in a file.
  const machine = spec.startsWith('slurm:') ? undefined : parseTopology(spec)
  const rails = machine === undefined ? 1 : railCount(machine)
  const uplinks = machine?.levels.slice(0, 2).flatMap(({ links }) => (links > 0 ? [links] : [])) ?? []
  const parts = fc.oneof(
    fc.nat(nodes - 1).map((node) => ({ nodes: String(node) })),
    ...uplinks.map((links, level) =>
      fc
        .tuple(fc.nat(links - 1), fc.nat(rails - 1))
        .map(([link, rail]) => ({
          nodes: '',
          links: [...Array<string>(level).fill(''), String(link)],
          ...(rails > 1 && { rails: String(rail) }),
        })),
    ),
  )
  return fc
    .uniqueArray(fc.record({ part: parts, from: fc.nat(15), lasts: fc.integer({ min: 1, max: 20 }) }), {
      maxLength: 8,
      selector: ({ part }) => JSON.stringify(part),
    })
    .map((all) =>
      all
        .flatMap(({ part, from, lasts }) => [
          { t: from, type: 'down', ...part } as const,
          { t: from + lasts, type: 'up', ...part } as const,
        ])
        .sort((a, b) => a.t - b.t),
    )
}

/** Writes the trace, outages and topology of a case into a folder, and returns the description of the run. */
export function specOf(
  { topology, policy, policyConfig, router, jobs: list, outages: changes, options }: FuzzCase,
  folder: string,
  files: Files['Service'],
  maxPlaceMs?: number,
): RunSpec {
  const write = (name: string, text: string): string => {
    const path = join(folder, name)
    files.writeScratch(path, text)
    return path
  }
  const { queue = 'easy:50', runTimes, costsFrom } = options
  const mayMove =
    runTimes === undefined && costsFrom === undefined && /^(?:fcfs|(?:easy|unreserved):\d+)$/.test(queue as string)
  const given = {
    ...options,
    migrate: mayMove ? options.migrate : undefined,
    ...(router !== undefined && { router }),
    // Estimates are exact by default, because the auditor checks reservations only for exact estimates.
    estimates: options.estimates ?? 'exact',
    trace: write('trace.swf', swf(list)),
    topology: topologyIn(topology, write),
    policy,
    config: JSON.parse(policyConfig),
    ...(maxPlaceMs !== undefined && { maxPlaceMs }),
    ...(changes.length > 0 && {
      outages: write('outages.ndjson', changes.map((each) => `${JSON.stringify(each)}\n`).join('')),
    }),
  }
  return canonicalSpec(given, files)
}

function topologyIn(topology: string, write: (name: string, text: string) => string): string {
  const file = topology.startsWith('slurm:') ? topology.slice('slurm:'.length) : undefined
  return file === undefined ? topology : `slurm:${write(file, machineFiles[file])}`
}

/** Unknown fields of SWF are -1. */
function swf(list: FuzzCase['jobs']): string {
  return list
    .map(
      ({ submit, size, runTime, walltime }, at) =>
        `${at + 1} ${submit} -1 ${runTime} ${size} -1 -1 ${size} ${walltime ?? -1} -1 1 -1 -1 -1 -1 -1 -1 -1\n`,
    )
    .join('')
}

/** Machine of the fuzzer: topology specification (`slurm:NAME` is a file of `machineFiles`), and number of nodes. */
interface FuzzMachine {
  readonly topology: string
  readonly nodes: number
}

/** Small machines, which random jobs fill: regular, tapered, with parallel cables, of one to four levels, uneven. */
export const smallMachines: ReadonlyArray<FuzzMachine> = machinesOf({
  'radix:4': 16,
  'radix:6': 54,
  'radix:8': 128,
  'pgft:1;8;1;1': 8,
  'pgft:2;4,4;1,4;1,1': 16,
  'kary:2:4': 16,
  'pgft:3;4,3,3;1,2,2;1,1,1': 36,
  'pgft:3;4,4,3;1,4,2;1,1,2': 48,
  'slurm:uneven.conf': 11,
  '2 rails with common spines of pgft:3;4,3,4;1,4,2;1,1,1': 48,
})

/** Machines whose masks of a leaf's nodes, of a pod's leaves, of the pods or of all nodes need several 32-bit words. */
const wide = machinesOf({
  'pgft:2;40,3;1,40;1,1': 120,
  'pgft:2;70,2;1,70;1,1': 140,
  'pgft:3;2,40,2;1,2,40;1,1,1': 160,
  'pgft:3;2,2,70;1,2,2;1,1,1': 280,
  'radix:14': 686,
  'slurm:wide.conf': 176,
})

/** Machines from which the fuzzer draws. Each small machine is drawn twice as often as each wide machine. */
const fuzzMachines: ReadonlyArray<FuzzMachine> = [...smallMachines, ...smallMachines, ...wide]

function machinesOf(nodes: Readonly<Record<string, number>>): ReadonlyArray<FuzzMachine> {
  return Object.entries(nodes).map(([topology, count]) => ({ topology, nodes: count }))
}

/** Contents of the topology.conf files of Slurm for the fuzzer, by file name. */
const machineFiles: Readonly<Record<string, string>> = {
  'uneven.conf': `SwitchName=a Nodes=n[0-3]
SwitchName=b Nodes=n[4-5]
SwitchName=c Nodes=n[6-10]
SwitchName=ab Switches=a,b
SwitchName=top Switches=ab,c
`,
  'wide.conf': `SwitchName=a Nodes=n[0-69]
SwitchName=b Nodes=n[70-102]
SwitchName=c Nodes=n[103-142]
SwitchName=d Nodes=n[143-175]
SwitchName=ab Switches=a,b
SwitchName=cd Switches=c,d
SwitchName=top Switches=ab,cd
`,
}
