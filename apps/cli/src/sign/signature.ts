import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import type { Seal } from '@cloister/eventlog'
import { parseJsonText } from '@cloister/trace-io'
import { Schema } from 'effect'
import { SignatureFileError } from '../errors/errors.ts'

/** Seal of a log that a signature covers. The hash of the seal depends on every byte of the log before the seal. */
export type SignedSeal = Pick<Seal, 'seq' | 'hash'>

const base64url = (length: number) => Schema.String.check(Schema.isPattern(new RegExp(`^[A-Za-z0-9_-]{${length}}$`)))

/** Schema of the signature file of a log. */
const LogSignature = Schema.Struct({
  format: Schema.Literal('cloister-log-signature'),
  version: Schema.Literal(1),
  seal: Schema.Struct({ seq: Schema.Natural, hash: base64url(43) }),
  /** Public key of the signer, 32 bytes in base64url. Anybody can write the field: compare it with a trusted key. */
  key: base64url(43),
  /** Ed25519 signature (RFC 8032) of `signedBytes`, 64 bytes in base64url. */
  signature: base64url(86),
})
export type LogSignature = typeof LogSignature.Type

/** The first line distinguishes signed logs from other signed data. */
function signedBytes({ seq, hash }: SignedSeal): Uint8Array {
  return Buffer.from(`cloister-log-signature 1\n${seq} ${hash}\n`)
}

/** Signs the seal of a log. @param key a private Ed25519 key */
export function signSeal({ seq, hash }: SignedSeal, key: KeyObject): LogSignature {
  return {
    format: 'cloister-log-signature',
    version: 1,
    seal: { seq, hash },
    key: publicPart(createPublicKey(key)),
    signature: sign(null, signedBytes({ seq, hash }), key).toString('base64url'),
  }
}

/** Returns true if the signature is by the private key that belongs to a public Ed25519 key. */
export function isSignedBy({ seal, signature }: LogSignature, key: KeyObject): boolean {
  return verify(null, signedBytes(seal), key, Buffer.from(signature, 'base64url'))
}

/** Returns the 32 bytes of a public Ed25519 key in base64url. */
export function publicPart(key: KeyObject): string {
  return String(key.export({ format: 'jwk' }).x)
}

export function formatSignature(signature: LogSignature): string {
  return `${JSON.stringify(signature, null, 2)}\n`
}

/** Parses a signature file. @throws SignatureFileError */
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
