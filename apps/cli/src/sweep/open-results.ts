import { OptionError } from '@cloister/run'
import { Effect, type Option } from 'effect'
import { attempt } from '../errors/attempt.ts'
import { ResultsFile, type ResultsFileOptions } from './results-file.ts'

/** Values of the flags that `cloister sweep` and `cloister reproduce` have in common. */
export interface ExperimentFlags {
  readonly traceDir: Option.Option<string>
  readonly workers: number
  readonly audit: boolean
  readonly keepLogs: Option.Option<string>
  readonly force: boolean
}

/** Opens a file of results. The caller closes the file; after a failure, the end of the scope closes the file. */
export function openResults(path: string, options: ResultsFileOptions) {
  return Effect.acquireRelease(
    attempt(() => new ResultsFile(path, options)),
    (file) => Effect.ignore(attempt(() => file.close())),
  )
}

export function checkWorkers(workers: number): Effect.Effect<void, OptionError> {
  return workers >= 1 && workers <= 1024
    ? Effect.void
    : Effect.fail(new OptionError({ option: 'workers', reason: `found ${workers}, expected 1 to 1024` }))
}
