import type { Submit } from '../records/types.ts'
import { QueueMap } from './queue-map.ts'

/** The queue as it was at a snapshot, looked up where it is kept. */
export interface QueueBefore {
  readonly size: number
  readonly get: (job: string) => Submit | undefined
  /** In the order of the queue. */
  readonly values: () => Iterable<Submit>
}

/**
 * The queue of a state that begins at a snapshot: only what changed since is held here. A hundred thousand jobs may wait, and
 * to copy them took nearly all of the time that a state took.
 */
export class RestoredQueue extends QueueMap {
  readonly #before: QueueBefore
  /** Of those that waited before, who has left. */
  readonly #left = new Set<string>()

  constructor(before: QueueBefore) {
    super()
    this.#before = before
  }

  override get size(): number {
    return this.#before.size - this.#left.size + super.size
  }

  override get(job: string): Submit | undefined {
    return super.get(job) ?? this.#getBefore(job)
  }

  override has(job: string): boolean {
    return this.get(job) !== undefined
  }

  /** As in any map, who is there keeps the place. */
  override set(job: string, submit: Submit): this {
    return this.#getBefore(job) === undefined ? super.set(job, submit) : this
  }

  override delete(job: string): boolean {
    if (super.delete(job)) return true
    if (this.#getBefore(job) === undefined) return false
    this.#left.add(job)
    return true
  }

  override clear(): void {
    for (const { job } of this.#before.values()) this.#left.add(job)
    super.clear()
  }

  override *values(): MapIterator<Submit> {
    for (const submit of this.#before.values()) if (!this.#left.has(submit.job)) yield submit
    yield* super.values()
  }

  #getBefore(job: string): Submit | undefined {
    return this.#left.has(job) ? undefined : this.#before.get(job)
  }
}
