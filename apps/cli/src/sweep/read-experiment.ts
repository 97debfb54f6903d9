import { readFileSync } from 'node:fs'
import { ExperimentError, parseExperiment, RunFiles, type RunSpec } from '@cloister/run'
import { Effect } from 'effect'
import { attempt, Problem } from '../errors/problem.ts'
import { runInputs } from '../run/inputs.ts'
import { nearest } from '../terminal/nearest.ts'

/** The runs that the file of an experiment stands for. What is wrong in it is named by file and field. */
export const readExperiment = Effect.fnUntraced(function* (path: string) {
  const text = yield* attempt(() => readFileSync(path, 'utf8'))
  const files = yield* Effect.provide(RunFiles, runInputs(undefined))
  return yield* attempt((): ReadonlyArray<RunSpec> => {
    try {
      return parseExperiment(text, files)
    } catch (error) {
      throw error instanceof ExperimentError ? new Problem(`${path}: ${error.message}${suggestion(error)}`) : error
    }
  })
})

/** For a field that there is not: the one that may have been meant. */
function suggestion({ field, known }: ExperimentError): string {
  if (known === undefined) return ''
  const close = nearest(field.slice(field.lastIndexOf('.') + 1), known)
  return close === undefined ? `; known are ${known.join(', ')}` : `; did you mean ${close}?`
}
