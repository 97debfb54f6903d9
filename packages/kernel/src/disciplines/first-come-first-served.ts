import type { Discipline } from './discipline.ts'
import type { Dispatcher } from './dispatcher.ts'

/** In the order of the queue; nobody passes the head. */
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
