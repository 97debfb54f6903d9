import { createHash } from 'node:crypto'
import type { HashFunction } from '../log/hash.ts'

/** SHA-256 of `node:crypto`, as the hash function for readers and writers of logs. */
export const sha256: HashFunction = () => createHash('sha256')
