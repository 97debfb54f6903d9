import { verifyLog } from '../sign/verify.ts'
import { Command, Flag } from 'effect/cli'
import { jsonFlag, logArgument, textFlag, type Options } from './flags.ts'

const flags = {
  log: logArgument,
  key: textFlag(
    'key',
    'FILE',
    'Public Ed25519 key of the signer, in PEM\nGet the key from the signer in a trusted way.',
  ),
  signature: textFlag('signature', 'FILE', 'Signature file of the log, default: LOG.sig').pipe(Flag.optional),
  json: jsonFlag,
}

export const verify = Command.make('verify', flags, (options) => verifyLog(options)).pipe(
  Command.withDescription(
    'Check the signature of a log\nExit codes: 0 if the signature covers the whole log; 1 if the signature is for another log or by another signer; 2 for a corrupt or unreadable file; 3 if the signature covers only a first part of the log, or the log is not whole.',
  ),
  Command.withExamples([
    {
      command: 'cloister verify run.ndjson --key them.key.pub',
      description: 'Check the signature of a log in run.ndjson.sig',
    },
  ]),
)
