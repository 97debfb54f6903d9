import type { Submit } from '../records/types.ts'

/** Map of the waiting jobs by id. A subclass defines `values`: the jobs in the order of joining the queue. */
export abstract class QueueMap extends Map<string, Submit> {
  override *keys(): MapIterator<string> {
    for (const { job } of this.values()) yield job
  }

  override *entries(): MapIterator<[string, Submit]> {
    for (const submit of this.values()) yield [submit.job, submit]
  }

  override [Symbol.iterator](): MapIterator<[string, Submit]> {
    return this.entries()
  }

  override forEach(call: (submit: Submit, job: string, queue: Map<string, Submit>) => void, self?: unknown): void {
    for (const submit of this.values()) call.call(self, submit, submit.job, this)
  }
}
