import { Effect, Option } from 'effect'
import { attempt } from '../errors/attempt.ts'
import { NoSweepError } from '../errors/errors.ts'
import { Files } from '../files/files.ts'
import { ResultsRead } from './results-read.ts'
import { SweepFolder, sweepFolderOf } from './sweep-folder.ts'

/** The results that there are of an experiment: in the folder of its workers, or in one file. */
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
