import type { BrokenLog } from './broken-log.ts'
import { type AllocationText, LogBuilder, partition, type RunOptions } from './log-builder.ts'

export type Entries = ReadonlyArray<string>

interface Routed {
  readonly router?: RunOptions['router']
  readonly size?: number
  readonly allocation?: AllocationText
  readonly routes?: Entries
  /** Entries before the first job. */
  readonly initial?: Entries
  readonly adds?: number
  readonly undoes?: number
  readonly addedAt?: number
  readonly isCausedBySubmit?: boolean
  readonly hasJob?: boolean
  /** The claim on links. With `shared`, links-connect does not apply, and only the routes show a missing connection. */
  readonly links?: 'owned' | 'shared'
}

/**
 * Allocation of the first pod of radix 4. Leaves 0 to 7 have ports 0 and 1 to their nodes, and ports 2 and 3 to L2
 * indices 0 and 1. L2 switches 8 to 15 have ports 0 and 1 to the leaves of their pod.
 */
export const POD: AllocationText = { nodes: '0-3', links: ['0-3'] }
export const POD_ROUTES: Entries = ['0 0-3:0+4', '1 0-1:2+2 2-3:0+2', '8-9 0-3:0+2/2']

/** Router with claims of its own. */
export const other = (
  links: 'owned' | 'shared',
  changes: 'none' | 'own' | 'any',
): NonNullable<RunOptions['router']> => ({ name: 'other', version: '1.0.0', claims: { links, changes } })

/** Builds a log: job `a` runs from 0 s to 10 s with routes. */
function routedJob({
  router = partition,
  size = 4,
  allocation = POD,
  routes = POD_ROUTES,
  initial,
  adds = 1,
  undoes = 1,
  addedAt = 0,
  isCausedBySubmit = false,
  hasJob = true,
  links = 'owned',
}: Routed): LogBuilder {
  const log = new LogBuilder({ jobs: 1, claims: { links }, router })
  if (initial !== undefined) log.route(0, undefined, initial, 0)
  const submit = log.submit(0, 'a', size, 10)
  const allocate = log.allocate(0, 'a', allocation)
  const added: Array<number> = []
  for (let i = 0; i < adds; i++)
    added.push(log.route(addedAt, hasJob ? 'a' : undefined, routes, isCausedBySubmit ? submit : allocate))
  log.finish(10, 'a')
  const release = log.release(10, 'a')
  if (hasJob) for (const seq of added.slice(0, undoes)) log.route(10, 'a', seq, release)
  return log.end(10)
}

// Routes of two nodes on two leaves with one uplink each: to different L2 switches, and to the same L2 switch.
const apart: Entries = ['0,8 0:0', '1 2:0', '9 2:1']
const together: Entries = ['0 0:0 2:2', '1 0:2 2:0', '8 0:0 2:1']
/** Routes of a leaf with two nodes and a remainder leaf with one node, which has only L2 index 1 and always uses it. */
const remainder: AllocationText = { nodes: '0-2', links: ['0-1,3'] }
const wrapped: Entries = ['0 0-1:0+2 2:3', '1 0-1:3 2:0', '8 0-1:0', '9 0-1:0 2:1']
const unwrapped: Entries = ['0 0-2:0+3', '1 0-1:3 2:0', '8 0-1:0', '9 0-1:0 2:1']
/** Tables of D-mod-k on radix 4: each leaf reaches each node. */
export const whole: Entries = [
  '0 0-3:0+4 4-15:2+2',
  '1 0-1:2+2 2-5:0+4 6-15:2+2',
  '2 0-3:2+2 4-7:0+4 8-15:2+2',
  '3 0-5:2+2 6-9:0+4 10-15:2+2',
  '4 0-7:2+2 8-11:0+4 12-15:2+2',
  '5 0-9:2+2 10-13:0+4 14-15:2+2',
  '6 0-11:2+2 12-15:0+4',
  '7 0-13:2+2 14-15:0+2',
  '8-9 0-7:0+4/2 8-15:2+2/2',
  '10-11 0-3:2+2/2 4-11:0+4/2 12-15:2+2/2',
  '12-13 0-7:2+2/2 8-15:0+4/2',
  '14-15 0-11:2+2/2 12-15:0+2/2',
  '16-19 0-15:0+4/4',
]

/** Logs that break the invariants of routes, each in a different way. */
export const brokenRoutes: ReadonlyArray<BrokenLog> = [
  {
    invariant: 'causes',
    what: 'entries added because of a submit',
    make: (broken) => routedJob({ isCausedBySubmit: broken }),
  },
  {
    invariant: 'routes-paired',
    what: 'an allocate without entries',
    make: (broken) => routedJob(broken ? { adds: 0 } : {}),
  },
  {
    invariant: 'routes-paired',
    what: 'a release without a record that undoes the entries',
    make: (broken) => routedJob({ undoes: broken ? 0 : 1 }),
  },
  {
    invariant: 'routes-paired',
    what: 'entries added only after the instant of the allocate',
    make: (broken) => routedJob({ addedAt: broken ? 5 : 0, undoes: broken ? 0 : 1 }),
  },
  { invariant: 'routes-paired', what: 'entries added twice', make: (broken) => routedJob({ adds: broken ? 2 : 1 }) },
  {
    invariant: 'routes-paired',
    what: 'entries without a router in the header',
    make: (broken) => routedJob({ router: broken ? null : partition }),
  },
  {
    invariant: 'routes-paired',
    what: 'entries of a job that name no job',
    make: (broken) =>
      routedJob({
        hasJob: !broken,
        router: other('owned', 'own'),
        adds: broken ? 0 : 1,
        ...(broken && { initial: whole }),
      }),
  },
  {
    invariant: 'routes-paired',
    what: 'entries that belong to a job under the claim `any`',
    make: (broken) => routedJob({ router: other('shared', 'any'), initial: whole, adds: broken ? 1 : 0 }),
  },
  {
    invariant: 'routes-paired',
    what: 'tables that change during the run under the claim `none`',
    make: (broken) =>
      routedJob({ router: other('shared', broken ? 'none' : 'any'), initial: whole, hasJob: false, routes: whole }),
  },
  {
    invariant: 'routes-inside',
    what: 'a leaf sends by the wrong uplink',
    make: (broken) => routedJob({ routes: broken ? ['0 0-1:0+2 2:3 3:2', ...POD_ROUTES.slice(1)] : POD_ROUTES }),
  },
  {
    invariant: 'routes-inside',
    what: "an L2 switch sends up by a link that is not the job's",
    make: (broken) =>
      routedJob({ routes: broken ? [...POD_ROUTES.slice(0, 2), '8 0:2 1:0 2-3:1', '9 0-3:0+2/2'] : POD_ROUTES }),
  },
  {
    invariant: 'routes-inside',
    what: 'a switch outside of the job has the entries of a switch of the job',
    make: (broken) => routedJob({ routes: broken ? [...POD_ROUTES.slice(0, 2), '8,10 0-3:0+2/2'] : POD_ROUTES }),
  },
  {
    invariant: 'routes-inside',
    what: 'entries for a node of no job',
    make: (broken) =>
      routedJob({
        router: other('owned', 'own'),
        routes: broken ? ['0 0-3:0+4 4:2', ...POD_ROUTES.slice(1)] : POD_ROUTES,
      }),
  },
  {
    invariant: 'routes-inside',
    what: 'two texts of entries for one switch',
    make: (broken) => routedJob({ routes: broken ? [...POD_ROUTES, '9 0:0'] : POD_ROUTES }),
  },
  {
    invariant: 'routes-inside',
    what: 'two leaves whose uplinks lead to different L2 switches',
    make: (broken) =>
      routedJob(
        broken
          ? {
              size: 2,
              allocation: { nodes: '0,2', links: ['0,3'] },
              routes: apart,
              router: other('shared', 'own'),
              links: 'shared',
            }
          : { size: 2, allocation: { nodes: '0,2', links: ['0,2'] }, routes: together },
      ),
  },
  {
    invariant: 'routes-inside',
    what: 'two leaves without uplinks',
    make: (broken) =>
      routedJob(
        broken
          ? {
              size: 2,
              allocation: { nodes: '0,2' },
              routes: ['0 0:0', '1 2:0'],
              router: other('shared', 'own'),
              links: 'shared',
            }
          : { size: 2, allocation: { nodes: '0-1' }, routes: ['0 0-1:0+2'] },
      ),
  },
  {
    invariant: 'routes-inside',
    what: 'a full leaf sends messages for the remainder leaf to an L2 index that the remainder leaf does not have',
    make: (broken) => routedJob({ size: 3, allocation: remainder, routes: broken ? unwrapped : wrapped }),
  },
  {
    invariant: 'routes-inside',
    what: 'entries of two switches form a loop',
    make: (broken) =>
      routedJob({
        router: other('shared', 'own'),
        routes: broken ? ['0 0-3:0+4', '1 0-1:2+2 2-3:0+2', '8 0-3:0', '9 0-3:0+2/2'] : POD_ROUTES,
      }),
  },
  {
    invariant: 'routes-inside',
    what: 'tables of the whole machine without an entry',
    make: (broken) => routedJob({ router: other('shared', 'none'), adds: 0, initial: broken ? whole.slice(1) : whole }),
  },
  {
    invariant: 'routes-inside',
    what: 'tables of the whole machine in which a top switch sends messages to a wrong pod',
    make: (broken) =>
      routedJob({
        router: other('shared', 'none'),
        adds: 0,
        initial: broken ? [...whole.slice(0, -1), '16-18 0-15:0+4/4', '19 0-14:0+4/4 15:0'] : whole,
      }),
  },
]
