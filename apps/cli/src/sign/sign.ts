import type { LogOutcome } from '@cloister/eventlog'
import { Effect, Option } from 'effect'
import { attempt } from '../errors/attempt.ts'
import { FileExistsError, NoSealError } from '../errors/errors.ts'
import { Files } from '../files/files.ts'
import { checkDistinct, checkNotInput } from '../files/outputs.ts'
import { concludeReading, readRecords } from '../log/log-reading.ts'
import { print, remark } from '../terminal/output.ts'
import { count } from '../terminal/quantities.ts'
import { fields } from '../terminal/table.ts'
import { makeKeyFiles, privateKey } from './key-files.ts'
import { formatSignature, type SignedSeal, signSeal } from './signature.ts'

export interface SignOptions {
  readonly log: string
  readonly key: string
  readonly newKey: boolean
  readonly out: Option.Option<string>
  readonly force: boolean
  readonly json: boolean
}

/** Returns the default path of a log's signature. */
export function signaturePath(log: string): string {
  return `${log}.sig`
}

export const signLog = Effect.fn(function* ({ log, key, newKey, out, force, json }: SignOptions) {
  const files = yield* Files
  const { exists, readText, writeText } = files
  const path = Option.getOrElse(out, () => signaturePath(log))
  // Checks the output paths before reading the log, because reading a large log takes long.
  const written = newKey ? [key, `${key}.pub`] : []
  yield* attempt(() => {
    checkNotInput(files, path, [log])
    checkDistinct(files, [...written, path])
  })
  if (exists(path) && !force) return yield* new FileExistsError({ path, remedy: '--force overwrites it' })
  if (newKey) {
    yield* attempt(() => makeKeyFiles(key))
    yield* remark(
      `${key} is your private key: show the file to nobody. ${key}.pub is the public key: give the file to everybody who verifies your logs.`,
    )
  }
  const own = yield* attempt(() => privateKey(key, readText(key)))
  yield* attempt(() => checkNotInput(files, path, [key]))
  const { seal, outcome } = yield* lastSeal(log)
  if (seal === undefined) return yield* new NoSealError({ path: log })
  const signature = signSeal(seal, own)
  yield* attempt(() => writeText(path, formatSignature(signature), force ? 'overwrite' : 'refuse'))
  yield* print(json, { log, file: path, ...signature }, () =>
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
