import { Conservative } from './conservative.ts'
import type { Discipline } from './discipline.ts'
import type { Dispatcher } from './dispatcher.ts'
import { Easy } from './easy.ts'
import { FirstComeFirstServed } from './first-come-first-served.ts'
import type { QueueDiscipline } from './simulation.ts'

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
