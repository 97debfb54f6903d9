import type { Placement } from '@cloister/placement'
import type { Scheduler } from '../scheduler.ts'
import type { SchedulerSetup } from '../setup.ts'
import { Conservative } from './conservative.ts'
import type { Discipline } from './discipline.ts'
import { Easy } from './easy.ts'
import { MovableConservative } from './movable-conservative.ts'

export function disciplineOf<Index>(scheduler: Scheduler<Index>, { queue, placer }: SchedulerSetup<Index>): Discipline {
  switch (queue.backfill) {
    case 'none':
      return new FirstComeFirstServed(scheduler)
    case 'easy':
      return new Easy(scheduler, placer.claims, queue)
    case 'conservative':
      return queue.reservation === 'movable'
        ? new MovableConservative(scheduler, placer.claims, queue.window)
        : new Conservative(scheduler, queue.window)
  }
}

/** First come, first served: jobs start in queue order, and no job passes the head. Nothing is planned ahead. */
class FirstComeFirstServed<Index> implements Discipline {
  readonly wakeTime: number = Infinity
  readonly wakeCause: number = 0
  readonly #scheduler: Scheduler<Index>

  constructor(scheduler: Scheduler<Index>) {
    this.#scheduler = scheduler
  }

  pass(): void {
    this.#scheduler.startFromHead()
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
