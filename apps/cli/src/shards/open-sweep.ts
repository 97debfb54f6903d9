import { Effect, Option } from 'effect'
import { attempt } from '../errors/attempt.ts'
import { NoResultsError, NoSweepError } from '../errors/errors.ts'
import { Files } from '../files/files.ts'
import type { FailedRun } from '../sweep/failed-runs.ts'
import { ResultsRead } from './results-read.ts'
import { SweepFolder, sweepFolderOf } from './sweep-folder.ts'

/** Reads the results of an experiment from a sweep's folder, or from a file of results (then `folder` is undefined). */
export const openSweep = Effect.fnUntraced(function* (experiment: string, from: Option.Option<string>) {
  const { exists } = yield* Files
  const path = Option.getOrElse(from, () => sweepFolderOf(experiment))
  const folder = new SweepFolder(path)
  if (!exists(path)) return yield* new NoSweepError({ path })
  const isFolder = yield* attempt(() => folder.exists())
  const read = new ResultsRead(folder)
  yield* attempt(() => (isFolder ? read.refresh() : read.readResults(path, path)))
  return { folder: isFolder ? folder : undefined, read }
})

/** Returns the error for a sweep in which no cell has a result. */
export function noResults(experiment: string, failed: ReadonlyArray<FailedRun>): NoResultsError {
  return new NoResultsError({
    failed,
    remedy: `cloister sweep status ${experiment} shows the progress; cloister sweep ${experiment} --retry runs failed cells again`,
  })
}
