import type { KeyObject } from 'node:crypto'
import { Effect, Option } from 'effect'
import { attempt } from '../errors/attempt.ts'
import { ExitWith, exitCodes } from '../errors/exit.ts'
import { Files } from '../files/files.ts'
import { concludeReading, readRecords } from '../log/log-reading.ts'
import { print } from '../terminal/output.ts'
import { count } from '../terminal/quantities.ts'
import { fields } from '../terminal/table.ts'
import { publicKey } from './key-files.ts'
import { signaturePath } from './sign.ts'
import { isSignedBy, type LogSignature, parseSignature, publicPart } from './signature.ts'

export interface VerifyOptions {
  readonly log: string
  readonly key: string
  readonly signature: Option.Option<string>
  readonly json: boolean
}

export const verifyLog = Effect.fn(function* ({ log, key, signature: given, json }: VerifyOptions) {
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
  yield* print(json, result, () =>
    fields([
      ['log', `${log}, ${count(records)} records`],
      ['signature', path],
      ['public key', publicPart(signer)],
      ['verdict', problem ?? verdict(signed, records)],
    ]),
  )
  if (problem !== undefined) return yield* new ExitWith(exitCodes.no)
  yield* concludeReading([{ path: log, outcome }])
  if (signed < records) yield* new ExitWith(exitCodes.notWhole)
})

function stranger(signature: LogSignature, signer: KeyObject, key: string): string | undefined {
  if (signature.key !== publicPart(signer))
    return `not signed by the owner of ${key}, but by that of ${signature.key}, if by anybody`
  return isSignedBy(signature, signer)
    ? undefined
    : `not signed by the owner of ${key}: the signature is not of this seal`
}

function mismatch({ seal }: LogSignature, found: string | undefined, records: number): string | undefined {
  if (found === seal.hash) return undefined
  if (found !== undefined) return `not the log that was signed: the seal of record ${seal.seq} is another one`
  return `not the log that was signed: ${records <= seal.seq ? `it ends before record ${seal.seq}` : `record ${seal.seq} is no seal`}`
}

function verdict(signed: number, records: number): string {
  return signed === records
    ? 'ok: every record is as it was signed'
    : `the first ${count(signed)} records are as they were signed, the ${count(records - signed)} after them are not signed`
}
