import type { RefusalReason } from '@cloister/kernel'
import { parseIdset } from '@cloister/topology'
import type { Explanation, Wait } from './explanation.ts'
import type { RecordedInputs } from './recorded-inputs.ts'
import type { QueuePlace, RecordedQueue, StateRecord } from './recorded-passes.ts'

/** Times that other jobs were the head of the queue. */
export class HeadTimes {
  readonly #ms = new Map<string, number>()
  #since = 0
  #head: string | undefined

  /** @param head head of the queue after the pass; undefined if the explained job is not behind a head */
  endPass(t: number, head: string | undefined): void {
    if (this.#head !== undefined) this.#ms.set(this.#head, (this.#ms.get(this.#head) ?? 0) + t - this.#since)
    this.#since = t
    this.#head = head
  }

  longestFirst(): Explanation['heads'] {
    return [...this.#ms]
      .filter(([, ms]) => ms > 0)
      .sort(([, a], [, b]) => b - a)
      .map(([job, ms]) => ({ job, seconds: ms / 1000 }))
  }
}

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
  readonly passes: Record<Exclude<QueuePlace, 'early'>, number> & { early?: number } = {
    head: 0,
    window: 0,
    outside: 0,
  }
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

  /**
   * @param last seq of the pass's last record
   * @param byFreeNodes reason by the number of free nodes, in the log of a real machine
   */
  endPass(t: number, last: number, queue: RecordedQueue, byFreeNodes: Wait['reason'] = null): void {
    for (let next = this.#next; next !== undefined && next.t === t && next.cause <= last; next = this.#next)
      this.#use(next)
    if (!queue.isWaiting) return
    const { place } = queue
    this.passes[place] = (this.passes[place] ?? 0) + 1
    this.#wait(
      t,
      place,
      place === 'outside' || place === 'early' || last >= this.#reasons.compared ? byFreeNodes : this.#reason,
    )
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

const tooFewNodes: Wait['reason'] = { code: 'too-few-nodes', constraint: 'free nodes', nearest: null }
const enoughNodes: Wait['reason'] = {
  code: 'scheduler',
  constraint: "enough nodes were free; the log has no reason of the machine's scheduler",
  nearest: null,
}

/** Number of nodes that are neither allocated nor down. */
export class FreeNodes {
  /** Number of allocations and outages of each node. */
  readonly #taken: Uint8Array
  readonly #allocated = new Map<string, Int32Array>()
  #free: number

  constructor(nodes: number) {
    this.#taken = new Uint8Array(nodes)
    this.#free = nodes
  }

  note(record: StateRecord): void {
    if (record.type === 'allocate') {
      const nodes = parseIdset(record.nodes)
      this.#allocated.set(record.job, nodes)
      this.#take(nodes)
    } else if (record.type === 'release') {
      this.#give(this.#allocated.get(record.job) ?? new Int32Array())
      this.#allocated.delete(record.job)
    } else if (record.type === 'down') this.#take(parseIdset(record.nodes))
    else if (record.type === 'up') this.#give(parseIdset(record.nodes))
  }

  reasonFor(size: number): Wait['reason'] {
    return size > this.#free ? tooFewNodes : enoughNodes
  }

  #take(nodes: Int32Array): void {
    for (const node of nodes) if (this.#taken[node]++ === 0) this.#free--
  }

  #give(nodes: Int32Array): void {
    for (const node of nodes) if (--this.#taken[node] === 0) this.#free++
  }
}
