import { join } from 'node:path'
import { formatCommand, quoteWord, type RunSpec } from '@cloister/run'
import type { Fault } from './fuzz-check.ts'

/** Returns the shell command that shows a fault of a run. The run's files are in `folder`. */
export function commandOfFault(spec: RunSpec, { command }: Fault, folder: string): string {
  const log = quoteWord(join(folder, 'run.ndjson'))
  const simulate = `cloister simulate ${formatCommand(spec)} --out ${log} --force`
  // A simulation with wrong figures still writes a log. The next command then shows the fault.
  return command === 'simulate' ? simulate : `${simulate}; cloister ${command} ${log}`
}
