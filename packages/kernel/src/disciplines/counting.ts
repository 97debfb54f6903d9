import type { Placement } from '@cloister/placement'
import { OVERRUN_GRACE_MS } from '../running-jobs.ts'
import type { Scheduler } from '../scheduler.ts'
import type { CountingBackfill } from '../scheduling-rules.ts'
import type { Discipline } from './discipline.ts'

/** Shadow time of the head, in ms, and the number of nodes that are free then beside the head. */
interface Shadow {
  readonly time: number
  readonly spare: number
}

/**
 * EASY backfilling that reserves a number of nodes instead of certain nodes. The shadow time of the head is the first
 * time at which, by estimates, enough nodes are free anywhere; the present, if the policy finds no placement on enough
 * free nodes. A job of the window starts if the job ends by the shadow time, or leaves the head enough nodes then.
 */
export class Counting<Index> implements Discipline {
  readonly wakeTime: number = Infinity
  readonly wakeCause: number = 0
  readonly #scheduler: Scheduler<Index>
  readonly #window: number
  readonly #passing: CountingBackfill['passing']

  constructor(scheduler: Scheduler<Index>, { window, passing }: CountingBackfill) {
    this.#scheduler = scheduler
    this.#window = window
    this.#passing = passing
  }

  pass(): void {
    const head = this.#scheduler.startFromHead()
    if (head === undefined) return
    const { waiting, questions, requests, state, now } = this.#scheduler
    let { time, spare } = this.#shadowOf(head)
    let job = waiting.after(head)
    for (let tried = 0; job !== undefined && tried < this.#window; tried++) {
      const isNoneLeft = state.freeNodes === 0 || (this.#passing !== undefined && time === now)
      if (isNoneLeft && !questions.areReasonsWantedOf(job)) return
      const found = this.#placementOf(job, { time, spare })
      if (found !== undefined) {
        this.#scheduler.start(job, found.placement, undefined)
        if (!found.endsBefore) spare -= requests.sizeOf(job)
      } else if (this.#passing === 'in-order') return
      job = waiting.after(job)
    }
  }

  placementNow(job: number): Placement | undefined {
    const { waiting, questions } = this.#scheduler
    const { head } = waiting
    if (head === undefined || job === head) return questions.placeNow(job)
    if (this.#passing === 'in-order' && waiting.after(head) !== job) return undefined
    return this.#placementOf(job, this.#shadowOf(head))?.placement
  }

  #shadowOf(head: number): Shadow {
    const { state, requests, now } = this.#scheduler
    const size = requests.sizeOf(head)
    let time = now
    let free = state.freeNodes
    for (const { estimatedEnd, nodes } of state.running) {
      const end = Math.max(estimatedEnd, now + OVERRUN_GRACE_MS)
      if (free >= size && end > time) break
      time = end
      free += nodes.length
    }
    return { time, spare: free - size }
  }

  /** Returns a job's placement if the job may start before the head. No job ends before a shadow time of now. */
  #placementOf(
    job: number,
    { time, spare }: Shadow,
  ): { readonly placement: Placement; readonly endsBefore: boolean } | undefined {
    const { questions, requests, now, state } = this.#scheduler
    const isSpare = this.#passing === undefined && requests.sizeOf(job) <= spare
    const mayEndBefore = (estimate: number): boolean =>
      now + estimate <= time && (this.#passing === undefined || time > now)
    const varies = requests.estimatesVary
    if (!isSpare && !varies && !mayEndBefore(requests.estimateOf(job))) return undefined
    if (questions.cannotStart(job, questions.mostNodesNow())) return undefined
    const placement = questions.placeNow(job)
    if (placement === undefined) return undefined
    const endsBefore = mayEndBefore(varies ? requests.estimateOn(job, state, placement) : requests.estimateOf(job))
    return endsBefore || isSpare ? { placement, endsBefore } : undefined
  }

  endPass(): void {}
  adopt(): void {}
  drop(): void {}
  onStart(): void {}
  onRelease(): void {}
  onOverrun(): void {}
  onCancel(): void {}
  onOutage(): void {}
}
