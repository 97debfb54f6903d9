import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { isGone, type Owner, ownProcess } from './owner.ts'
import { create, type FileCalls, names, read, remove, removeEmpty, type Steps, tryRemove } from './steps.ts'

/**
 * Time since the start of the last renewal after which the holder of a lease acts no more, as a share of the lease's
 * duration.
 */
const LATE = 2 / 3
/** Number of files that the holder keeps below its newest file. A slow listing of the folder finds at least one. */
const KEPT = 4
/** Most attempts to take a free lease while other processes are quicker. */
const ATTEMPTS = 3
const NAME = /^[1-9]\d{0,14}$/

/** Place and duration of a lease. */
export interface LeaseOptions {
  /** Folder of the lease's files, on a file system that all processes share. The first holder makes the folder. */
  readonly folder: string
  /** Duration in seconds after which a lease without renewals ends. Infinity: the lease ends with its process. */
  readonly seconds: number
  /** Monotonic clock of this process, in seconds. */
  readonly clock: () => number
  readonly calls: FileCalls
  /** Returns further fields for the files of the lease, by the fields of the newest file at the taking of the lease. */
  readonly fields?: (newest: Fields | undefined) => Fields
  /** Default: this process. */
  readonly owner?: Owner
  /** Returns true if a process has surely ended. Default: `isGone`. */
  readonly isGone?: (owner: Owner) => boolean
}

/** Fields of a file of a lease. Besides the holder's process there may be fields of `LeaseOptions.fields`. */
export type Fields = Readonly<Record<string, unknown>>

/** Answer to an attempt to take a lease. */
export interface Taking {
  readonly isTaken: boolean
  /** Process that holds the lease instead; undefined if the newest file of the lease cannot be parsed. */
  readonly by?: Owner | undefined
}

/** Files of a lease by their numbers, in ascending order. */
type Chain = Map<number, string>

/**
 * Lease of one holder at a time: a chain of numbered files. Each file names a holder and never changes, and the file
 * system lets only one process make the next file. The holder renews the lease by making the next file. A second
 * process takes the lease by making the next file, after all files stayed the same for the duration of the lease by the
 * monotonic clock of this process. The holder acts only for two thirds of the duration after the start of a renewal.
 *
 * A lease of infinite duration is a lock: another process takes the lock only after the end of the holder's process.
 */
export class FileLease {
  readonly #options: LeaseOptions
  readonly #id = randomUUID()
  /** Text of this holder's files. */
  #text = ''
  readonly #draft: string
  /** Files when the lease was last taken or renewed; undefined unless the lease is held. */
  #held: Chain | undefined
  /** Start of the last renewal, in seconds of the monotonic clock. */
  #at = 0
  /** Attempt that failed with an error. The disk may have made the file, and other processes may have seen the file. */
  #begun: { readonly chain: Chain; readonly at: number } | undefined
  /** Files of the lease, and the time at which they were first seen. */
  #seen: { readonly key: string; readonly since: number } | undefined

  constructor(options: LeaseOptions) {
    this.#options = options
    this.#draft = join(options.folder, `.${this.#id}`)
  }

  /** Returns true while the lease is surely held. Ask before each act that needs the lease. */
  get isHeld(): boolean {
    return this.#held !== undefined && this.age < this.#options.seconds * LATE
  }

  /** Returns true from the moment at which the lease was found to be lost, or was given back. */
  get isLost(): boolean {
    return this.#held === undefined
  }

  /** Time since the start of the last renewal, in seconds. */
  get age(): number {
    return this.#options.clock() - this.#at
  }

  /** Time in seconds until the lease is late, which means held no more unless it is renewed; at least 0. */
  get left(): number {
    return Math.max(0, this.#options.seconds * LATE - this.age)
  }

  /**
   * Takes the lease if it is free.
   *
   * @param isGivenUp returns true if the fields of the newest file tell that its holder has given the lease up
   * @throws the error of the operating system; the next attempt continues
   */
  *take(isGivenUp: (newest: Fields) => boolean = () => false): Steps<Taking> {
    const begun = this.#begun
    if (begun !== undefined && (yield* this.#advance(begun.chain, begun.at))) return { isTaken: true }
    for (let attempt = 1; ; attempt++) {
      const at = this.#options.clock()
      const chain = yield* this.#look()
      const text = [...chain.values()].at(-1)
      const newest = parse(text)
      const isFree = this.#isFree(chain) || (newest !== undefined && isGivenUp(newest))
      if (attempt > ATTEMPTS || !isFree) return { isTaken: false, by: ownerIn(text) }
      const { owner = ownProcess(), fields } = this.#options
      this.#text = JSON.stringify({ id: this.#id, ...owner, ...fields?.(newest) })
      if (yield* this.#advance(chain, at)) return { isTaken: true }
    }
  }

  /**
   * Renews the lease; returns false if the lease is lost. A lock needs no renewal.
   *
   * @throws the error of the operating system; try again
   */
  *renew(): Steps<boolean> {
    const held = this.#held
    if (held === undefined) return false
    if (!(yield* this.#advance(held, this.#begun?.at ?? this.#options.clock()))) {
      this.#held = undefined
      return false
    }
    for (const number of [...this.#held!.keys()].slice(0, -1 - KEPT))
      yield* tryRemove(this.#options.calls, this.#path(number))
    return true
  }

  /**
   * Gives the lease back: another process can take the lease at once. A lock leaves no file. Numbers of a lease
   * with a duration are never used again, because a holder may be stopped at any moment and go on later; so this lease
   * leaves a file that says the lease has ended.
   *
   * @throws the error of the operating system; try again
   */
  *release(): Steps<void> {
    const { seconds, calls, folder } = this.#options
    const chain = yield* this.#look()
    const held = this.#held
    this.#held = undefined
    yield* tryRemove(calls, this.#draft)
    if (seconds === Infinity) {
      for (const [number, text] of chain)
        if (text === this.#text || text === held?.get(number)) yield* remove(calls, this.#path(number))
      yield* removeEmpty(calls, folder)
      return
    }
    const [last = 0, text] = [...chain].at(-1) ?? []
    if (text !== this.#text) return
    yield* create(calls, this.#file(last + 1), JSON.stringify({ ...JSON.parse(text), ended: true }))
    for (const number of chain.keys()) yield* tryRemove(calls, this.#path(number))
  }

  /** Returns the fields of the newest file of the lease; undefined if no file exists, or if it cannot be parsed. */
  *newest(): Steps<Fields | undefined> {
    return parse([...(yield* this.#look()).values()].at(-1))
  }

  /** Returns a text that changes with each renewal and each change of the holder. */
  *state(): Steps<string> {
    return keyOf(yield* this.#look())
  }

  /** Returns true if the folder has files of other programs. @throws an error with the code ENOTDIR for a file */
  *isForeign(): Steps<boolean> {
    const { calls, folder } = this.#options
    return (yield* names(calls, folder)).some((name) => !NAME.test(name) && !name.startsWith('.'))
  }

  /** Returns true unless all holders of the lease have surely ended, or gave the lease back. */
  *mayBeHeld(): Steps<boolean> {
    const chain = yield* this.#look()
    return [...chain.values()].some((text) => !this.#isOver(text))
  }

  /** Makes the file after the files of `chain`. Returns false if another process has made this file or a later one. */
  *#advance(chain: Chain, at: number): Steps<boolean> {
    const { calls } = this.#options
    const last = [...chain.keys()].at(-1) ?? 0
    this.#begun = { chain, at }
    const file = this.#file(last + 1)
    if (!(yield* create(calls, file, this.#text)) && (yield* read(calls, file.path)) !== this.#text) {
      this.#begun = undefined
      return false
    }
    const now = yield* this.#look()
    // A process that was stopped before it made the file may be too late.
    const isNewest = [...now.keys()].at(-1) === last + 1 && (last === 0 || now.get(last) === chain.get(last))
    if (isNewest) {
      this.#held = now
      this.#at = at
    } else if (this.#options.seconds === Infinity) yield* this.release()
    // After an error in `release`, the next attempt removes the file that came too late.
    this.#begun = undefined
    return isNewest
  }

  /** Returns true if no process holds the lease: its holder has ended, or all files stayed the same for its duration. */
  #isFree(chain: Chain): boolean {
    const key = keyOf(chain)
    const now = this.#options.clock()
    if (this.#seen?.key !== key) this.#seen = { key, since: now }
    const { seconds } = this.#options
    // The numbers of a lock are used again, so the newest file of a lock may be of a process that came too late.
    const holders = [...chain.values()].slice(seconds === Infinity ? 0 : -1)
    // A file of this process that came too late holds nothing.
    const isOwn = (text: string): boolean => this.#held === undefined && parse(text)?.['id'] === this.#id
    return now - this.#seen.since > seconds || holders.every((text) => isOwn(text) || this.#isOver(text))
  }

  #isOver(text: string): boolean {
    const owner = ownerIn(text)
    const { isGone: isOver = isGone } = this.#options
    return owner !== undefined && (parse(text)?.['ended'] === true || isOver(owner))
  }

  *#look(): Steps<Chain> {
    const { calls, folder } = this.#options
    const numbers = (yield* names(calls, folder)).filter((name) => NAME.test(name)).map(Number)
    const chain: Chain = new Map()
    for (const number of numbers.sort((a, b) => a - b)) {
      const text = yield* read(calls, this.#path(number))
      if (text !== undefined) chain.set(number, text)
    }
    return chain
  }

  #file(number: number) {
    return { folder: this.#options.folder, path: this.#path(number), draft: this.#draft }
  }

  #path(number: number): string {
    return join(this.#options.folder, String(number))
  }
}

function keyOf(chain: Chain): string {
  return JSON.stringify([...chain])
}

function ownerIn(text: string | undefined): Owner | undefined {
  const { host, pid, space, started } = parse(text) ?? {}
  if (typeof host !== 'string' || !Number.isSafeInteger(pid) || (pid as number) < 1) return undefined
  return {
    host,
    pid: pid as number,
    ...(typeof space === 'string' && { space }),
    ...(typeof started === 'string' && { started }),
  }
}

function parse(text: string | undefined): Fields | undefined {
  try {
    const value: unknown = text === undefined ? undefined : JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Fields) : undefined
  } catch {
    return undefined
  }
}
