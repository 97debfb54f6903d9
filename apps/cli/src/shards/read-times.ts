import type { CellTimes } from '../sweep/cell-result.ts'
import { timesIn } from '../sweep/times-file.ts'
import type { SweepFolder } from './sweep-folder.ts'

/** Returns the times of cells by digest, from all workers. */
export function readTimes(folder: SweepFolder): ReadonlyMap<string, CellTimes> {
  return new Map(folder.names('times').flatMap((name) => [...timesIn(folder.text('times', name) ?? '')]))
}
