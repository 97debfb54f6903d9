import { attempt } from '@cloister/run'
import { Files } from '@cloister/run/node'
import { Effect, Option } from 'effect'
import { Command, Flag } from 'effect/cli'
import type { KeyObject } from 'node:crypto'
import { exitCodes, ExitWith } from '../errors/errors.ts'
import { concludeReading, readRecords } from '../log/log-reading.ts'
import {
  isSignedBy,
  type LogSignature,
  parseSignature,
  publicKey,
  publicPart,
  signaturePath,
} from '../sign/signature.ts'
import { print } from '../terminal/output.ts'
import { count } from '../terminal/quantities.ts'
import { fields } from '../terminal/table.ts'
import { jsonFlag, logArgument, type Options, textFlag } from './flags.ts'

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

const verifyLog = Effect.fn(function* ({ log, key, signature: given, json }: Options<typeof flags>) {
  const { readText } = yield* Files
  const path = Option.getOrElse(given, () => signaturePath(log))
  const signer = yield* attempt(() => publicKey(key, readText(key)))
  const signature = yield* attempt(() => parseSignature(path, readText(path)))
  let found: string | undefined
  const outcome = yield* readRecords(log, (record) => {
    if (record.type === 'seal' && record.seq === signature.seal.seq) found = record.hash
  })
  const records = outcome?.records ?? 0
  const problem = stranger(signature, signer, key) ?? mismatch(signature, found, records)
  const signed = problem === undefined ? signature.seal.seq + 1 : 0
  const result = { ok: problem === undefined && signed === records, log, records, signed, problem: problem ?? null }
  yield* print('verify', json, result, () =>
    fields([
      ['log', `${log}, ${count(records)} records`],
      ['signature', path],
      ['public key', publicPart(signer)],
      ['verdict', problem ?? verdict(signed, records)],
    ]),
  )
  if (problem !== undefined) return yield* new ExitWith(exitCodes.no)
  yield* concludeReading([{ path: log, outcome }])
  if (signed < records) return yield* new ExitWith(exitCodes.notWhole)
})

function stranger(signature: LogSignature, signer: KeyObject, key: string): string | undefined {
  if (signature.key !== publicPart(signer))
    return `the signature is not by the owner of ${key}: the signature file names the public key ${signature.key}`
  return isSignedBy(signature, signer)
    ? undefined
    : `the signature is not by the owner of ${key}, or not for the seal in the signature file`
}

function mismatch({ seal }: LogSignature, found: string | undefined, records: number): string | undefined {
  if (found === seal.hash) return undefined
  if (found !== undefined) return `another log was signed: the seal of record ${seal.seq} differs from the signed seal`
  return `another log was signed: ${records <= seal.seq ? `this log ends before the signed record ${seal.seq}` : `record ${seal.seq} of this log is no seal`}`
}

function verdict(signed: number, records: number): string {
  return signed === records
    ? 'ok: the signature covers every record'
    : `the signature covers the first ${count(signed)} records, and not the last ${count(records - signed)} records`
}
