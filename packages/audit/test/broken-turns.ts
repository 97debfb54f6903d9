import type { Submit } from '@cloister/eventlog'
import type { BrokenLog } from './broken-log.ts'
import { LogBuilder } from './log-builder.ts'

/** Turns of two jobs: `a` is submitted at 0 s and `b` at 5 s, but `b` has the first turn and `a` the second. */
type Turns = Readonly<Record<'a' | 'b', Partial<Pick<Submit, 'turn' | 'eligible'>>>>

const RIGHT: Turns = { a: { turn: 2, eligible: 5 }, b: { turn: 1 } }

/** Builds the log of two jobs that start at 5 s in the order of their turns. */
function twoJobs(turns: Turns): LogBuilder {
  const log = new LogBuilder({ jobs: 2, queue: { backfill: 'none', order: 'recorded' } })
  log.submit(0, 'a', 4, 10, turns.a)
  log.submit(5, 'b', 4, 10, turns.b)
  log.allocate(5, 'b', { nodes: '0-3' })
  log.allocate(5, 'a', { nodes: '4-7' })
  log.complete(15, 'a')
  log.complete(15, 'b')
  return log.end(15)
}

/** Builds the log of one job under the order of submission. */
function withoutOrder(turn: number | undefined): LogBuilder {
  const log = new LogBuilder({ jobs: 1 })
  log.submit(0, 'a', 4, 10, turn === undefined ? {} : { turn })
  log.allocate(0, 'a', { nodes: '0-3' })
  log.complete(10, 'a')
  return log.end(10)
}

const wrong: ReadonlyArray<readonly [what: string, turns: Turns]> = [
  ['a job without a turn', { ...RIGHT, a: { eligible: 5 } }],
  ['a turn that no job has', { ...RIGHT, a: { turn: 3, eligible: 5 } }],
  ['a job that is eligible before the submission of an earlier turn', { ...RIGHT, a: { turn: 2, eligible: 4 } }],
  ['a job that is eligible at its submission, and says so', { ...RIGHT, b: { turn: 1, eligible: 5 } }],
]

export const brokenTurns: ReadonlyArray<BrokenLog> = [
  ...wrong.map(([what, turns]): BrokenLog => ({
    invariant: 'turns',
    what,
    make: (broken) => twoJobs(broken ? turns : RIGHT),
  })),
  {
    invariant: 'turns',
    what: 'a turn without an order that claims recorded',
    make: (broken) => withoutOrder(broken ? 1 : undefined),
  },
]
