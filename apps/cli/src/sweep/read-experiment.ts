import { ExperimentError, parseExperiment, RunFiles, type RunSpec } from '@cloister/run'
import { Effect } from 'effect'
import { runInputs } from '../run/inputs.ts'
import { ExperimentFileError } from '../errors/errors.ts'
import { attempt } from '../errors/attempt.ts'
import { Files } from '../files/files.ts'

/** Returns the cells of an experiment file. An error names the file and the field of the experiment. */
export const readExperiment = Effect.fnUntraced(function* (path: string) {
  const { readText } = yield* Files
  const text = yield* attempt(() => readText(path))
  const files = yield* Effect.provide(RunFiles, runInputs(undefined))
  return yield* attempt((): ReadonlyArray<RunSpec> => {
    try {
      return parseExperiment(text, files)
    } catch (error) {
      throw error instanceof ExperimentError ? new ExperimentFileError({ path, cause: error }) : error
    }
  })
})
