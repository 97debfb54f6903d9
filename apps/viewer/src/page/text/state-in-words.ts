import type { Moment } from '../../run/questions.ts'
import { count } from './times.ts'

/** `1 job runs, 5 wait, 12 nodes are free, 2 down`. */
export function stateInWords({
  running,
  waiting,
  free,
  down,
}: Pick<Moment, 'running' | 'waiting' | 'free' | 'down'>): string {
  const run = running.length === 1 ? '1 job runs' : `${count(running.length)} jobs run`
  return `${run}, ${count(waiting)} wait, ${freeInWords(free)}${down === 0 ? '' : `, ${count(down)} down`}`
}

export function freeInWords(nodes: number): string {
  return nodes === 1 ? '1 node is free' : `${count(nodes)} nodes are free`
}

export function nodesInWords(nodes: number): string {
  return nodes === 1 ? '1 node' : `${count(nodes)} nodes`
}
