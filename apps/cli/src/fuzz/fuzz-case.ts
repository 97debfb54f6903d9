import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Option } from 'effect'
import * as fc from 'fast-check'
import { type RunOptions, defaultRunOptions } from '../run-options.ts'

/** A run that can be said on the command line. Times in whole seconds. */
export interface FuzzCase {
  readonly topology: string
  readonly policy: string
  readonly policyConfig: string
  readonly jobs: ReadonlyArray<{
    readonly submit: number
    readonly size: number
    readonly runTime: number
    readonly walltime: number | undefined
  }>
  readonly outages: ReadonlyArray<{ readonly t: number; readonly type: 'down' | 'up'; readonly nodes: string }>
  readonly queue: string
  readonly walltime: 'exact' | 'trace'
  readonly overrun: 'run-on' | 'kill'
  readonly requeue: boolean
  readonly scenario: string
  readonly bandwidth: 'none' | 'classes'
  readonly router: 'none' | 'partition'
  readonly arrivals: 'trace' | 'zero'
  readonly decisions: boolean
  readonly seed: number
}

/** A policy, and a configuration of it. */
export type Subject = Pick<FuzzCase, 'policy' | 'policyConfig'>

/** What else than the default is worth a try, of the built-in policies. */
const configs: Readonly<Record<string, ReadonlyArray<string>>> = {
  jigsaw: [
    '{"order":"sparsest-first"}',
    '{"leafJobsHoldUplinks":true}',
    '{"maxSteps":2}',
    '{"sharing":{"capacity":3000}}',
  ],
  laas: ['{"sharing":{"capacity":2500}}'],
  ta: ['{"wholeLeaves":true}'],
  'least-constrained': ['{"sharing":{"capacity":4000}}', '{"maxSteps":3}'],
}

export function subjectsOf(policies: ReadonlyArray<string>): ReadonlyArray<Subject> {
  return policies.flatMap((policy) =>
    ['{}', ...(configs[policy] ?? [])].map((policyConfig) => ({ policy, policyConfig })),
  )
}

/** Small, so that they are full all the time: regular, tapered, with parallel cables, of one to four levels, uneven. */
const machines: ReadonlyArray<readonly [topology: string, nodes: number]> = [
  ['radix:4', 16],
  ['radix:6', 54],
  ['radix:8', 128],
  ['pgft:1;8;1;1', 8],
  ['pgft:2;4,4;1,4;1,1', 16],
  ['kary:2:4', 16],
  ['pgft:3;4,3,3;1,2,2;1,1,1', 36],
  ['pgft:3;4,4,3;1,4,2;1,1,2', 48],
  ['slurm:uneven.conf', 11],
]
const UNEVEN = `SwitchName=a Nodes=n[0-3]
SwitchName=b Nodes=n[4-5]
SwitchName=c Nodes=n[6-10]
SwitchName=ab Switches=a,b
SwitchName=top Switches=ab,c
`

const queues = [
  'fcfs',
  'fcfs,sjf',
  'easy:1',
  'easy:5',
  'easy:50',
  'easy:5,sjf',
  'easy:50,smallest',
  'easy:50,kill',
  'easy:5,smallest,kill',
  'conservative:3',
  'conservative:50',
  'conservative:4,smallest',
]

/** Few different times, so that ends, submissions, outages and shadow times coincide. */
export function fuzzCases(subjects: ReadonlyArray<Subject>): fc.Arbitrary<FuzzCase> {
  return fc
    .constantFrom(...machines)
    .chain(([topology, nodes]) =>
      fc.record({
        topology: fc.constant(topology),
        subject: fc.constantFrom(...subjects),
        // As likely many as few, so that queues are long; shrinking starts at one job whatever the length.
        jobs: fc.array(jobs(nodes), { minLength: 1, maxLength: 60, size: 'max' }),
        outages: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: outages(nodes) }),
        queue: fc.constantFrom(...queues),
        walltime: fc.constantFrom('exact' as const, 'trace' as const),
        overrun: fc.constantFrom('run-on' as const, 'kill' as const),
        requeue: fc.boolean(),
        scenario: fc.constantFrom('none', 'none', '10%', 'v1', 'v2', 'all:20%'),
        bandwidth: fc.constantFrom('none' as const, 'classes' as const),
        router: fc.constantFrom('none' as const, 'none' as const, 'partition' as const),
        arrivals: fc.constantFrom('trace' as const, 'trace' as const, 'zero' as const),
        decisions: fc.boolean(),
        seed: fc.nat(99),
      }),
    )
    .map(({ subject, jobs: some, ...rest }) => ({
      ...rest,
      ...subject,
      jobs: [...some].sort((a, b) => a.submit - b.submit),
    }))
}

function jobs(nodes: number): fc.Arbitrary<FuzzCase['jobs'][number]> {
  return fc.record({
    submit: fc.nat(15),
    size: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: nodes + 1 })),
    runTime: fc.nat(9),
    walltime: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
  })
}

/** Each node breaks once, and is mended. */
function outages(nodes: number): fc.Arbitrary<FuzzCase['outages']> {
  return fc
    .uniqueArray(fc.record({ node: fc.nat(nodes - 1), from: fc.nat(15), lasts: fc.integer({ min: 1, max: 20 }) }), {
      maxLength: 5,
      selector: ({ node }) => node,
    })
    .map((all) =>
      all
        .flatMap(({ node, from, lasts }) => [
          { t: from, type: 'down', nodes: String(node) } as const,
          { t: from + lasts, type: 'up', nodes: String(node) } as const,
        ])
        .sort((a, b) => a.t - b.t),
    )
}

/** Writes the files that the case needs into a folder, and gives what `simulate` would be told. */
export function optionsOf(one: FuzzCase, folder: string): RunOptions {
  const { topology, jobs: list, outages: changes, arrivals, ...rest } = one
  const trace = join(folder, 'trace.swf')
  writeFileSync(trace, swf(list))
  if (topology === 'slurm:uneven.conf') writeFileSync(join(folder, 'uneven.conf'), UNEVEN)
  if (changes.length > 0)
    writeFileSync(join(folder, 'outages.ndjson'), changes.map((change) => `${JSON.stringify(change)}\n`).join(''))
  return {
    ...defaultRunOptions,
    ...rest,
    trace,
    topology: topology.startsWith('slurm:') ? `slurm:${join(folder, 'uneven.conf')}` : topology,
    arrivals: Option.some(arrivals),
    outages: changes.length > 0 ? Option.some(join(folder, 'outages.ndjson')) : Option.none(),
  }
}

/** One processor a node; what is not known is -1. */
function swf(list: FuzzCase['jobs']): string {
  return list
    .map(
      ({ submit, size, runTime, walltime }, at) =>
        `${at + 1} ${submit} -1 ${runTime} ${size} -1 -1 ${size} ${walltime ?? -1} -1 1 -1 -1 -1 -1 -1 -1 -1\n`,
    )
    .join('')
}

/** The words after `cloister simulate` that say the same, for a shell. */
export function simulateWords(options: RunOptions): string {
  const given = (name: string, value: string): ReadonlyArray<string> => [name, quoted(value)]
  const unless = (byDefault: string, name: string, value: string): ReadonlyArray<string> =>
    value === byDefault ? [] : given(name, value)
  return [
    ...given('--trace', options.trace),
    ...given('--topology', options.topology),
    ...given('--policy', options.policy),
    ...unless('{}', '--policy-config', options.policyConfig),
    ...given('--queue', options.queue),
    ...unless('exact', '--walltime', options.walltime),
    ...unless('run-on', '--overrun', options.overrun),
    ...Option.match(options.outages, { onNone: () => [], onSome: (file) => given('--outages', file) }),
    ...(options.requeue ? ['--requeue'] : []),
    ...unless('none', '--scenario', options.scenario),
    ...unless('none', '--bandwidth', options.bandwidth),
    ...unless('none', '--router', options.router),
    ...Option.match(options.arrivals, {
      onNone: () => [],
      onSome: (arrivals) => unless('trace', '--arrivals', arrivals),
    }),
    ...(options.decisions ? ['--decisions'] : []),
    ...unless('1', '--seed', String(options.seed)),
  ].join(' ')
}

/** A word for a shell. */
export function quoted(word: string): string {
  return /^[\w./:,;%=-]+$/.test(word) && !word.includes(';') ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
