import type { LogOutcome } from '@cloister/eventlog'
import { attempt } from '@cloister/run'
import { Files } from '@cloister/run/node'
import { Effect, Option } from 'effect'
import { Command, Flag } from 'effect/cli'
import { FileExistsError, Problem } from '../errors/errors.ts'
import { checkDistinct, checkNotInput } from '../files/outputs.ts'
import { concludeReading, readRecords } from '../log/log-reading.ts'
import {
  formatSignature,
  makeKeyFiles,
  privateKey,
  signaturePath,
  type SignedSeal,
  signSeal,
} from '../sign/signature.ts'
import { print, remark } from '../terminal/output.ts'
import { count } from '../terminal/quantities.ts'
import { fields } from '../terminal/table.ts'
import { jsonFlag, logArgument, onFlag, type Options, textFlag } from './flags.ts'

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

const signLog = Effect.fn(function* ({ log, key, newKey, out, force, json }: Options<typeof flags>) {
  const files = yield* Files
  const { exists, readText, writeText } = files
  const path = Option.getOrElse(out, () => signaturePath(log))
  // Checks the output paths before reading the log, because reading a large log takes long.
  const written = newKey ? [key, `${key}.pub`] : []
  yield* attempt(() => {
    checkNotInput(files, path, [log])
    checkDistinct(files, [...written, path])
  })
  if (exists(path) && !force) return yield* new FileExistsError({ path })
  if (newKey) {
    yield* attempt(() => makeKeyFiles(key))
    yield* remark(
      `${key} is your private key: show the file to nobody. ${key}.pub is the public key: give the file to everybody who verifies your logs.`,
    )
  }
  const own = yield* attempt(() => privateKey(key, readText(key)))
  yield* attempt(() => checkNotInput(files, path, [key]))
  const { seal, outcome } = yield* lastSeal(log)
  if (seal === undefined)
    return yield* new Problem(`${log}: the log has no seal yet, and a signature covers a seal; sign the log later`)
  const signature = signSeal(seal, own)
  yield* attempt(() => writeText(path, formatSignature(signature), force ? 'overwrite' : 'refuse'))
  yield* print('sign', json, { log, file: path, ...signature }, () =>
    fields([
      ['signature', path],
      ['of', `records 0 to ${count(seal.seq)} of ${log}`],
      ['last seal', seal.hash],
      ['public key', signature.key],
    ]),
  )
  yield* concludeReading([{ path: log, outcome }])
})

const lastSeal = Effect.fnUntraced(function* (log: string) {
  let seal: SignedSeal | undefined
  const outcome: LogOutcome | undefined = yield* readRecords(log, (record) => {
    if (record.type === 'seal') seal = record
  })
  return { seal, outcome }
})
