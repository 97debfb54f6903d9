import type { Reproduction, Traces } from '@cloister/reproduce'
import { Effect } from 'effect'
import { Problem } from '../errors/errors.ts'
import { print } from '../terminal/output.ts'
import { plannedRuns } from './planned-runs.ts'

/**
 * Prints the runs of reproductions as an experiment for `cloister sweep`, and runs nothing. Fails for a reproduction that
 * is no plain sweep.
 */
export const printExperiment = Effect.fnUntraced(function* (
  chosen: ReadonlyArray<Reproduction>,
  traces: Traces['Service'],
  settings: Parameters<typeof plannedRuns>[2],
  json: boolean,
) {
  const refusals: Array<string> = []
  for (const each of chosen) {
    const readsRecords =
      each.readsRecords && 'it reads the records of its runs, and a sweep keeps only the metrics of a run'
    const reason = each.withoutLogs?.reason ?? readsRecords
    if (reason !== undefined) refusals.push(`${each.name} is no plain sweep: ${reason}`)
  }
  if (refusals.length > 0)
    return yield* new Problem(`--print-experiment cannot be used here:\n  ${refusals.join('\n  ')}`)
  const specs = yield* plannedRuns(chosen, traces, settings)
  if (specs.length === 0) return yield* new Problem('--print-experiment: no run is left, because no job log is at hand')
  const experiment = { note: chosen.map(({ name, title }) => `${name}: ${title}`).join('; '), cells: specs }
  // A line for each cell, which people can read and edit.
  const cells = specs.map((spec) => `  ${JSON.stringify(spec)}`).join(',\n')
  yield* print(
    'reproduce',
    json,
    experiment,
    () => `{"note":${JSON.stringify(experiment.note)},"cells":[\n${cells}\n]}`,
  )
})
