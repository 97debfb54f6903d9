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
    /* First come, first served plans nothing ahead. */
  }
  onRelease(): void {
    /* First come, first served plans nothing ahead. */
  }
  onOverrun(): void {
    /* First come, first served plans nothing ahead. */
  }
  onCancel(): void {
    /* First come, first served plans nothing ahead. */
  }
  onOutage(): void {
    /* First come, first served plans nothing ahead. */
  }
}
