import { parseTopology } from '@cloister/topology'
import type { LogHeader } from '../src/index.ts'
import { type Call, writeLog } from './sample-logs.ts'

const header: LogHeader = {
  revision: 0,
  workload: {
    name: 'two',
    filter: '',
    jobs: 2,
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  },
  policy: {
    name: 'jigsaw',
    version: '1.0.0',
    config: {},
    claims: {
      links: 'owned',
      rule: 'jigsaw-conditions',
      full_bandwidth: true,
      exact_size: true,
      monotone: true,
      complete: true,
      speedup_scenarios: true,
    },
  },
  origin: 'simulated',
  options: { arrivals: 'zero', queue: 'easy:50', reservation: 'fixed', estimates: 'exact', overrun: 'run-on' },
  seal_every: 4,
  program: 'cloister@1.0.0',
}
const calls: ReadonlyArray<Call> = [
  (to) => to.submit(0, { id: '1', size: 4, estimate: 60_000 }),
  (to) => to.submit(0, { id: '2', size: 16, estimate: 1500 }),
  (to) => to.allocate(0, '1', { nodes: [0, 1, 2, 3], links: [[0, 1, 2, 3]] }, -1, 2),
  (to) => to.reserve(0, '2', 60_000, { nodes: ids(16), links: [ids(16), ids(16)] }, 2),
  (to) => to.finish(60_000, '1', 3, false),
  (to) => to.release(60_000, '1', 6),
  (to) => to.allocate(60_000, '2', { nodes: ids(16), links: [ids(16), ids(16)] }, -1, 6),
  (to) => to.finish(61_500, '2', 9, false),
  (to) => to.release(61_500, '2', 10),
  (to) => to.end(61_500, { submitted: 2, started: 2, finished: 2, rejected: 0, killed: 0, cancelled: 0 }),
]

function ids(count: number): number[] {
  return [...Array(count).keys()]
}

/** Returns the complete log in SPEC.md. */
export function tinyLog(): Uint8Array {
  return writeLog(header, parseTopology('radix:4'), calls)
}
