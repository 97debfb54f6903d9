import type { Files } from '../files/files.ts'
import { inputFiles } from '../run/input-files.ts'
import type { Cell } from './cells.ts'
import type { ResultsRead } from './results-read.ts'
import type { SweepFolder } from './sweep-folder.ts'

/** A sweep as it was read. */
export interface SweepRead {
  readonly experiment: string
  readonly cells: ReadonlyArray<Cell>
  readonly read: ResultsRead
  /** Undefined where the results came from one file. */
  readonly folder: SweepFolder | undefined
}

/** The files that a sweep consists of, as far as an output could be one of them: its experiment, what that reads, results, times. */
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
