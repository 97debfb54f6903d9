import { cpus } from 'node:os'
import { join } from 'node:path'
import { commandWords, Traces } from '@cloister/run'
import { Effect, Option, Result } from 'effect'
import { messageOf } from '../errors/message.ts'
import { runInputs } from '../run/inputs.ts'
import { type Timing, timeSimulate } from './time-simulate.ts'
import { print, remark } from '../terminal/output.ts'
import { bytes, count, decimal } from '../terminal/quantities.ts'
import { table } from '../terminal/table.ts'
import { OptionError } from '@cloister/run'
import { attempt } from '../errors/attempt.ts'
import { Files } from '../files/files.ts'

const machines = [
  ['thunder', 'radix:18'],
  ['atlas', 'radix:18'],
  ['synth:16', 'radix:16'],
  ['synth:22', 'radix:22'],
  ['synth:28', 'radix:28'],
] as const
const smallest = machines.filter(([trace]) => trace === 'synth:16')
const policies = ['baseline', 'jigsaw']

export interface BenchOptions {
  readonly traceDir: Option.Option<string>
  readonly runs: number
  readonly quick: boolean
  readonly json: boolean
}

export const timePolicies = Effect.fn(function* ({ traceDir, runs, quick, json }: BenchOptions) {
  if (runs < 1) return yield* new OptionError({ option: 'runs', reason: `found ${runs}, expected at least 1` })
  const { makeTemporaryFolder, removeFolder } = yield* Files
  const folder = yield* Effect.acquireRelease(
    attempt(() => makeTemporaryFolder('bench')),
    (created) => Effect.sync(() => removeFolder(created)),
  )
  const log = join(folder, 'run.ndjson')
  const inFolder = Option.toArray(traceDir).flatMap((dir) => ['--trace-dir', dir])
  const results: Array<Figures> = []
  for (const [trace, topology] of quick ? smallest : machines) {
    const reason = yield* whyNotLoaded(trace, Option.getOrUndefined(traceDir))
    if (reason !== undefined) yield* remark(`${trace} is left out: ${reason}`)
    else
      for (const policy of policies) {
        const args = [...commandWords({ trace, topology, policy, queue: 'easy:50', arrivals: 'zero' }), ...inFolder]
        const withoutLog = yield* timeSimulate(runs, args)
        const withLog = yield* timeSimulate(runs, [...args, '--out', log, '--force'])
        results.push({ trace, topology, policy, withoutLog, withLog })
      }
  }
  const report = { node: process.versions.node, processor: cpus()[0]?.model ?? 'unknown', runs, results }
  yield* print(json, report, () => describe(report))
}, Effect.scoped)

/** Why there is no trace of this name, in words; undefined where there is one. */
const whyNotLoaded = Effect.fnUntraced(function* (trace: string, traceDir: string | undefined) {
  const options = { filter: '', procsPerNode: undefined, arrivals: undefined, skipBadLines: false }
  const loading = Effect.flatMap(Traces, (traces) => traces.load(trace, options))
  const loaded = yield* loading.pipe(Effect.provide(runInputs(traceDir)), Effect.result)
  return Result.isFailure(loaded) ? messageOf(loaded.failure) : undefined
})

interface Figures {
  readonly trace: string
  readonly topology: string
  readonly policy: string
  readonly withoutLog: Timing
  readonly withLog: Timing
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
  readonly results: ReadonlyArray<Figures>
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
  return `${table(heading, rows)}\n\nEASY(50), exact estimates, all jobs at time 0; median of ${runs} processes; Node ${node}, ${processor}.`
}
