import type { Placement } from '@cloister/placement'
import type { Scheduler } from '../scheduler.ts'
import type { SchedulerSetup } from '../setup.ts'
import { Conservative } from './conservative.ts'
import { Counting } from './counting.ts'
import type { Discipline } from './discipline.ts'
import { Easy } from './easy.ts'
import { MovableConservative } from './movable-conservative.ts'

export function disciplineOf<Index>(
  scheduler: Scheduler<Index>,
  { queue, order, placer }: SchedulerSetup<Index>,
): Discipline {
  switch (queue.backfill) {
    case 'none':
      return new Unreserved(scheduler, 0)
    case 'unreserved':
      return new Unreserved(scheduler, queue.window)
    case 'counting':
      return new Counting(scheduler, queue)
    case 'easy':
      return new Easy(scheduler, placer.claims, queue, order)
    case 'conservative':
      return queue.reservation === 'movable'
        ? new MovableConservative(scheduler, placer.claims, queue.window)
        : new Conservative(scheduler, queue.window)
  }
}

/**
 * Discipline without reservations: jobs start in queue order until the head does not fit, then each of the `window` jobs
 * behind the head that fits. A window of 0 is first come, first served.
 */
class Unreserved<Index> implements Discipline {
  readonly wakeTime: number = Infinity
  readonly wakeCause: number = 0
  readonly #scheduler: Scheduler<Index>
  readonly #window: number
  /** The head and the jobs of the window, in queue order. */
  readonly #first: Array<number> = []

  constructor(scheduler: Scheduler<Index>, window: number) {
    this.#scheduler = scheduler
    this.#window = window
  }

  pass(): void {
    const head = this.#scheduler.startFromHead()
    if (head === undefined || this.#window === 0) return
    const { waiting, questions } = this.#scheduler
    waiting.first(this.#window + 1, this.#first)
    for (let at = 1; at < this.#first.length; at++) {
      const placement = questions.placeNow(this.#first[at])
      if (placement !== undefined) this.#scheduler.start(this.#first[at], placement, undefined)
      else if (this.#scheduler.startByMoves(this.#first[at])) return
    }
  }
  placementNow(job: number): Placement | undefined {
    return this.#scheduler.questions.placeNow(job)
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
