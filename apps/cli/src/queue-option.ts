import type { QueueDiscipline } from '@cloister/kernel'
import { Problem } from './problem.ts'

export const queueSpellings = 'fcfs or easy:WINDOW, such as easy:50'

/** Reads `fcfs` or `easy:50`. @throws Problem */
export function parseQueue(text: string): QueueDiscipline {
  if (text === 'fcfs') return { order: 'submit', backfill: 'none' }
  const window = /^easy:([1-9]\d{0,8})$/.exec(text)
  if (window === null) throw new Problem(`--queue: found ${JSON.stringify(text)}, expected ${queueSpellings}`)
  return { order: 'submit', backfill: 'easy', window: Number(window[1]) }
}

export function formatQueue(queue: { readonly backfill: string; readonly window?: number }): string {
  return queue.backfill === 'easy' ? `easy:${queue.window}` : 'fcfs'
}
