import type { RunSpec } from '@cloister/run'

/** Simulation that `cloister bench` times. Defaults: the queue easy:50, exact estimates, and all jobs at time 0. */
export type BenchCase = Pick<RunSpec, 'trace' | 'topology' | 'policy'> & Partial<RunSpec>

/** Group of cases, the value of `--group`. Each group has a table in the output. */
export interface BenchGroup {
  readonly cases: ReadonlyArray<BenchCase>
  /** Cases under `--quick`, a test of the benchmark itself, too small for figures about speed. */
  readonly quick: ReadonlyArray<BenchCase>
}

/** Names of all built-in policies. */
export const allPolicies = [
  'adaptive',
  'balanced',
  'baseline',
  'combal',
  'contiguous',
  'greedy',
  'jigsaw',
  'kueue-tas',
  'laas',
  'least-constrained',
  'mosaic',
  'slurm-block',
  'slurm-tree',
  'ta',
]

type Machine = readonly [trace: string, topology: string]

const under = (names: ReadonlyArray<string>, ...machines: ReadonlyArray<Machine>): ReadonlyArray<BenchCase> =>
  machines.flatMap(([trace, topology]) => names.map((policy) => ({ trace, topology, policy })))
/** Returns a machine, and jobs whose mean size in nodes is the radix of the machine. */
const radix = (ports: number, jobs = ''): Machine => [`synth:${ports}${jobs}`, `radix:${ports}`]

const tiny = radix(16, ':100')
const conservative = { policy: 'jigsaw', queue: 'conservative:50' }
const contention = {
  policy: 'baseline',
  communication: '90%:recursive-doubling:50%',
  runTimes: 'contention',
  overrun: 'run-on',
} as const
/** Jobs of ANL Theta on a machine of 4,394 nodes. Under conservative backfilling, the whole log takes minutes. */
const theta = { trace: 'theta', topology: 'radix:26', filter: 'first-jobs=3000' }
const onSmallMachine = { trace: 'synth:16', topology: 'radix:16' }
const onTinyTrace = { trace: tiny[0], topology: tiny[1] }

/** Groups of `cloister bench`, in the order of the output. */
export const benchGroups = {
  small: {
    cases: under(
      ['baseline', 'jigsaw'],
      ['thunder', 'radix:18'],
      ['atlas', 'radix:18'],
      ...[16, 22, 28].map((ports) => radix(ports)),
    ),
    quick: under(['baseline'], tiny),
  },
  large: {
    cases: under(
      ['baseline', 'jigsaw'],
      ...[64, 96].flatMap((ports) => [radix(ports), radix(ports, ':100000')]),
      radix(16, ':1000000'),
    ),
    quick: under(['jigsaw'], tiny),
  },
  growth: {
    cases: under(['jigsaw'], ...[16, 32, 48, 64, 80, 96].map((ports) => radix(ports))),
    quick: under(['jigsaw'], radix(8, ':100'), tiny),
  },
  policies: { cases: under(allPolicies, radix(16)), quick: under(['mosaic'], tiny) },
  options: {
    cases: [
      { ...theta, policy: 'jigsaw' },
      { ...theta, ...conservative },
      { ...theta, ...conservative, reservation: 'fixed' },
      { ...onSmallMachine, ...conservative },
      { ...onSmallMachine, ...contention },
    ],
    quick: [
      { ...onTinyTrace, ...conservative },
      { ...onTinyTrace, ...contention },
    ],
  },
} satisfies Readonly<Record<string, BenchGroup>>

export type BenchGroupName = keyof typeof benchGroups

/** Names of the groups, in the order of the output. */
export const benchGroupNames = Object.keys(benchGroups) as ReadonlyArray<BenchGroupName>
