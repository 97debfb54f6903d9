import type { CellTimes } from '../sweep/cell-result.ts'
import { timesIn } from '../sweep/times-file.ts'
import type { SweepFolder } from './sweep-folder.ts'

/** Returns the times of all cells that any worker of a sweep ran, by the digest of the cell. */
export function readTimes(folder: SweepFolder): ReadonlyMap<string, CellTimes> {
  return new Map(folder.names('times').flatMap((name) => [...timesIn(folder.text('times', name) ?? '')]))
}
