import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'
import { FileExistsError, KeyFileError } from '../errors/errors.ts'
import { withPath } from '@cloister/run/node'

/** Parses the text of a private Ed25519 key file in PEM. @throws KeyFileError */
export function privateKey(path: string, text: string): KeyObject {
  return ed25519(path, 'private', () => createPrivateKey(text))
}

/**
 * Parses the text of a public Ed25519 key file in PEM. The file of a private key is accepted, because it contains the
 * public key. @throws KeyFileError
 */
export function publicKey(path: string, text: string): KeyObject {
  return ed25519(path, 'public', () => createPublicKey(text))
}

function ed25519(path: string, kind: 'private' | 'public', read: () => KeyObject): KeyObject {
  let key: KeyObject
  try {
    key = read()
  } catch (error) {
    throw new KeyFileError({ path, kind, found: (error as Error).message })
  }
  if (key.asymmetricKeyType !== 'ed25519')
    throw new KeyFileError({ path, kind, found: `a key of ${key.asymmetricKeyType}` })
  return key
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
