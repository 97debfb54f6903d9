import { auditLog, type AuditReport, exitCode } from '@cloister/audit'
import { describeOutcome, type LogRecord } from '@cloister/eventlog'
import { assertRereadable, openLogFile, sha256 } from '@cloister/eventlog/node'
import { certified, type CostedReport, PermutationAuditor, withCosts, withPermutations } from '@cloister/evidence'
import { InvalidLogError, type Metrics } from '@cloister/metrics'
import { attempt } from '@cloister/run'
import { Effect, Option } from 'effect'
import { Argument, Command, Flag } from 'effect/cli'
import { basename } from 'node:path'
import { ExitWith, Problem } from '../errors/errors.ts'
import { describePart, headerOf, ReadingProgress, readRecords, RepeatedReading } from '../log/log-reading.ts'
import { matricesOf } from '../log/matrices.ts'
import { LogMeasurement, metricsTable } from '../log/measurement.ts'
import type { WholeReport } from '../results/audit.ts'
import type { Assumptions } from '../results/runs.ts'
import { traceDirFlag } from '../run/run-flags.ts'
import { print, remark, visibleOnOneLine } from '../terminal/output.ts'
import { makeProgress } from '../terminal/progress.ts'
import { count, counted } from '../terminal/quantities.ts'
import { table } from '../terminal/table.ts'
import {
  integerFlag,
  jsonFlag,
  logArgument,
  matricesFlag,
  maxQuestionsFlag,
  onFlag,
  type Options,
  refuseIf,
  orderOfLogFlag,
  routerOfLogFlag,
  textFlag,
} from './flags.ts'

const flags = {
  logs: logArgument.pipe(Argument.variadic({ min: 1 })),
  permutations: integerFlag(
    'permutations',
    'N',
    'Also route N random permutations of every allocation\nThe nodes of an allocation send along each permutation over the links of the allocation, with at most one flow on a link. A permutation without such routes is a violation.',
  ).pipe(Flag.optional),
  adaptiveRouting: onFlag(
    'adaptive-routing',
    'Also check isolation under adaptive routing\nEvery shortest route between two nodes of a job must use only links of the allocation of the job.',
  ),
  rerun: onFlag(
    'rerun',
    'Also run the policy again on the inputs of the log\nThe decisions and claims of the policy must equal the log. The jobs must equal the jobs of the workload, if it is synthetic or given by --trace.',
  ),
  trace: textFlag(
    'trace',
    'TRACE',
    'Trace of the run for --rerun: a preset or a file\nThe submits and the ends of jobs in the log must equal the jobs of the trace. A synthetic workload needs no trace.',
  ).pipe(Flag.optional),
  traceDir: traceDirFlag,
  policy: textFlag(
    'policy',
    'NAME',
    'Policy of the log for --rerun, as a file or a package\nNeeded if the policy of the log is not built in.',
  ).pipe(Flag.optional),
  router: routerOfLogFlag,
  order: orderOfLogFlag,
  metrics: onFlag(
    'metrics',
    'Measure the run in the same pass over the log\nPrints the figures of `cloister metrics` after the result of the audit.',
  ),
  matrices: matricesFlag,
  maxQuestions: maxQuestionsFlag,
  json: jsonFlag,
}

export const audit = Command.make('audit', flags, (options) => auditLogs(options)).pipe(
  Command.withDescription(
    'Check a log against every rule of the format and every claim\nThe output begins with the verdict. The auditor shares no code with the simulator.\nExit codes: 0 for a whole, sealed log without a violation; 1 for a violation or an untested claim; 2 for a corrupt or unreadable log; 3 for a log without a violation that is not whole.\nSeveral logs have a line each, and the exit code is the first of 2, 1, 3 and 0 that any log has.',
  ),
  Command.withExamples([
    { command: 'cloister audit run.ndjson.zst', description: 'Check a log' },
    { command: 'cloister audit logs/*.ndjson.zst', description: 'Check several logs, a line for each log' },
    { command: 'cloister audit run.ndjson --rerun', description: 'Check a log, and run its policy again' },
    { command: 'cloister audit run.ndjson --metrics', description: 'Check and measure a log in one pass' },
  ]),
)

interface MeasuredReport {
  /** Output of `cloister metrics --json`. Null if the log is corrupt, has no record, or has contradictory records. */
  readonly metrics: (Metrics & { readonly assumptions: Assumptions }) | null
}

interface Measured extends MeasuredReport {
  /** Id of the job with the longest wait; absent without metrics. */
  readonly longestWaiter?: string | undefined
  readonly remarks: ReadonlyArray<string>
}

type AuditOptions = Options<typeof flags>

const auditLogs = Effect.fn(function* (options: AuditOptions) {
  const { logs, rerun, policy, router, order, maxQuestions, json } = options
  const hasUnusedPolicy = Option.isSome(policy) && !rerun
  yield* refuseIf(hasUnusedPolicy, '--policy needs --rerun: without --rerun no policy runs')
  yield* refuseIf(Option.isSome(router) && !rerun, '--router needs --rerun: without --rerun no router runs')
  yield* refuseIf(Option.isSome(order) && !rerun, '--order needs --rerun: without --rerun no queue order runs')
  const hasUnusedLimit = Option.isSome(maxQuestions) && !rerun
  yield* refuseIf(hasUnusedLimit, '--max-questions needs --rerun: without --rerun no policy gets requests')
  const hasUnusedTrace = Option.isSome(options.trace) && !rerun
  yield* refuseIf(hasUnusedTrace, '--trace needs --rerun: without --rerun no jobs are compared')
  const audited = yield* Effect.forEach(logs, (log) => auditLogFile(log, options))
  const [{ report: first }] = audited
  const results = logs.length === 1 ? first : audited.map(({ log, report }) => ({ log, ...report }))
  yield* print('audit', json, results, () => {
    const verdicts =
      logs.length === 1 ? describe(first) : audited.map(({ log, report }) => `${log}: ${conclusion(report)}`).join('\n')
    return [verdicts, ...figuresOf(audited)].join('\n\n')
  })
  for (const { log, found } of audited)
    for (const said of found?.remarks ?? []) yield* remark(`${log}: ${visibleOnOneLine(said)}`)
  const codes = audited.map(({ report }) => exitCode(report))
  const worst = ([2, 1, 3] as const).find((code) => codes.includes(code))
  if (worst !== undefined) return yield* new ExitWith(worst)
})

const auditLogFile = Effect.fnUntraced(function* (log: string, options: AuditOptions) {
  const asked = options.adaptiveRouting ? { rules: ['isolated-under-adaptive-routing'] } : {}
  const measuring = options.metrics ? new MeasuringBeside() : undefined
  const progress = yield* makeProgress
  const watch = new ReadingProgress(log, progress)
  const onRecord = (record: LogRecord): void => {
    watch.records++
    measuring?.add(record)
  }
  const audited = yield* attempt(() => auditLog(openLogFile(log, watch.onRead), sha256, { ...asked, onRecord }))
  progress.clear()
  const tested: WholeReport = audited.status === 'corrupt' ? audited : yield* furtherTested(audited, log, options)
  const found = measuring?.result(audited)
  const report: WholeReport = found === undefined ? tested : { ...tested, metrics: found.metrics }
  return { log, report, found }
})

/** A contradiction in the log stops the measurement, but not the audit. */
class MeasuringBeside {
  readonly #measurement = new LogMeasurement()
  #problem: string | undefined

  add(record: LogRecord): void {
    if (this.#problem !== undefined) return
    try {
      this.#measurement.add(record)
    } catch (error) {
      if (!(error instanceof InvalidLogError)) throw error
      this.#problem = error.message
    }
  }

  result({ status, records, outcome }: AuditReport): Measured {
    const problem = status === 'corrupt' || records === 0 ? describeOutcome(outcome!) : this.#problem
    if (problem !== undefined) return { metrics: null, remarks: [`the log cannot be measured: ${problem}`] }
    const measured = this.#measurement.result()
    const { result, assumptions, warning } = measured
    const remarks = [describePart(measured), warning].filter((each) => each !== undefined)
    return { metrics: { ...result, assumptions }, longestWaiter: measured.longestWaiter, remarks }
  }
}

function figuresOf(
  audited: ReadonlyArray<{ readonly log: string; readonly found: Measured | undefined }>,
): ReadonlyArray<string> {
  const measured = audited.flatMap(({ log, found }) =>
    found?.metrics ? [{ name: basename(log), run: { ...found.metrics, longestWaiter: found.longestWaiter } }] : [],
  )
  const names = measured.map(({ name }) => name)
  return names.length === 0
    ? []
    : [
        metricsTable(
          names,
          measured.map(({ run }) => run),
        ),
      ]
}

/** Adds the tests that need routing, matrix files or a policy. The package of the auditor has no code of routing. */
const furtherTested = Effect.fnUntraced(function* (audited: AuditReport, log: string, asked: AuditOptions) {
  const { permutations, rerun, matrices } = asked
  const reading = new RepeatedReading(log, yield* makeProgress)
  const readAgain = (): Iterable<LogRecord> => {
    assertRereadable(log)
    return reading.records()
  }
  const report = Option.isSome(permutations)
    ? withPermutations(audited, yield* routed(log, permutations.value))
    : yield* attempt(() => certified(audited, readAgain))
  const costed = Option.isSome(matrices) ? yield* withMatrices(report, readAgain, matrices.value) : report
  if (!rerun) return costed
  yield* attempt(() => assertRereadable(log))
  const { withRerunOf } = yield* Effect.promise(() => import('./audit/rerun-of-log.ts'))
  return yield* withRerunOf(costed, reading, asked)
})

const withMatrices = Effect.fnUntraced(function* (
  report: AuditReport,
  records: () => Iterable<LogRecord>,
  given: string,
) {
  const header = yield* attempt(() => headerOf({ records }))
  const files = yield* matricesOf(header.workload.matrices ?? [], given)
  const contents = files.map(({ text }) => new TextEncoder().encode(text))
  return yield* attempt(() => withCosts(report, records(), contents, sha256))
})

/** Fails unless the policy of the log claims owned links, because a shared link belongs to no single allocation. */
const routed = Effect.fnUntraced(function* (log: string, permutations: number) {
  yield* refuseIf(permutations < 1, `--permutations: found ${permutations}, expected a whole number from 1`)
  yield* attempt(() => assertRereadable(log))
  const auditor = new PermutationAuditor(permutations, true)
  yield* readRecords(log, (record) => {
    if (record.type === 'header' && record.policy.claims.links !== 'owned') {
      throw new Problem(
        `--permutations: the policy ${record.policy.name} allocates no links to jobs (links: ${record.policy.claims.links})`,
      )
    }
    auditor.add(record)
  })
  return auditor.result()
})

function describe(report: AuditReport & Partial<Pick<CostedReport, 'communication'>>): string {
  const parts = [
    conclusion(report),
    ...section('Violations:', violationLines(report)),
    ...section(
      'Claims of the policy that were never tested:',
      report.untestedClaims.map(({ claim, reason }) => `${claim}: ${reason}`),
    ),
    table(
      ['invariant', 'tested'],
      Object.entries(report.checked).map(([name, times]) => [name, count(times)]),
    ),
    ...section(
      'Not tested:',
      Object.entries(report.notApplicable).map(([name, reason]) => `${name}: ${reason}`),
    ),
    ...section('Cost of the communication in matrices:', communicationLines(report)),
  ]
  return parts.join('\n\n')
}

function section(title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> {
  return lines.length === 0 ? [] : [`${title}\n${lines.map((line) => `  ${visibleOnOneLine(line)}`).join('\n')}`]
}

function communicationLines({ communication }: Partial<Pick<CostedReport, 'communication'>>): ReadonlyArray<string> {
  if (communication === undefined) return []
  const { starts, hopBytes, effectiveHopBytes } = communication
  return [
    `${count(starts)} starts, ${count(Math.round(hopBytes))} hop-bytes, ${count(Math.round(effectiveHopBytes))} effective hop-bytes`,
  ]
}

function violationLines({ violations, violationCounts }: AuditReport): ReadonlyArray<string> {
  const listed = violations.map(({ invariant, seq, t, job, message }) => {
    const place = [
      `record ${seq}`,
      ...(t === undefined ? [] : [`t ${t}`]),
      ...(job === undefined ? [] : [`job ${job}`]),
    ].join(', ')
    return `${invariant} at ${place}: ${message}`
  })
  const unlisted = Object.entries(violationCounts).flatMap(([name, all]) => {
    const shown = violations.filter(({ invariant }) => invariant === name).length
    return all > shown ? [`${name}: ${count(all - shown)} more`] : []
  })
  return [...listed, ...unlisted]
}

function conclusion(report: AuditReport): string {
  const tests = Object.values(report.checked).reduce((sum, times) => sum + times, 0)
  const violations = Object.values(report.violationCounts).reduce((sum, each) => sum + each, 0)
  const verdict = report.ok
    ? 'ok'
    : violations > 0
      ? counted(violations, 'violation')
      : report.untestedClaims.length > 0
        ? `not ok: ${counted(report.untestedClaims.length, 'claim')} never tested`
        : report.status === 'corrupt'
          ? 'not ok'
          : 'no violation so far'
  const log =
    report.outcome === undefined || report.outcome.status === 'whole' ? report.status : describeOutcome(report.outcome)
  return `${verdict}: ${counted(report.records, 'record')}, ${counted(tests, 'test')}; the log is ${visibleOnOneLine(log)}`
}
