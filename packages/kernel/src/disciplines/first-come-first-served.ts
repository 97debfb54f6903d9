import type { Dispatcher } from '../dispatcher.ts'
import type { Discipline } from './discipline.ts'

/** First come, first served: jobs start in queue order, and no job passes the head. */
export class FirstComeFirstServed<Index> implements Discipline {
  readonly wakeTime: number = Infinity
  readonly wakeCause: number = 0
  readonly #dispatcher: Dispatcher<Index>

  constructor(dispatcher: Dispatcher<Index>) {
    this.#dispatcher = dispatcher
  }

  pass(): void {
    this.#dispatcher.startFromHead()
  }
  onStart(): void {
    /* Nothing is planned ahead. */
  }
  onRelease(): void {
    /* Nothing is planned ahead. */
  }
  onOverrun(): void {
    /* Nothing is planned ahead. */
  }
  onCancel(): void {
    /* Nothing is planned ahead. */
  }
  onOutage(): void {
    /* Nothing is planned ahead. */
  }
}
