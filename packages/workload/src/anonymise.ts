import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { SpecError } from './spec-error.ts'
import type { Job } from './workload.ts'

/** The labels of a job that can tell whose it is. Queues stay: they are the machine's. */
export type PersonalLabels = Pick<Job, 'user' | 'account' | 'name'>

/** Shorter ones can be found by trying. */
const SALT_LENGTH = 8
/** Hexadecimal digits: of a million names hardly two are the same. */
const DIGITS = 12

/**
 * Replaces the names of users, accounts and jobs by digests under a salt (HMAC-SHA256): the same name becomes the same digest wherever
 * the same salt is used, and nobody without the salt can try out names. A user and an account of one name become different ones.
 */
export class Anonymiser {
  readonly #key: Uint8Array
  readonly #known = new Map<string, string>()

  /** @throws SpecError for a salt that is too short */
  constructor(salt: string) {
    if (salt.length < SALT_LENGTH)
      throw new SpecError('salt', '*'.repeat(salt.length), `at least ${SALT_LENGTH} characters that nobody can guess`)
    this.#key = utf8ToBytes(salt)
  }

  /** The labels with other names, `user-5c0d1b…`; those that are not there stay so. */
  labels<Labels extends PersonalLabels>(labels: Labels): Labels {
    const { user, account, name } = labels
    return {
      ...labels,
      ...(user !== undefined && { user: this.#text('user', user) }),
      ...(account !== undefined && { account: this.#text('account', account) }),
      ...(name !== undefined && { name: this.#text('job', name) }),
    }
  }

  /** A number in place of a name, for formats that have numbers: below 2^39. */
  number(field: 'user' | 'account', name: string): number {
    return Number.parseInt(this.#digest(field, name).slice(0, 10), 16) % 2 ** 39
  }

  #text(field: string, name: string): string {
    return `${field}-${this.#digest(field, name)}`
  }

  #digest(field: string, name: string): string {
    const asked = `${field}\n${name}`
    let digest = this.#known.get(asked)
    if (digest === undefined) {
      digest = bytesToHex(hmac(sha256, this.#key, utf8ToBytes(asked))).slice(0, DIGITS)
      // Names of jobs may all be different.
      if (field !== 'job') this.#known.set(asked, digest)
    }
    return digest
  }
}

/** Whether a filter tells of a user or account, so that what it left tells too. */
export function tellsPeople(filter: string): boolean {
  return /\b(?:user|group)\s*(?:=|!=|<|>)/.test(filter)
}
