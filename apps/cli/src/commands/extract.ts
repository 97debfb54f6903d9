import { Command, Flag } from 'effect/cli'
import { forceFlag, jsonFlag, logArgument } from './flags.ts'
import { onDemand } from './on-demand.ts'

export const extract = Command.make(
  'extract',
  {
    log: logArgument,
    record: Flag.Int('record').pipe(
      Flag.withMetavar('SEQ'),
      Flag.withDescription('Number of a record of type allocate, reserve, refuse or reject'),
    ),
    policy: Flag.String('policy').pipe(
      Flag.withMetavar('NAME'),
      Flag.withDescription(
        'Policy that the test runs\nDefault: the policy of the log. Needed if the policy of the log is not built in.',
      ),
      Flag.optional,
    ),
    out: Flag.String('out').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription('File of the test, default: record-SEQ.test.ts\nSEQ is the number of --record.'),
      Flag.optional,
    ),
    force: forceFlag,
    json: jsonFlag,
  },
  onDemand(async () => (await import('../fuzz/extract.ts')).extractTest),
).pipe(
  Command.withDescription(
    'Write one decision of a log as a small test for vitest\nThe test holds the state, the request and the decision. The command runs the test once, and prints whether the policy passes.',
  ),
  Command.withExamples([
    {
      command: 'cloister extract run.ndjson --record 10764 --policy ./mine.ts',
      description: 'Write record-10764.test.ts, a test of the policy in ./mine.ts',
    },
  ]),
)
