import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { SpecError } from './specs.ts'
import type { Job } from './job.ts'

/** First word of the digests of each personal label. */
const personal = {
  user: 'user',
  account: 'account',
  name: 'job',
  qos: 'qos',
  advanceReservation: 'reservation',
  advance_reservation: 'reservation',
} as const
/**
 * Labels that can identify the owner of a job. Many sites name a QOS or a reservation after the group that pays. The
 * label `queue` is missing, because queues belong to the machine. The last label has the spelling of an event log.
 */
export type PersonalLabels = Pick<Job, 'user' | 'account' | 'name' | 'qos' | 'advanceReservation'> & {
  readonly advance_reservation?: string
}

/** Least number of characters of a salt. Somebody could find a shorter salt by trying all texts. */
const SALT_LENGTH = 8
/** 12 hexadecimal digits are 48 bits, so two of a million names are unlikely to have equal digests. */
const DIGITS = 12

/**
 * Replacement of the names of users, accounts, jobs, QOS and reservations by digests (HMAC-SHA256 with a salt as key). Equal names get
 * equal digests in all logs with the same salt. Without the salt, nobody can find a name by computing the digests of
 * likely names. A user and an account with equal names get different digests.
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

  /**
   * Returns labels with digests, such as `user-5c0d1b…`, instead of user, account, name, QOS and reservation; absent
   * labels stay absent.
   */
  labels<Labels extends PersonalLabels>(labels: Labels): Labels {
    const changed: { -readonly [Name in keyof PersonalLabels]: string } = {}
    for (const name of Object.keys(personal) as ReadonlyArray<keyof PersonalLabels>) {
      const label = labels[name]
      if (label !== undefined) changed[name] = `${personal[name]}-${this.#digest(personal[name], label)}`
    }
    return { ...labels, ...changed }
  }

  /** Returns a number from 0 to 2^39 - 1 instead of the name of a user or account, for formats without names. */
  number(field: 'user' | 'account', name: string): number {
    return Number.parseInt(this.#digest(field, name).slice(0, 10), 16) % 2 ** 39
  }

  #digest(field: string, name: string): string {
    const asked = `${field}\n${name}`
    let digest = this.#known.get(asked)
    if (digest === undefined) {
      digest = bytesToHex(hmac(sha256, this.#key, utf8ToBytes(asked))).slice(0, DIGITS)
      // Digests of job names are not stored, because each job may have a different name, and the map would fill the
      // memory.
      if (field !== 'job') this.#known.set(asked, digest)
    }
    return digest
  }
}

/**
 * Returns true if the text of a filter compares users or groups. The jobs that such a filter keeps can reveal a person.
 */
export function tellsPeople(filter: string): boolean {
  return /\b(?:user|group)\s*(?:=|!=|<|>)/.test(filter)
}
