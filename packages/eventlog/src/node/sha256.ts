import { createHash } from 'node:crypto'
import type { HashFunction } from '../log/hash.ts'

/** SHA-256 by Node. */
export const sha256: HashFunction = () => createHash('sha256')
