import { type LoggedQueue, loggedQueue, queueOrder, WaitingJobs } from '@cloister/kernel'
import type { RecordedInputs } from './recorded-inputs.ts'

/** Place of a waiting job: first in the queue, in the window that a pass tries, or outside of the window. */
export type QueuePlace = 'head' | 'window' | 'outside'

/** Waiting jobs of a log in queue order, with the place of one job (the explained job). */
export class RecordedQueue {
  ahead = 0
  place: QueuePlace = 'outside'
  readonly #queue: LoggedQueue
  readonly #ids: ReadonlyArray<string>
  readonly #numbers = new Map<string, number>()
  readonly #waiting: WaitingJobs
  readonly #job: number
  /** Jobs that the present pass started from places before the explained job. */
  readonly #startedAhead: Array<number> = []

  constructor({ header, jobs }: RecordedInputs, job: string) {
    this.#queue = loggedQueue(header.options)
    this.#ids = jobs.map(({ id }) => id)
    this.#ids.forEach((id, number) => this.#numbers.set(id, number))
    this.#waiting = new WaitingJobs(queueOrder(jobs, this.#queue.order, 'requested'))
    this.#job = this.#numbers.get(job)!
  }

  get isWaiting(): boolean {
    return this.#waiting.has(this.#job)
  }
  get head(): string | undefined {
    const { head } = this.#waiting
    return head === undefined ? undefined : this.#ids[head]
  }

  isAhead(other: string): boolean {
    return this.#waiting.isBefore(this.#numbers.get(other)!, this.#job)
  }

  add(other: string): void {
    this.#waiting.add(this.#numbers.get(other)!)
    if (this.isAhead(other)) this.ahead++
  }

  remove(other: string): void {
    const number = this.#numbers.get(other)!
    if (!this.#waiting.has(number)) return
    this.#waiting.remove(number)
    if (this.isAhead(other)) this.ahead--
  }

  start(other: string): void {
    this.remove(other)
    if (this.isAhead(other)) this.#startedAhead.push(this.#numbers.get(other)!)
  }

  endPass(): void {
    this.place = this.ahead === 0 ? 'head' : this.#standsInWindow() ? 'window' : 'outside'
    this.#startedAhead.length = 0
  }

  #standsInWindow(): boolean {
    const queue = this.#queue
    switch (queue.backfill) {
      case 'none':
        return false
      case 'external':
        return true
      case 'conservative':
        return this.ahead < queue.window
      // Under EASY, the window includes the jobs that this pass has started from behind the head.
      case 'easy':
        return (
          this.ahead +
            this.#startedAhead.filter((other) => this.#waiting.isBefore(this.#waiting.head!, other)).length <=
          queue.window
        )
    }
  }
}
