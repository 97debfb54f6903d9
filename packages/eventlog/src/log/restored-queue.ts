import type { Submit } from '../records/types.ts'
import { QueueMap } from './queue-map.ts'

/** Waiting jobs at a snapshot, looked up in an index without a copy of the queue. */
export interface QueueBefore {
  readonly size: number
  readonly get: (job: string) => Submit | undefined
  /** Returns the waiting jobs in the order of joining the queue. */
  readonly values: () => Iterable<Submit>
}

/**
 * Queue of a `LogState` that begins at a snapshot: holds only the changes since the snapshot. A hundred thousand jobs
 * may wait, and a copy of the queue would take nearly all of the time of making a state.
 */
export class RestoredQueue extends QueueMap {
  readonly #before: QueueBefore
  /** Ids of the jobs that waited at the snapshot and have left the queue since. */
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

  /** Adds a job at the end of the queue. A job that waits already keeps its place in the queue. */
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
