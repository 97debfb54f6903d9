import { Command, Flag } from 'effect/cli'
import { jsonFlag, logArgument } from './flags.ts'
import { onDemand } from './on-demand.ts'

export const sign = Command.make(
  'sign',
  {
    log: logArgument,
    key: Flag.String('key').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription('Your private Ed25519 key in PEM, of --new-key or openssl genpkey -algorithm ed25519'),
    ),
    newKey: Flag.Boolean('new-key').pipe(
      Flag.withDescription('Make the key first: FILE, which its owner alone can read, and FILE.pub'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    out: Flag.String('out').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription('The signature to write; default: the name of the log with .sig'),
      Flag.optional,
    ),
    force: Flag.Boolean('force').pipe(
      Flag.withDescription('Overwrite a signature that exists'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../sign/sign.ts')).signLog),
).pipe(
  Command.withDescription(
    'Sign a log: its last seal, and with it every byte before. Seals alone show accidents; whoever wants to change a log can seal it anew',
  ),
  Command.withExamples([
    { command: 'cloister sign run.ndjson --key me.key --new-key', description: 'The first time' },
    { command: 'cloister sign run.ndjson --key me.key', description: 'Writes run.ndjson.sig' },
  ]),
)
