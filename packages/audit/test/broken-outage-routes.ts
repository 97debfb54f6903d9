import type { BrokenLog } from './broken-log.ts'
import { type Entries, other, POD, POD_ROUTES, whole } from './broken-routes.ts'
import { LogBuilder, partition, type RunOptions } from './log-builder.ts'

/** Answer of a router: entries, and a text if the record calls the job unroutable. */
type Answer = readonly [entries: Entries, unroutable?: string | undefined]

/** Entries of the pod after the failure of link 0, from leaf 0 to switch 8: all messages go over switch 9. */
const REROUTED: Answer = [['0 2:3', '1 0:3', '8 0-1:-']]
/** Changes if the second uplink of leaf 0 fails, too. */
const LOST: Answer = [['0 2-3:-', '1 0-1:-', '9 0-1:-'], 'leaf 0 has no uplink']
/** Changes if link 0 comes back. */
const REPAIRED: Answer = [['0 2-3:2', '1 0-1:2', '8 0-1:0']]

interface Failing {
  readonly router?: NonNullable<RunOptions['router']>
  readonly links?: 'owned' | 'shared'
  readonly unroutable?: 'kill'
  readonly initial?: Entries
  readonly size?: number
  readonly allocation?: typeof POD
  readonly routes?: Entries
  /** Answers after the failure of link 0, of link 1, and after the repair of link 0. */
  readonly answers?: ReadonlyArray<Answer | undefined>
  readonly isKilled?: boolean
  /** True if the first answer has the allocate as cause. */
  readonly isCausedByStart?: boolean
}

const answering = (router: NonNullable<RunOptions['router']>): NonNullable<RunOptions['router']> => ({
  ...router,
  reroutes: true,
})

/** Builds a log: links 0 and 1 of the job fail at 3 s and 4 s, and link 0 comes back at 5 s. */
function failing({
  router = answering(partition),
  links = 'owned',
  unroutable,
  initial,
  size = 4,
  allocation = POD,
  routes = POD_ROUTES,
  answers = [REROUTED, LOST, REPAIRED],
  isKilled = false,
  isCausedByStart = false,
}: Failing): LogBuilder {
  const queue = { backfill: 'none', ...(unroutable && { unroutable }) } as const
  const log = new LogBuilder({ jobs: 1, claims: { links }, router, queue })
  const isOwn = router.claims.changes === 'own'
  if (initial !== undefined) log.route(0, undefined, initial, 0)
  log.submit(0, 'a', size, 10)
  const allocate = log.allocate(0, 'a', allocation)
  let first = isOwn ? log.route(0, 'a', routes, allocate) : undefined
  for (const [at, answer] of answers.entries()) {
    const t = 3 + at
    const outage = log[at < 2 ? 'down' : 'up'](t, { nodes: '', links: [at === 1 ? '1' : '0'] })
    if (answer === undefined) continue
    const [entries, says] = answer
    const cause = isCausedByStart && at === 0 ? allocate : outage
    let seq = isOwn ? log.route(t, 'a', entries, cause, says) : undefined
    if (!isOwn && entries.length > 0) log.route(t, undefined, entries, cause)
    if (!isOwn && says !== undefined) first ??= seq = log.route(t, 'a', [], cause, says)
    if (!isOwn && says === undefined && first !== undefined) {
      log.route(t, 'a', first, cause)
      first = undefined
    }
    if (!isKilled || says === undefined) continue
    log.kill(t, 'a', 'unroutable', seq)
    const release = log.release(t, 'a')
    log.route(t, 'a', first!, release)
    return log.end(t)
  }
  log.finish(10, 'a')
  const release = log.release(10, 'a')
  if (first !== undefined) log.route(10, 'a', first, release)
  return log.end(10)
}

/** Router of the machine, and its answers to the failures of the uplinks of leaf 0 on radix 4. */
const machine: Failing = {
  router: answering(other('shared', 'none')),
  links: 'shared',
  initial: whole,
  size: 2,
  allocation: { nodes: '0,2' },
}
const AROUND: Answer = [['0 2:3 4:3 6:3 8:3 10:3 12:3 14:3', '1-7 0:3']]
const CUT_OFF: Answer = [['0 2-15:-', '1-7 0-1:-'], 'leaf 0 has no uplink']
const BACK: Answer = [['0 2-15:2', '1-7 0-1:2', '10,12,14 0-1:2', '16-17 0-1:0']]

/** Logs in which the routes after failures are wrong, each in a different way. */
export const brokenOutageRoutes: ReadonlyArray<BrokenLog> = [
  {
    invariant: 'routes-after-outages',
    what: 'a link fails, and no record changes the entries of its job',
    make: (broken) => failing({ answers: [broken ? undefined : REROUTED] }),
  },
  {
    invariant: 'routes-after-outages',
    what: 'a changed entry leads over the failed link',
    make: (broken) =>
      failing({ router: answering(other('owned', 'own')), answers: [broken ? [['1 0:3', '8 0-1:-']] : REROUTED] }),
  },
  {
    invariant: 'routes-after-outages',
    what: 'a changed entry leads over a link of another job',
    make: (broken) =>
      failing({
        router: answering(other('owned', 'own')),
        answers: [broken ? [['0 2:3', '1 0:3', '8 0-1:2']] : REROUTED],
      }),
  },
  {
    invariant: 'routes-after-outages',
    what: 'changed entries form a loop',
    make: (broken) =>
      failing({
        router: answering(other('shared', 'own')),
        answers: [broken ? [['0 2:3', '1 0:3', '8 0-1:-', '9 2:0']] : REROUTED],
      }),
  },
  {
    invariant: 'routes-after-outages',
    what: 'a record calls a job unroutable whose links still connect its nodes',
    make: (broken) => failing({ answers: [broken ? [REROUTED[0], 'leaf 0 has no uplink'] : REROUTED] }),
  },
  {
    invariant: 'routes-after-outages',
    what: 'a job loses its routes, and no record says so',
    make: (broken) => failing({ answers: [REROUTED, broken ? [LOST[0]] : LOST, REPAIRED] }),
  },
  {
    invariant: 'routes-after-outages',
    what: 'partition routing does not go back at a repair',
    make: (broken) => failing({ answers: [REROUTED, LOST, broken ? [REPAIRED[0].slice(0, 2), LOST[1]] : REPAIRED] }),
  },
  {
    invariant: 'routes-after-outages',
    what: 'tables of the whole machine lead over a failed link',
    make: (broken) => failing({ ...machine, answers: [broken ? undefined : AROUND] }),
  },
  {
    invariant: 'routes-after-outages',
    what: 'tables of the whole machine lose a job, and no record says so',
    make: (broken) => failing({ ...machine, answers: [AROUND, broken ? [CUT_OFF[0]] : CUT_OFF, BACK] }),
  },
  {
    invariant: 'routes-after-outages',
    what: 'a record still calls a job unroutable after the repair of the tables',
    make: (broken) => failing({ ...machine, answers: [AROUND, CUT_OFF, broken ? [BACK[0], 'leaf 0'] : BACK] }),
  },
  {
    invariant: 'routes-paired',
    what: 'a change of entries whose cause is no outage',
    make: (broken) => failing({ answers: [REROUTED], isCausedByStart: broken }),
  },
  {
    invariant: 'routes-paired',
    what: 'entries of a job change after a failure, but the router does not answer failures',
    make: (broken) => failing({ router: broken ? partition : answering(partition), answers: [REROUTED] }),
  },
  {
    invariant: 'unroutable-kills',
    what: 'a job that lost its routes runs on, against the option',
    make: (broken) => failing({ unroutable: 'kill', isKilled: !broken }),
  },
  {
    invariant: 'unroutable-kills',
    what: 'a job that lost its routes is killed without the option',
    make: (broken) => failing({ isKilled: true, ...(!broken && { unroutable: 'kill' }) }),
  },
  {
    invariant: 'header',
    what: 'the option unroutable without a router',
    make(broken) {
      const queue = { backfill: 'none', ...(broken && { unroutable: 'kill' as const }) } as const
      return new LogBuilder({ queue }).end(0)
    },
  },
]
