import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { SpecError } from './spec-error.ts'
import type { Job } from './workload.ts'

/** Labels that can identify the owner of a job. The queue is no such label: queues belong to the machine. */
export type PersonalLabels = Pick<Job, 'user' | 'account' | 'name'>

/** Least number of characters of a salt: trying all texts finds a shorter salt. */
const SALT_LENGTH = 8
/** Hexadecimal digits of a digest, 48 bits: among a million names, two equal digests are unlikely. */
const DIGITS = 12

/**
 * Replaces the names of users, accounts and jobs by digests (HMAC-SHA256 with a salt as key). Equal names get equal
 * digests wherever the salt is the same. Nobody without the salt can try out names. A user and an account with equal
 * names get different digests.
 */
export class Anonymiser {
  readonly #key: Uint8Array
  readonly #known = new Map<string, string>()

  /** @throws SpecError if the salt has fewer than 8 characters; the message hides the salt */
  constructor(salt: string) {
    if (salt.length < SALT_LENGTH)
      throw new SpecError('salt', '*'.repeat(salt.length), `at least ${SALT_LENGTH} characters that nobody can guess`)
    this.#key = utf8ToBytes(salt)
  }

  /** Returns the labels with each personal label replaced, such as `user-5c0d1b…`. Adds no label. */
  labels<Labels extends PersonalLabels>(labels: Labels): Labels {
    const { user, account, name } = labels
    return {
      ...labels,
      ...(user !== undefined && { user: this.#text('user', user) }),
      ...(account !== undefined && { account: this.#text('account', account) }),
      ...(name !== undefined && { name: this.#text('job', name) }),
    }
  }

  /** Returns a number from 0 to 2^39 - 1 instead of a name, for formats with numbers. */
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
      // The names of jobs may all be different: a map of them would grow with the log.
      if (field !== 'job') this.#known.set(asked, digest)
    }
    return digest
  }
}

/** Returns true if a filter compares users or groups: the choice of jobs then reveals a person. */
export function tellsPeople(filter: string): boolean {
  return /\b(?:user|group)\s*(?:=|!=|<|>)/.test(filter)
}
