import type { RefusalReason } from '@cloister/kernel'
import type { RecordedInputs } from './recorded-inputs.ts'
import type { QueuePlace, RecordedQueue } from './recorded-queue.ts'
import type { Wait } from './explanation.ts'

/** Known reasons for the refusals of a job. */
export interface KnownReasons {
  readonly inputs: RecordedInputs
  /** Refusals of the job, one for each change of the reason. Time and cause identify the scheduling pass. */
  readonly refusals: ReadonlyArray<RefusalReason>
  /** Seq of the first record from which on the reasons are unknown; Infinity if all reasons are known. */
  readonly compared: number
}

/** Scheduling passes that left a job waiting. Successive passes with the same place and reason form one wait. */
export class WaitHistory {
  readonly passes: Record<QueuePlace, number> = { head: 0, window: 0, outside: 0 }
  readonly waits: ReadonlyArray<Wait>
  readonly #waits: Array<Wait & { to: number; passes: number }> = []
  readonly #reasons: KnownReasons
  #used = 0
  #reason: Wait['reason'] = null
  #isOpen = false

  constructor(reasons: KnownReasons) {
    this.#reasons = reasons
    this.waits = this.#waits
  }

  /** Adds the scheduling passes before `t` that left no record except a refusal of the job. */
  replayUntil(t: number, queue: RecordedQueue): void {
    for (let next = this.#next; next !== undefined && next.t < t; next = this.#next) {
      queue.endPass()
      this.endPass(next.t, next.cause, queue)
    }
  }

  /** @param last seq of the pass's last record */
  endPass(t: number, last: number, queue: RecordedQueue): void {
    for (let next = this.#next; next !== undefined && next.t === t && next.cause <= last; next = this.#next)
      this.#use(next)
    if (!queue.isWaiting) return
    const { place } = queue
    this.passes[place]++
    this.#wait(t, place, place === 'outside' || last >= this.#reasons.compared ? null : this.#reason)
  }

  end(t: number): void {
    if (this.#isOpen) this.#waits.at(-1)!.to = t
    this.#isOpen = false
  }

  get #next(): RefusalReason | undefined {
    return this.#reasons.refusals[this.#used]
  }

  #use({ code, constraint, nearest = null }: RefusalReason): void {
    this.#reason = { code, constraint, nearest }
    this.#used++
  }

  #wait(t: number, place: QueuePlace, reason: Wait['reason']): void {
    const current = this.#isOpen ? this.#waits.at(-1) : undefined
    if (current !== undefined) current.to = t
    if (current?.place === place && current.reason === reason) current.passes++
    else this.#waits.push({ from: t, to: t, passes: 1, place, reason })
    this.#isOpen = true
  }
}
