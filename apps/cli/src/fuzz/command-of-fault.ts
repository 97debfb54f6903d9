import { join } from 'node:path'
import { formatCommand, quoteWord, type RunSpec } from '@cloister/run'
import type { Fault } from './fuzz-check.ts'

/** The command that shows a fault of a run whose files are in a folder; to be pasted into a shell. */
export function commandOfFault(spec: RunSpec, { command }: Fault, folder: string): string {
  const log = quoteWord(join(folder, 'run.ndjson'))
  const simulate = `cloister simulate ${formatCommand(spec)} --out ${log} --force`
  // A simulation that fails by its figures has a log all the same, and the next command shows why.
  return command === 'simulate' ? simulate : `${simulate}; cloister ${command} ${log}`
}
