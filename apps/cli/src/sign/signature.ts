import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import type { Seal } from '@cloister/eventlog'
import { parseJsonText } from '@cloister/trace-io'
import { Schema } from 'effect'
import { SignatureFileError } from '../errors/errors.ts'

/** The seal up to which a log is signed: its hash depends on every byte before it. */
export type SignedSeal = Pick<Seal, 'seq' | 'hash'>

const base64url = (length: number) => Schema.String.check(Schema.isPattern(new RegExp(`^[A-Za-z0-9_-]{${length}}$`)))

/** A signature beside a log. */
const LogSignature = Schema.Struct({
  format: Schema.Literal('cloister-log-signature'),
  version: Schema.Literal(1),
  seal: Schema.Struct({ seq: Schema.Natural, hash: base64url(43) }),
  /** The public key of the pair that signed, its 32 bytes in base64url: not to be believed, but to be compared. */
  key: base64url(43),
  /** By Ed25519 (RFC 8032) of `signedBytes`, its 64 bytes in base64url. */
  signature: base64url(86),
})
export type LogSignature = typeof LogSignature.Type

/** What is signed: two lines of ASCII. Nothing else that a key may ever sign looks like it. */
function signedBytes({ seq, hash }: SignedSeal): Uint8Array {
  return Buffer.from(`cloister-log-signature 1\n${seq} ${hash}\n`)
}

/** @param key a private Ed25519 key */
export function signSeal({ seq, hash }: SignedSeal, key: KeyObject): LogSignature {
  return {
    format: 'cloister-log-signature',
    version: 1,
    seal: { seq, hash },
    key: publicPart(createPublicKey(key)),
    signature: sign(null, signedBytes({ seq, hash }), key).toString('base64url'),
  }
}

/** Whether the owner of a public Ed25519 key signed it. */
export function isSignedBy({ seal, signature }: LogSignature, key: KeyObject): boolean {
  return verify(null, signedBytes(seal), key, Buffer.from(signature, 'base64url'))
}

/** The 32 bytes of a public key in base64url. */
export function publicPart(key: KeyObject): string {
  return String(key.export({ format: 'jwk' }).x)
}

export function formatSignature(signature: LogSignature): string {
  return `${JSON.stringify(signature, null, 2)}\n`
}

/** @throws SignatureFileError */
export function parseSignature(path: string, text: string): LogSignature {
  try {
    const signature = Schema.decodeUnknownSync(LogSignature, { onExcessProperty: 'error' })(parseJsonText(text))
    for (const each of [signature.key, signature.signature, signature.seal.hash])
      if (Buffer.from(each, 'base64url').toString('base64url') !== each)
        throw new Error(`${each} is no canonical base64url`)
    return signature
  } catch (error) {
    throw new SignatureFileError({ path, reason: (error as Error).message })
  }
}
