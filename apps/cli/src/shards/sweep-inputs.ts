import type { Files } from '../files/files.ts'
import { inputFiles } from '../run/input-files.ts'
import type { Cell } from './cells.ts'
import type { ResultsRead } from './results-read.ts'
import type { SweepFolder } from './sweep-folder.ts'

/** Sweep after reading. */
export interface SweepRead {
  readonly experiment: string
  readonly cells: ReadonlyArray<Cell>
  readonly read: ResultsRead
  /** Folder of the workers. Undefined if the results came from a single file. */
  readonly folder: SweepFolder | undefined
}

/** Returns the files of a sweep, in order to protect the files: the experiment, its inputs, the results, the times. */
export function sweepInputs(
  files: Files['Service'],
  { experiment, cells, read, folder }: SweepRead,
  outputs: ReadonlyArray<string>,
): ReadonlyArray<string> {
  const runs = cells.map(({ cell }) => cell)
  const times = folder?.names('times').map((name) => folder.file('times', name)) ?? []
  const named = outputs.flatMap((out) => inputFiles(files, out, runs, undefined))
  return [...new Set([experiment, ...read.paths, ...times, ...named])]
}
