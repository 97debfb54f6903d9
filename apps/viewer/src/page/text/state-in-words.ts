import type { Moment } from '../../run/questions.ts'
import { freeInWords } from '../../run/nodes-in-words.ts'
import { count } from './times.ts'

/** Describes the state at a moment in words: `1 job runs, 5 wait, 12 nodes are free, 2 down`. */
export function stateInWords({
  running,
  waiting,
  free,
  down,
}: Pick<Moment, 'running' | 'waiting' | 'free' | 'down'>): string {
  const run = running.length === 1 ? '1 job runs' : `${count(running.length)} jobs run`
  return `${run}, ${count(waiting)} wait, ${freeInWords(free)}${down === 0 ? '' : `, ${count(down)} down`}`
}
