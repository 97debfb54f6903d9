import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Effect, Option } from 'effect'
import { type Timing, timeSimulate } from './time-simulate.ts'
import { print, remark } from '../terminal/output.ts'
import { bytes, count, decimal } from '../terminal/quantities.ts'
import { table } from '../terminal/table.ts'
import { OptionError } from '@cloister/run'
import { attempt } from '../errors/attempt.ts'

interface Case {
  readonly trace: string
  readonly topology: string
  readonly policy: string
}

const machines = [
  ['thunder', 'radix:18'],
  ['atlas', 'radix:18'],
  ['synth:16', 'radix:16'],
  ['synth:22', 'radix:22'],
  ['synth:28', 'radix:28'],
] as const
const policies = ['baseline', 'jigsaw']
const allCases: ReadonlyArray<Case> = machines.flatMap(([trace, topology]) =>
  policies.map((policy) => ({ trace, topology, policy })),
)
const quickCases = allCases.filter(({ trace }) => trace === 'synth:16')

export interface BenchOptions {
  readonly traceDir: Option.Option<string>
  readonly runs: number
  readonly quick: boolean
  readonly json: boolean
}

export const timePolicies = Effect.fn(function* ({ traceDir, runs, quick, json }: BenchOptions) {
  if (runs < 1) return yield* new OptionError({ option: 'runs', reason: `found ${runs}, expected at least 1` })
  const folder = yield* Effect.acquireRelease(
    attempt(() => mkdtempSync(join(tmpdir(), 'cloister-bench-'))),
    (created) => Effect.sync(() => rmSync(created, { recursive: true, force: true })),
  )
  const log = join(folder, 'run.ndjson')
  const results: Result[] = []
  const unavailable = new Set<string>()
  for (const each of quick ? quickCases : allCases) {
    if (unavailable.has(each.trace)) continue
    const args = [...caseArguments(each), ...Option.toArray(traceDir).flatMap((dir) => ['--trace-dir', dir])]
    const measured = yield* Effect.all([
      timeSimulate(runs, args),
      timeSimulate(runs, [...args, '--out', log, '--force']),
    ]).pipe(Effect.result)
    if (measured._tag === 'Success') {
      results.push({ ...each, withoutLog: measured.success[0], withLog: measured.success[1] })
    } else {
      unavailable.add(each.trace)
      yield* remark(`${each.trace} is left out: ${measured.failure.message.replace(/^cloister: /, '')}`)
    }
  }
  const report = { node: process.versions.node, processor: cpus()[0]?.model ?? 'unknown', runs, results }
  yield* print(json, report, () => describe(report))
}, Effect.scoped)

interface Result extends Case {
  readonly withoutLog: Timing
  readonly withLog: Timing
}

function caseArguments({ trace, topology, policy }: Case): ReadonlyArray<string> {
  return [
    '--trace',
    trace,
    '--topology',
    topology,
    '--policy',
    policy,
    '--queue',
    'easy:50',
    '--estimates',
    'exact',
    '--arrivals',
    'zero',
  ]
}

function describe({
  node,
  processor,
  runs,
  results,
}: {
  readonly node: string
  readonly processor: string
  readonly runs: number
  readonly results: ReadonlyArray<Result>
}): string {
  const rows = results.map(({ trace, topology, policy, withoutLog, withLog }) => [
    trace,
    topology,
    policy,
    count(withLog.jobs),
    `${decimal(withoutLog.microsecondsPerJob, 1)} µs`,
    `${decimal(withLog.microsecondsPerJob, 1)} µs`,
    `${decimal(withoutLog.processSeconds, 2)} s`,
    `${decimal(withLog.processSeconds, 2)} s`,
    bytes(Math.max(withoutLog.peakMemoryBytes, withLog.peakMemoryBytes)),
  ])
  const heading = ['trace', 'topology', 'policy', 'jobs', 'a job', 'with log', 'process', 'with log', 'memory']
  return `${table(heading, rows)}\n\nEASY(50), exact walltimes, all jobs at time 0; median of ${runs} processes; Node ${node}, ${processor}.`
}
