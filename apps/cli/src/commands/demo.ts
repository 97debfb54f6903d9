import { auditLog } from '@cloister/audit'
import { openLogFile, sha256 } from '@cloister/eventlog/node'
import { attempt } from '@cloister/run'
import { Files } from '@cloister/run/node'
import { Effect } from 'effect'
import { Command } from 'effect/cli'
import { join } from 'node:path'
import { exitCodes, ExitWith } from '../errors/errors.ts'
import { measure } from '../log/measurement.ts'
import type { ResultOf } from '../results/results.ts'
import { simulateTo } from '../run/log-target.ts'
import { prepareRun } from '../run/prepare-run.ts'
import { print, remark } from '../terminal/output.ts'
import { decimal, durations, percent } from '../terminal/quantities.ts'
import { table } from '../terminal/table.ts'
import { jsonFlag, type Options } from './flags.ts'

const flags = { json: jsonFlag }

export const demo = Command.make('demo', flags, (options) => demonstratePolicies(options)).pipe(
  Command.withDescription(
    'Simulate a trace under two policies, and compare the runs\nThe policies are Baseline and Jigsaw. The event logs of the runs are in the folder runs/.',
  ),
)

const folder = 'runs'
const trace = 'synth:16'
const topology = 'radix:16'
const policies = ['baseline', 'jigsaw']

const demonstratePolicies = Effect.fn(function* ({ json }: Options<typeof flags>) {
  yield* remark(
    `10,000 jobs (${trace}) on the 1024 nodes of a fat tree (${topology}), first come, first served with EASY backfilling:`,
  )
  const { makeFolder } = yield* Files
  yield* attempt(() => makeFolder(folder))
  const rows = yield* Effect.forEach(policies, (policy) => demonstrate(policy))
  yield* print('demo', json, rows, () => `\n${describe(rows)}`)
  if (!rows.every(({ auditOk }) => auditOk)) return yield* new ExitWith(exitCodes.no)
})

const demonstrate = Effect.fnUntraced(function* (policy: string) {
  const log = join(folder, `synth-16-${policy}.ndjson`)
  const run = yield* prepareRun({ trace, topology, policy }, undefined)
  const { seconds } = yield* simulateTo(run, { path: log, existing: 'overwrite', sync: 'end' })
  const { result } = yield* measure(log)
  const { ok } = yield* attempt(() => auditLog(openLogFile(log), sha256))
  return { policy, log, microsecondsPerJob: (seconds * 1e6) / run.workload.jobs.length, metrics: result, auditOk: ok }
})

function describe(rows: ResultOf<'demo'>): string {
  const [makespans, turnarounds, waits] = [
    rows.map(({ metrics }) => metrics.makespan),
    rows.map(({ metrics }) => metrics.turnaround.mean),
    rows.map(({ metrics }) => metrics.wait.mean),
  ].map(durations)
  const results = table(
    ['policy', 'utilization', 'makespan', 'mean turnaround', 'mean wait', 'scheduling a job', 'audit', 'event log'],
    rows.map(({ policy, log, microsecondsPerJob, metrics, auditOk }, at) => [
      policy,
      percent(metrics.utilization.steady),
      makespans[at],
      turnarounds[at],
      waits[at],
      `${decimal(microsecondsPerJob, 0)} µs`,
      auditOk ? 'ok' : 'FAILED',
      log,
    ]),
  )
  const [, jigsaw] = rows
  // A user who started the demo by `npm start` has no command `cloister` on the path.
  const cloister = process.env['npm_lifecycle_event'] === undefined ? 'cloister' : 'npm run cloister --'
  return `${results}

Baseline lets jobs share links. Jigsaw allocates links to every job, and lets no second job use these links, at the cost in utilization above.

  ${cloister} metrics ${rows.map(({ log }) => log).join(' ')}
      shows all metrics of the papers for both runs, side by side
  ${cloister} audit ${jigsaw.log}
      shows each rule that the independent auditor tested, and how often
  ${cloister} state ${jigsaw.log} --at 3600
      shows running jobs, waiting jobs and reservations after an hour
  ${cloister} simulate --trace my.swf --topology radix:18 --policy jigsaw --out runs/my.ndjson
      simulates your own job log
  ${cloister} policy list
      lists the other policies, and tells how to use a policy of your own`
}
