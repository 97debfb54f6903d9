import type { Files } from '../files/files.ts'
import { inputFiles } from '../run/input-files.ts'
import type { Cell } from './cells.ts'
import type { ResultsRead } from './results-read.ts'
import type { SweepFolder } from './sweep-folder.ts'

/** Experiment, and the results read from the sweep. */
export interface SweepRead {
  readonly experiment: string
  readonly cells: ReadonlyArray<Cell>
  readonly read: ResultsRead
  /** Folder of the sweep. Undefined if the results were read from a file of results. */
  readonly folder: SweepFolder | undefined
}

/** Returns the files that no output may overwrite: the experiment, the inputs of its runs, results and times. */
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
