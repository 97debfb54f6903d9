import type { Allocation } from '@cloister/placement'
import { Conservative } from './conservative.ts'
import type { Dispatcher } from './dispatcher.ts'
import { Easy } from './easy.ts'
import type { QueueDiscipline } from './simulation.ts'

/** Who starts when. Told what happens to the machine between its passes. */
export interface Discipline {
  /** A pass is due at this time even if nothing happens; Infinity for none. */
  readonly wakeTime: number
  /** Seq of the record that asks for it. */
  readonly wakeCause: number
  /** One scheduling pass. */
  pass(): void
  /** A job was given this. */
  started(allocation: Allocation): void
  /** A job has ended or was killed. */
  released(allocation: Allocation): void
  /** A running job is now expected to end later. */
  overran(allocation: Allocation, changed: Allocation): void
  /** A waiting job left the queue for good. */
  cancelled(): void
  /** Parts broke or were mended. */
  changed(change: 'down' | 'up'): void
}

export function disciplineOf<Index>(dispatcher: Dispatcher<Index>, queue: QueueDiscipline): Discipline {
  switch (queue.backfill) {
    case 'none':
      return new FirstComeFirstServed(dispatcher)
    case 'easy':
      return new Easy(dispatcher, queue.window, queue.kill ?? false)
    case 'conservative':
      return new Conservative(dispatcher, queue.window)
  }
}

/** In the order of the queue; nobody passes the head. */
class FirstComeFirstServed<Index> implements Discipline {
  readonly wakeTime = Infinity
  readonly wakeCause = 0
  readonly #dispatcher: Dispatcher<Index>

  constructor(dispatcher: Dispatcher<Index>) {
    this.#dispatcher = dispatcher
  }

  pass(): void {
    this.#dispatcher.startFromHead()
  }
  started(): void {
    /* Nothing is planned ahead. */
  }
  released(): void {
    /* Nothing is planned ahead. */
  }
  overran(): void {
    /* Nothing is planned ahead. */
  }
  cancelled(): void {
    /* Nothing is planned ahead. */
  }
  changed(): void {
    /* Nothing is planned ahead. */
  }
}
