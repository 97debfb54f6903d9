import { Command, Flag } from 'effect/cli'
import { jsonFlag, logArgument } from './flags.ts'
import { onDemand } from './on-demand.ts'

export const sign = Command.make(
  'sign',
  {
    log: logArgument,
    key: Flag.String('key').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription('Private Ed25519 key in PEM\n--new-key makes a key, or openssl genpkey -algorithm ed25519.'),
    ),
    newKey: Flag.Boolean('new-key').pipe(
      Flag.withDescription(
        'Make the key files FILE and FILE.pub, and sign with FILE\nFILE is the file of --key. Only the user who makes FILE can read FILE.',
      ),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    out: Flag.String('out').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription('Signature file to write, default: LOG.sig'),
      Flag.optional,
    ),
    force: Flag.Boolean('force').pipe(
      Flag.withDescription('Overwrite the signature file if the file exists'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../sign/sign.ts')).signLog),
).pipe(
  Command.withDescription(
    'Sign a log with a private key\nThe signature covers the last seal of the log, and thereby every byte before the seal. Seals without a signature show only accidents: an attacker can seal a changed log again.',
  ),
  Command.withExamples([
    { command: 'cloister sign run.ndjson --key me.key --new-key', description: 'Make a pair of keys, and sign a log' },
    { command: 'cloister sign run.ndjson --key me.key', description: 'Write the signature file run.ndjson.sig' },
  ]),
)
