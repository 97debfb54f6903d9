import { availableParallelism } from 'node:os'
import { Flag } from 'effect/cli'
import { traceDirFlag } from '../run/run-flags.ts'

export const workersFlag = Flag.Int('workers').pipe(
  Flag.withMetavar('N'),
  Flag.withDescription('Worker threads, default: one for each processor'),
)

export const auditFlag = Flag.Boolean('audit').pipe(
  Flag.withDescription('Audit the log of every run (--no-audit turns it off)'),
)

/** Options of every command that runs cells. */
export const experimentFlags = {
  traceDir: traceDirFlag,
  workers: Flag.withDefault(workersFlag, availableParallelism()),
  audit: Flag.withDefault(auditFlag, true),
  keepLogs: Flag.String('keep-logs').pipe(
    Flag.withMetavar('DIR'),
    Flag.withDescription('Folder for the event log of every run, compressed'),
    Flag.optional,
  ),
  force: Flag.Boolean('force').pipe(
    Flag.withDescription('Run every cell again, even if it has a result'),
    Flag.withDefault(false),
    Flag.withoutNegation,
  ),
}
