import type { Dispatcher } from '../dispatcher.ts'
import type { Simulation } from '../simulation.ts'
import { Conservative } from './conservative.ts'
import type { Discipline } from './discipline.ts'
import { Easy } from './easy.ts'
import { MovableConservative } from './movable-conservative.ts'
import { FirstComeFirstServed } from './first-come-first-served.ts'

export function disciplineOf<Index>(dispatcher: Dispatcher<Index>, { queue, placer }: Simulation<Index>): Discipline {
  switch (queue.backfill) {
    case 'none':
      return new FirstComeFirstServed(dispatcher)
    case 'easy':
      return new Easy(dispatcher, placer.claims, queue)
    case 'conservative':
      return queue.reservation === 'movable'
        ? new MovableConservative(dispatcher, placer.claims, queue.window)
        : new Conservative(dispatcher, queue.window)
  }
}
