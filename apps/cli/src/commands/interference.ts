import { interferenceReport, models, routings, interference as studies, Traces } from '@cloister/reproduce'
import { tracesIn } from '@cloister/reproduce/node'
import { attempt } from '@cloister/run'
import { Files } from '@cloister/run/node'
import { openResults } from '@cloister/sweep'
import { Effect, Option } from 'effect'
import { Command, Flag } from 'effect/cli'
import { join } from 'node:path'
import { exitCodes, ExitWith } from '../errors/errors.ts'
import { paperRuns, type Verdict, verdictText } from '../reproduce/paper-runs.ts'
import { reportText } from '../reproduce/report-text.ts'
import { print, remark } from '../terminal/output.ts'
import { checkAtLeast, integerFlag, jsonFlag, type Options, textFlag } from './flags.ts'
import { experimentFlags } from './sweep/experiment.ts'

const studyNames = ['simulation', 'cab', 'cab-small', 'cab-computing'] as const
const routingNames = ['d-mod-k', 'random-up-ports', 'spread'] as const

const flags = {
  study: Flag.Literals('study', [...studyNames, 'all']).pipe(
    Flag.withDescription(
      `Machine and jobs of the study, default: cab\nThe studies, in the order of the values: ${studies.map(({ name }) => name).join('; ')}.`,
    ),
    Flag.withDefault('cab'),
  ),
  model: Flag.Literals('model', [...models, 'both']).pipe(
    Flag.withDescription(
      'Model of traffic, default: fluid\nfluid: each job passes through phases of computing and sending. snapshot: all jobs send at the same time.',
    ),
    Flag.withDefault('fluid'),
  ),
  routing: Flag.Literals('routing', [...routingNames, 'all']).pipe(
    Flag.withDescription(
      `Routing of messages, default: d-mod-k\nThe routings, in the order of the values: ${routings.join(', ')}.`,
    ),
    Flag.withDefault('d-mod-k'),
  ),
  workloads: integerFlag(
    'workloads',
    'N',
    'Number of full machines to draw, default: 15\nPollard et al. draw 15. Each further machine takes the next seed.',
  ).pipe(Flag.withDefault(15)),
  seed: Flag.Int('seed').pipe(Flag.withDescription('Seed of the first workload, default: 1'), Flag.withDefault(1)),
  step: integerFlag('step', 'MS', 'Time between changes of rates in the fluid model in ms, default: 2').pipe(
    Flag.withDefault(2),
  ),
  out: textFlag('out', 'DIR', 'Folder for the lists of jobs of the runs, default: reproduced').pipe(
    Flag.withDefault('reproduced'),
  ),
  audit: experimentFlags.audit,
  keepLogs: experimentFlags.keepLogs,
  json: jsonFlag,
}

export const interference = Command.make('interference', flags, (options) => showInterference(options)).pipe(
  Command.withDescription(
    'Compute the slowdown of jobs on shared links\nCompares the iterations of proxy applications with and without isolation (Pollard et al., section V-B). The nodes of the jobs are from event logs: for each workload a run under ta, and a run under baseline for each placement without isolation.',
  ),
  Command.withExamples([
    {
      command: 'cloister interference --study cab --workloads 3',
      description: 'Draw three full machines of Cab, with jobs of 4 to 512 nodes',
    },
  ]),
)

const showInterference = Effect.fn(function* (options: Options<typeof flags>) {
  const { study, model, routing, workloads, seed, step, out, audit, keepLogs, json } = options
  yield* checkAtLeast('workloads', workloads, 1)
  yield* checkAtLeast('seed', seed, 0)
  yield* checkAtLeast('step', step, 1)
  const chosenStudies = pick(studyNames, studies, study)
  const extent = {
    models: model === 'both' ? models : [model],
    routings: pick(routingNames, routings, routing),
    workloads,
    seed,
    step,
  }
  const disk = yield* Files
  yield* attempt(() => disk.makeFolder(out))
  const results = yield* openResults(join(out, 'results.ndjson'), { anew: false })
  const verdict: Verdict = { violations: new Map(), failedAudits: 0, failedRuns: 0 }
  const kept = Option.getOrUndefined(keepLogs)
  const settings = { workers: 1, processes: 1, audit, keepLogs: kept, traceDir: undefined, reservation: undefined }
  const report = yield* interferenceReport(chosenStudies, extent, remark).pipe(
    Effect.provideContext(yield* paperRuns(results, undefined, settings, verdict)),
    Effect.provideService(Traces, tracesIn(undefined, join(out, 'jobs'), remark)),
  )
  yield* print(
    'interference',
    json,
    { comparisons: report.comparisons, tables: report.tables },
    () => `${reportText(report)}\n`,
  )
  const audited = verdictText(verdict)
  if (audited !== undefined) yield* remark(audited)
  if (verdict.failedAudits > 0) return yield* new ExitWith(exitCodes.no)
}, Effect.scoped)

function pick<T>(names: ReadonlyArray<string>, values: ReadonlyArray<T>, name: string): ReadonlyArray<T> {
  return name === 'all' ? values : [values[names.indexOf(name)]]
}
