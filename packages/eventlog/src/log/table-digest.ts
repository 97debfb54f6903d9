import type { HashFunction } from './hash-function.ts'

/** Fields of a route record that change the forwarding tables. */
interface TableChange {
  readonly job?: string | undefined
  readonly entries?: ReadonlyArray<string> | undefined
  readonly undo?: number | undefined
}

/** Number of 32-bit integers in a SHA-256. */
const WORDS = 8
const utf8 = new TextEncoder()

/**
 * Digest of the forwarding tables, in the form that a seal digests (SPEC.md, "Seals"): the sum of the digests of all
 * route records that no record has undone. A sum costs the same for each record, at any size of the tables.
 */
export class TableDigest {
  /** Sums modulo 2^32. */
  readonly words: Uint32Array = new Uint32Array(WORDS)
  readonly #hash: HashFunction
  readonly #ofJobs: Map<string, Array<Uint32Array>> = new Map()

  constructor(hash: HashFunction) {
    this.#hash = hash
  }

  /** Applies the route record `seq`. */
  follow(seq: number, { job, entries, undo }: TableChange): void {
    if (undo !== undefined) return this.#undo(job)
    if (entries === undefined) return
    const digest = this.#digestOf(`${seq} ${entries.join()}`)
    for (let i = 0; i < WORDS; i++) this.words[i] += digest[i]
    if (job === undefined) return
    const ofJob = this.#ofJobs.get(job)
    if (ofJob === undefined) this.#ofJobs.set(job, [digest])
    else ofJob.push(digest)
  }

  /** Takes back all route records of a job. Records without a job stay. */
  #undo(job: string | undefined): void {
    const undone = job === undefined ? undefined : this.#ofJobs.get(job)
    for (const digest of undone ?? []) for (let i = 0; i < WORDS; i++) this.words[i] -= digest[i]
    if (undone !== undefined) this.#ofJobs.delete(job!)
  }

  #digestOf(text: string): Uint32Array {
    const computation = this.#hash()
    computation.update(utf8.encode(text))
    const bytes = computation.digest()
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const digest = new Uint32Array(WORDS)
    for (let i = 0; i < WORDS; i++) digest[i] = view.getUint32(4 * i, true)
    return digest
  }
}
