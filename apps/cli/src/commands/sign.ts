import { signLog } from '../sign/sign.ts'
import { Command, Flag } from 'effect/cli'
import { jsonFlag, logArgument, onFlag, textFlag, type Options } from './flags.ts'

const flags = {
  log: logArgument,
  key: textFlag(
    'key',
    'FILE',
    'Private Ed25519 key in PEM\n--new-key makes a key, or openssl genpkey -algorithm ed25519.',
  ),
  newKey: onFlag(
    'new-key',
    'Make the key files FILE and FILE.pub, and sign with FILE\nFILE is the file of --key. Only the user who makes FILE can read FILE.',
  ),
  out: textFlag('out', 'FILE', 'Signature file to write, default: LOG.sig').pipe(Flag.optional),
  force: onFlag('force', 'Overwrite the signature file if the file exists'),
  json: jsonFlag,
}

export const sign = Command.make('sign', flags, (options) => signLog(options)).pipe(
  Command.withDescription(
    'Sign a log with a private key\nThe signature covers the last seal of the log, and thereby every byte before the seal. Seals without a signature show only accidents: an attacker can seal a changed log again.',
  ),
  Command.withExamples([
    { command: 'cloister sign run.ndjson --key me.key --new-key', description: 'Make a pair of keys, and sign a log' },
    { command: 'cloister sign run.ndjson --key me.key', description: 'Write the signature file run.ndjson.sig' },
  ]),
)
