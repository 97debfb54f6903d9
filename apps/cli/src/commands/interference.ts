import { interferenceReport, models, routings, interference as studies } from '@cloister/reproduce'
import { Effect } from 'effect'
import { Command, Flag } from 'effect/cli'
import { reportText } from '../reproduce/report-text.ts'
import { print, remark } from '../terminal/output.ts'
import { checkAtLeast, integerFlag, jsonFlag, type Options } from './flags.ts'

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
  json: jsonFlag,
}

export const interference = Command.make('interference', flags, (options) => showInterference(options)).pipe(
  Command.withDescription(
    'Compute the slowdown of jobs on shared links\nCompares the iterations of proxy applications with and without isolation (Pollard et al., section V-B).',
  ),
  Command.withExamples([
    {
      command: 'cloister interference --study cab --workloads 3',
      description: 'Draw three full machines of Cab, with jobs of 4 to 512 nodes',
    },
  ]),
)

const showInterference = Effect.fn(function* (options: Options<typeof flags>) {
  const { study, model, routing, workloads, seed, step, json } = options
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
  const report = yield* interferenceReport(chosenStudies, extent, remark)
  yield* print(json, { comparisons: report.comparisons, tables: report.tables }, () => `${reportText(report)}\n`)
})

function pick<T>(names: ReadonlyArray<string>, values: ReadonlyArray<T>, name: string): ReadonlyArray<T> {
  return name === 'all' ? values : [values[names.indexOf(name)]]
}
