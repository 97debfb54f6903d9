import type { RefusalReason } from '@cloister/kernel'
import type { RecordedInputs } from './recorded-inputs.ts'
import type { QueuePlace, RecordedQueue } from './recorded-queue.ts'
import type { Wait } from './explanation.ts'

/** Why a job was refused, as far as that is known. */
export interface KnownReasons {
  readonly inputs: RecordedInputs
  /** Each where it is another than the one before, in the pass of its time and cause. */
  readonly refusals: ReadonlyArray<RefusalReason>
  /** From this record on nothing is known. */
  readonly compared: number
}

/** The passes that left a job waiting, those after one another that did so for the same reason taken together. */
export class WaitHistory {
  readonly passes: Record<QueuePlace, number> = { head: 0, window: 0, outside: 0 }
  readonly waits: ReadonlyArray<Wait>
  readonly #waits: Array<Wait & { to: number; passes: number }> = []
  readonly #reasons: KnownReasons
  /** How many reasons have been used. */
  #used = 0
  /** The last one used: it holds until another comes. */
  #reason: Wait['reason'] = null
  #isOpen = false

  constructor(reasons: KnownReasons) {
    this.#reasons = reasons
    this.waits = this.#waits
  }

  /** Passes before `t` that left nothing in the log but that the job was refused in them. */
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

  /** The job has left the queue. */
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
