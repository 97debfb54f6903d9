import { interference as studies, interferenceReport, models, routings } from '@cloister/reproduce'
import { OptionError } from '@cloister/run'
import { Effect } from 'effect'
import { print, remark } from '../terminal/output.ts'
import { reportText } from './report-text.ts'

export interface InterferenceOptions {
  readonly study: 'simulation' | 'cab' | 'cab-small' | 'cab-computing' | 'all'
  readonly model: 'fluid' | 'snapshot' | 'both'
  readonly routing: 'd-mod-k' | 'random-up-ports' | 'spread' | 'all'
  readonly workloads: number
  readonly seed: number
  readonly step: number
  readonly json: boolean
}

export const showInterference = Effect.fn(function* (options: InterferenceOptions) {
  const { study, model, routing, workloads, seed, step, json } = options
  yield* atLeast('workloads', workloads, 1)
  yield* atLeast('seed', seed, 0)
  yield* atLeast('step', step, 1)
  const chosenStudies = pick(['simulation', 'cab', 'cab-small', 'cab-computing'], studies, study)
  const extent = {
    models: model === 'both' ? models : [model],
    routings: pick(['d-mod-k', 'random-up-ports', 'spread'], routings, routing),
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

function atLeast(option: string, found: number, least: number): Effect.Effect<void, OptionError> {
  if (found >= least) return Effect.void
  return Effect.fail(new OptionError({ option, reason: `found ${found}, expected at least ${least}` }))
}
