import { Command, Flag } from 'effect/cli'
import { jsonFlag, logArgument } from './flags.ts'
import { onDemand } from './on-demand.ts'

export const sign = Command.make(
  'sign',
  {
    log: logArgument,
    key: Flag.String('key').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription('Private Ed25519 key in PEM\nFrom --new-key, or from openssl genpkey -algorithm ed25519.'),
    ),
    newKey: Flag.Boolean('new-key').pipe(
      Flag.withDescription('Make the key first: FILE and FILE.pub\nOnly its owner can read FILE.'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    out: Flag.String('out').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription('Signature to write, default: LOG.sig'),
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
    'Sign a log with a private key\nA signature covers the last seal, and thereby every byte before. Seals alone show accidents: an attacker can seal a changed log again.',
  ),
  Command.withExamples([
    { command: 'cloister sign run.ndjson --key me.key --new-key', description: 'Make a key, and sign' },
    { command: 'cloister sign run.ndjson --key me.key', description: 'Write run.ndjson.sig' },
  ]),
)
