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
  (to) => to.record({ type: 'submit', t: 0, job: '1', size: 4, estimate: 60_000 }),
  (to) => to.record({ type: 'submit', t: 0, job: '2', size: 16, estimate: 1500 }),
  (to) => to.record({ type: 'allocate', t: 0, job: '1', nodes: [0, 1, 2, 3], links: [[0, 1, 2, 3]], cause: 2 }),
  (to) =>
    to.record({ type: 'reserve', t: 0, job: '2', start: 60_000, nodes: ids(16), links: [ids(16), ids(16)], cause: 2 }),
  (to) => to.record({ type: 'finish', t: 60_000, job: '1', cause: 3 }),
  (to) => to.record({ type: 'release', t: 60_000, job: '1', cause: 6 }),
  (to) => to.record({ type: 'allocate', t: 60_000, job: '2', nodes: ids(16), links: [ids(16), ids(16)], cause: 6 }),
  (to) => to.record({ type: 'finish', t: 61_500, job: '2', cause: 9 }),
  (to) => to.record({ type: 'release', t: 61_500, job: '2', cause: 10 }),
  (to) =>
    to.record({ type: 'end', t: 61_500, submitted: 2, started: 2, finished: 2, rejected: 0, killed: 0, cancelled: 0 }),
]

function ids(count: number): number[] {
  return [...Array(count).keys()]
}

/** Returns the complete log in SPEC.md. */
export function tinyLog(): Uint8Array {
  return writeLog(header, parseTopology('radix:4'), calls)
}
