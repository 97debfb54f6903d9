import { availableParallelism } from 'node:os'
import { Flag } from 'effect/cli'
import { traceDirFlag } from '../run/run-flags.ts'

export const workersFlag = Flag.Int('workers').pipe(
  Flag.withMetavar('N'),
  Flag.withDescription('Worker threads; default: one for every processor'),
)

export const auditFlag = Flag.Boolean('audit').pipe(
  Flag.withDescription('Audit the log of every run (--no-audit: do not); default: audit'),
)

/** Options of every command that runs cells. */
export const experimentFlags = {
  traceDir: traceDirFlag,
  workers: Flag.withDefault(workersFlag, availableParallelism()),
  audit: Flag.withDefault(auditFlag, true),
  keepLogs: Flag.String('keep-logs').pipe(
    Flag.withMetavar('DIR'),
    Flag.withDescription('Keep the event log of every run in this folder, compressed'),
    Flag.optional,
  ),
  force: Flag.Boolean('force').pipe(
    Flag.withDescription('Run everything anew, whatever results there are'),
    Flag.withDefault(false),
    Flag.withoutNegation,
  ),
}
