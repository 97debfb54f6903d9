import { join } from 'node:path'
import { formatCommand, quoteWord, type RunSpec } from '@cloister/run'
import type { Fault } from './fuzz-check.ts'

/** Returns the shell command that shows the fault of a run whose files are in `folder`. */
export function commandOfFault(spec: RunSpec, { command }: Fault, folder: string): string {
  const log = quoteWord(join(folder, 'run.ndjson'))
  const simulate = `cloister simulate ${formatCommand(spec)} --out ${log} --force`
  // The simulation writes the log even if its exit code is not 0, and the second command shows the fault on the log.
  return command === 'simulate' ? simulate : `${simulate}; cloister ${command} ${log}`
}
