import { join } from 'node:path'
import * as fc from 'fast-check'
import type { Files } from '../files/files.ts'
import { fuzzMachines, machineFiles } from './fuzz-machines.ts'
import { canonicalSpec, optionOf, type RunOptionName, runOptionNames, type RunSpec } from '@cloister/run'

/** A run that can be said on the command line. Times in whole seconds. */
export interface FuzzCase extends Subject {
  readonly topology: string
  readonly jobs: ReadonlyArray<{
    readonly submit: number
    readonly size: number
    readonly runTime: number
    readonly walltime: number | undefined
  }>
  readonly outages: ReadonlyArray<{ readonly t: number; readonly type: 'down' | 'up'; readonly nodes: string }>
  /** Options that are another than by default, each one of its samples. */
  readonly options: { readonly [Name in RunOptionName]?: unknown }
}

/** A policy, and a configuration of it. */
export interface Subject {
  readonly policy: string
  readonly policyConfig: string
}

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

/** @param policyConfig the only configuration to try; default: the empty one, and what else is known of the policy */
export function subjectsOf(policies: ReadonlyArray<string>, policyConfig: string | undefined): ReadonlyArray<Subject> {
  const configsOf = (policy: string): ReadonlyArray<string> =>
    policyConfig === undefined ? ['{}', ...(configs[policy] ?? [])] : [policyConfig]
  return policies.flatMap((policy) => configsOf(policy).map((each) => ({ policy, policyConfig: each })))
}

/** Forty days: policies are asked at times far from 0, too. */
const PAUSE = 40 * 86_400

/** Few different times, so that ends, submissions, outages and shadow times coincide. */
export function fuzzCases(subjects: ReadonlyArray<Subject>): fc.Arbitrary<FuzzCase> {
  return fc
    .constantFrom(...fuzzMachines)
    .chain(({ topology, nodes }) =>
      fc.record({
        topology: fc.constant(topology),
        // In this order they shrink: what has become the default is not tried again with every smaller list of jobs.
        options: fc.record(Object.fromEntries(drawn.map((name) => [name, sampleOf(name)]))),
        pause: fc.constantFrom(0, 0, PAUSE),
        outages: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: outages(nodes) }),
        subject: fc.constantFrom(...subjects),
        // As likely many as few, so that queues are long; shrinking starts at one job whatever the length.
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

/** Options that a case says otherwise. */
const made: ReadonlyArray<RunOptionName> = [
  'trace',
  'sizes',
  'skipBadLines',
  'arrivesWhen',
  'timeZone',
  'resample',
  'topology',
  'policy',
  'config',
  'outages',
  'matrices',
  'maxPlaceMs',
]
export const drawn: ReadonlyArray<RunOptionName> = runOptionNames.filter((name) => !made.includes(name))

/** Few policies have links that a router can keep apart. */
const rarely: ReadonlyArray<RunOptionName> = ['router']

/** As often the default as another value. Shrinks to the default. */
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

/** Writes the files that the case needs into a folder, and gives the description of its run. */
export function specOf(
  { topology, policy, policyConfig, jobs: list, outages: changes, options }: FuzzCase,
  folder: string,
  files: Files['Service'],
  maxPlaceMs?: number,
): RunSpec {
  const write = (name: string, text: string): string => {
    const path = join(folder, name)
    files.writeScratch(path, text)
    return path
  }
  const given = {
    ...options,
    // Promises can be checked where estimates are exact.
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

/** One processor a node; what is not known is -1. */
function swf(list: FuzzCase['jobs']): string {
  return list
    .map(
      ({ submit, size, runTime, walltime }, at) =>
        `${at + 1} ${submit} -1 ${runTime} ${size} -1 -1 ${size} ${walltime ?? -1} -1 1 -1 -1 -1 -1 -1 -1 -1\n`,
    )
    .join('')
}
