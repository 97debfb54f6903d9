import { availableParallelism } from 'node:os'
import { Flag } from 'effect/cli'
import { traceDirFlag } from '../run/run-flags.ts'

export const workersFlag = Flag.Int('workers').pipe(
  Flag.withMetavar('N'),
  Flag.withDescription('Number of worker threads, default: one for each processor'),
)

export const auditFlag = Flag.Boolean('audit').pipe(
  Flag.withDescription('Audit the log of every run; on unless --no-audit is given'),
)

/** Flags of `cloister sweep` and `cloister reproduce`, the commands that run the cells of experiments. */
export const experimentFlags = {
  traceDir: traceDirFlag,
  workers: Flag.withDefault(workersFlag, availableParallelism()),
  audit: Flag.withDefault(auditFlag, true),
  keepLogs: Flag.String('keep-logs').pipe(
    Flag.withMetavar('DIR'),
    Flag.withDescription('Folder for the compressed event log of every run\nDefault: the logs are not kept.'),
    Flag.optional,
  ),
  force: Flag.Boolean('force').pipe(
    Flag.withDescription('Run every cell of the experiment again, also cells with a result'),
    Flag.withDefault(false),
    Flag.withoutNegation,
  ),
}
