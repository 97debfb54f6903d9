import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, extname } from 'node:path'
import { Effect, Option } from 'effect'
import { Argument, Command, Flag } from 'effect/cli'
import { describeCell } from '../cell.ts'
import { readExperiment } from '../experiment.ts'
import { jsonFlag } from './flags.ts'
import { print, remark } from '../terminal/output.ts'
import { ExitWith, Problem, attempt, exitCodes } from '../errors/problem.ts'
import { ResultsFile } from '../sweep/results-file.ts'
import { policyVersions, runExperiment } from '../sweep/run-experiment.ts'
import { auditFailures, sweepTable } from '../sweep/sweep-table.ts'
import { workloadFlags } from '../workload-options.ts'

/** How cells are run, for every command that runs some. */
export const experimentFlags = {
  traceDir: workloadFlags.traceDir,
  workers: Flag.Int('workers').pipe(
    Flag.withMetavar('N'),
    Flag.withDescription('Worker threads; default: one for every processor'),
    Flag.withDefault(availableParallelism()),
  ),
  audit: Flag.Boolean('audit').pipe(
    Flag.withDescription('Audit the log of every run (--no-audit: do not)'),
    Flag.withDefault(true),
  ),
  keepLogs: Flag.String('keep-logs').pipe(
    Flag.withMetavar('DIR'),
    Flag.withDescription('Keep the event log of every run in this folder, compressed'),
    Flag.optional,
  ),
  force: Flag.Boolean('force').pipe(
    Flag.withDescription('Run everything anew, whatever results there are'),
    Flag.withDefault(false),
    Flag.withoutNegation,
  ),
}

export const sweep = Command.make(
  'sweep',
  {
    experiment: Argument.String('experiment').pipe(
      Argument.withDescription('A JSON file: {"cells":[{"trace":…,"topology":…,"policy":[…],…}]}, see the README'),
    ),
    out: Flag.String('out').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription(
        'Where results go, a line of JSON each; default: the name of the experiment with .results.ndjson, in the working directory',
      ),
      Flag.optional,
    ),
    resume: Flag.Boolean('resume').pipe(
      Flag.withDescription('Keep the results that FILE holds, and run what is missing'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    ...experimentFlags,
    json: jsonFlag,
  },
  Effect.fn(function* ({ experiment, out, resume, force, json, workers, audit, ...options }) {
    yield* checkWorkers(workers)
    const cells = yield* attempt(() => readExperiment(experiment))
    const versions = yield* policyVersions(cells)
    const path = Option.getOrElse(out, () => `${basename(experiment, extname(experiment))}.results.ndjson`)
    if (!resume && !force && existsSync(path))
      return yield* new Problem(`${path} exists; --resume goes on with it, --force begins anew`)
    const results = yield* openResults(path, force)
    const outcome = yield* runExperiment(cells, versions, results, {
      workers,
      audit,
      traceDir: Option.getOrUndefined(options.traceDir),
      keepLogs: Option.getOrUndefined(options.keepLogs),
    })
    yield* print(json, outcome, () => `${sweepTable(outcome.results)}\n\n${outcome.results.length} results in ${path}`)
    const failures = auditFailures(outcome.results, describeCell)
    for (const failure of failures) yield* remark(`audit: ${failure}`)
    if (failures.length > 0) return yield* new ExitWith(exitCodes.no)
    if (outcome.skipped.length > 0) return yield* new ExitWith(exitCodes.notWhole)
  }, Effect.scoped),
).pipe(
  Command.withDescription(
    'Run an experiment: every combination of traces, machines, policies, queues, scenarios and seeds that a file names, measured and audited, on all processors',
  ),
  Command.withExamples([
    { command: 'cloister sweep experiment.json', description: 'Results in experiment.results.ndjson, and a table' },
    { command: 'cloister sweep experiment.json --resume', description: 'Go on after a kill' },
  ]),
)

/** The results file, closed at the end of the scope. */
export function openResults(path: string, anew: boolean) {
  return Effect.acquireRelease(
    attempt(() => new ResultsFile(path, { anew })),
    (file) => Effect.sync(() => file.close()),
  )
}

export function checkWorkers(workers: number): Effect.Effect<void, Problem> {
  return workers >= 1 && workers <= 1024
    ? Effect.void
    : Effect.fail(new Problem(`--workers: found ${workers}, expected 1 to 1024`))
}
