import { parseDiscipline, type QueueDiscipline } from '@cloister/kernel'
import { OptionError } from './errors.ts'

/** Accepted forms of the option `queue`, for help and errors. */
export const queueForms =
  'fcfs, easy:WINDOW or conservative:WINDOW, such as easy:50; then ,sjf or ,smallest for the queue order, and ,kill for easy to kill backfilled jobs that delay a reservation'

/** Reads a queue discipline, such as `fcfs` or `easy:50,smallest,kill`. @throws OptionError for any other form */
export function parseQueue(text: string): QueueDiscipline {
  const queue = parseDiscipline(text)
  if (queue !== undefined) return queue
  throw new OptionError({ option: 'queue', reason: `found ${JSON.stringify(text)}, expected ${queueForms}` })
}
