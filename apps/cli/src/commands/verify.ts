import { Command, Flag } from 'effect/cli'
import { jsonFlag, logArgument } from './flags.ts'
import { onDemand } from './on-demand.ts'

export const verify = Command.make(
  'verify',
  {
    log: logArgument,
    key: Flag.String('key').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription('The public Ed25519 key in PEM of whoever should have signed, as you got it from them'),
    ),
    signature: Flag.String('signature').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription('The signature; default: the name of the log with .sig'),
      Flag.optional,
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../sign/verify.ts')).verifyLog),
).pipe(
  Command.withDescription(
    'Check that a log is as somebody signed it. Exits with 0 only where all of it is signed; 1 where it is not the log that was signed, or somebody else signed; 2 for what is corrupt or unreadable; 3 where a part of it is signed, or it is not whole',
  ),
  Command.withExamples([
    { command: 'cloister verify run.ndjson --key them.key.pub', description: 'By run.ndjson.sig' },
  ]),
)
