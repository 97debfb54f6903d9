import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'
import type { Seal } from '@cloister/eventlog'
import { withPath } from '@cloister/run/node'
import { parseJsonText } from '@cloister/trace-io'
import { Schema } from 'effect'
import { FileExistsError, Problem } from '../errors/errors.ts'

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

/** Returns the default path of a log's signature. */
export function signaturePath(log: string): string {
  return `${log}.sig`
}

export function formatSignature(signature: LogSignature): string {
  return `${JSON.stringify(signature, null, 2)}\n`
}

/** Parses a signature file. @throws Problem */
export function parseSignature(path: string, text: string): LogSignature {
  try {
    const signature = Schema.decodeUnknownSync(LogSignature, { onExcessProperty: 'error' })(parseJsonText(text))
    for (const each of [signature.key, signature.signature, signature.seal.hash])
      if (Buffer.from(each, 'base64url').toString('base64url') !== each)
        throw new Error(`${each} is no canonical base64url`)
    return signature
  } catch (error) {
    throw new Problem(`${path} is no signature of a log: ${(error as Error).message}`)
  }
}

/** Parses the text of a private Ed25519 key file in PEM. @throws Problem */
export function privateKey(path: string, text: string): KeyObject {
  return ed25519(path, 'private', () => createPrivateKey(text))
}

/**
 * Parses the text of a public Ed25519 key file in PEM. The file of a private key is accepted, because it contains the
 * public key. @throws Problem
 */
export function publicKey(path: string, text: string): KeyObject {
  return ed25519(path, 'public', () => createPublicKey(text))
}

function ed25519(path: string, kind: 'private' | 'public', read: () => KeyObject): KeyObject {
  let key: KeyObject
  try {
    key = read()
  } catch (error) {
    throw noKey(path, kind, (error as Error).message)
  }
  if (key.asymmetricKeyType !== 'ed25519') throw noKey(path, kind, `a key of ${key.asymmetricKeyType}`)
  return key
}

function noKey(path: string, kind: 'private' | 'public', found: string): Problem {
  return new Problem(
    `${path}: found ${found}, expected a ${kind} Ed25519 key in PEM; cloister sign --new-key or openssl genpkey -algorithm ed25519 makes a key`,
  )
}

/**
 * Creates a pair of Ed25519 key files in PEM: the private key in `path`, readable only by the owner, and the public key
 * in `path.pub`. @throws FileExistsError, or the error of the operating system
 */
export function makeKeyFiles(path: string): void {
  const { privateKey: own, publicKey: open } = generateKeyPairSync('ed25519')
  write(path, own.export({ type: 'pkcs8', format: 'pem' }).toString(), 0o600)
  write(`${path}.pub`, open.export({ type: 'spki', format: 'pem' }).toString(), 0o644)
}

function write(path: string, text: string, mode: number): void {
  let file: number
  try {
    file = openSync(path, 'wx', mode)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new FileExistsError({ path, remedy: 'without --new-key the command signs with this key' })
  }
  withPath(path, () => {
    try {
      writeSync(file, text)
    } finally {
      closeSync(file)
    }
  })
}
