import type { BrokenLog } from './broken-log.ts'
import { type AllocationText, LogBuilder, type RouteRef } from './log-builder.ts'
import { none, routesOf } from './route-tables.ts'

interface Routed {
  readonly router?: string | null
  readonly size?: number
  readonly allocation?: AllocationText
  readonly routes?: RouteRef
  readonly removed?: RouteRef
  readonly adds?: number
  readonly removes?: number
  readonly addedAt?: number
  readonly isCausedBySubmit?: boolean
  /** The claim on links. With `shared`, links-connect does not apply, and only the routes show a missing connection. */
  readonly links?: 'owned' | 'shared'
}

/**
 * Allocation of the first pod of radix 4. Leaves 0 to 7 have ports 0 and 1 to their nodes, and ports 2 and 3 to L2
 * indices 0 and 1. L2 switches 8 to 15 have ports 0 and 1 to the leaves of their pod.
 */
const POD: AllocationText = { nodes: '0-3', links: ['0-3'] }
const POD_TABLE = { 0: [0, 1, 2, 3], 1: [2, 3, 0, 1], 8: [0, 0, 1, 1], 9: [0, 0, 1, 1] }
const POD_ROUTES = routesOf([0, 1, 2, 3], POD_TABLE)

/** Builds a log: job `a` runs from 0 s to 10 s with routes. */
function routedJob({
  router = 'partition',
  size = 4,
  allocation = POD,
  routes = POD_ROUTES,
  removed = routes,
  adds = 1,
  removes = 1,
  addedAt = 0,
  isCausedBySubmit = false,
  links = 'owned',
}: Routed): LogBuilder {
  const log = new LogBuilder({ jobs: 1, claims: { links }, router })
  const submit = log.submit(0, 'a', size, 10)
  const allocate = log.allocate(0, 'a', allocation)
  for (let i = 0; i < adds; i++) log.route(addedAt, 'a', 'add', routes, isCausedBySubmit ? submit : allocate)
  log.finish(10, 'a')
  const release = log.release(10, 'a')
  for (let i = 0; i < removes; i++) log.route(10, 'a', 'remove', removed, release)
  return log.end(10)
}

// Routes of two nodes on two leaves with one uplink each: to different L2 switches, and to the same L2 switch.
const apart = routesOf([0, 2], { 0: [0, none], 1: [none, 0], 8: [0, none], 9: [none, 1] })
const together = routesOf([0, 2], { 0: [0, 2], 1: [2, 0], 8: [0, 1] })
/** Routes of a leaf with two nodes and a remainder leaf with one node, which has only L2 index 1 and always uses it. */
const remainder: AllocationText = { nodes: '0-2', links: ['0-1,3'] }
const wrapped = routesOf([0, 1, 2], { 0: [0, 1, 3], 1: [3, 3, 0], 8: [0, 0, none], 9: [0, 0, 1] })
const unwrapped = routesOf([0, 1, 2], { 0: [0, 1, 2], 1: [3, 3, 0], 8: [0, 0, none], 9: [0, 0, 1] })

/** Logs that break the invariants of routes, each in a different way. */
export const brokenRoutes: ReadonlyArray<BrokenLog> = [
  {
    invariant: 'causes',
    what: 'routes added because of a submit',
    make: (broken) => routedJob({ isCausedBySubmit: broken }),
  },
  {
    invariant: 'routes-paired',
    what: 'an allocate without routes',
    make: (broken) => routedJob(broken ? { adds: 0, removes: 0 } : {}),
  },
  {
    invariant: 'routes-paired',
    what: 'a release without a route record that removes the routes',
    make: (broken) => routedJob({ removes: broken ? 0 : 1 }),
  },
  {
    invariant: 'routes-paired',
    what: 'routes added only after the instant of the allocate',
    make: (broken) => routedJob({ addedAt: broken ? 5 : 0, removes: broken ? 0 : 1 }),
  },
  { invariant: 'routes-paired', what: 'routes added twice', make: (broken) => routedJob({ adds: broken ? 2 : 1 }) },
  {
    invariant: 'routes-paired',
    what: 'routes removed twice',
    make: (broken) => routedJob({ removes: broken ? 2 : 1 }),
  },
  {
    invariant: 'routes-paired',
    what: 'fewer entries removed than added',
    make: (broken) => routedJob({ removed: { ...POD_ROUTES, entries: POD_ROUTES.entries - (broken ? 1 : 0) } }),
  },
  {
    invariant: 'routes-paired',
    what: 'routes removed that were not added',
    make: (broken) =>
      routedJob({ removed: broken ? routesOf([0, 1, 2, 3], { ...POD_TABLE, 1: [3, 2, 0, 1] }) : POD_ROUTES }),
  },
  {
    invariant: 'routes-paired',
    what: 'routes of a scheme that is not the router of the header',
    make: (broken) => routedJob({ routes: { ...POD_ROUTES, scheme: broken ? 'shortest' : 'partition' } }),
  },
  {
    invariant: 'routes-paired',
    what: 'routes without a router in the header',
    make: (broken) => routedJob({ router: broken ? null : 'partition' }),
  },
  {
    invariant: 'routes-inside',
    what: 'a route record that counts an entry too few',
    make: (broken) => routedJob({ routes: { ...POD_ROUTES, entries: POD_ROUTES.entries - (broken ? 1 : 0) } }),
  },
  {
    invariant: 'routes-inside',
    what: 'a leaf sends by the wrong uplink',
    make: (broken) =>
      routedJob({ routes: broken ? routesOf([0, 1, 2, 3], { ...POD_TABLE, 0: [0, 1, 3, 2] }) : POD_ROUTES }),
  },
  {
    invariant: 'routes-inside',
    what: "an L2 switch sends up by a link that is not the job's",
    make: (broken) =>
      routedJob({ routes: broken ? routesOf([0, 1, 2, 3], { ...POD_TABLE, 8: [2, 0, 1, 1] }) : POD_ROUTES }),
  },
  {
    invariant: 'routes-inside',
    what: 'a switch outside of the job has the entries of a switch of the job',
    make: (broken) =>
      routedJob({
        routes: broken
          ? routesOf([0, 1, 2, 3], { 0: [0, 1, 2, 3], 1: [2, 3, 0, 1], 8: [0, 0, 1, 1], 10: [0, 0, 1, 1] })
          : POD_ROUTES,
      }),
  },
  {
    invariant: 'routes-inside',
    what: 'two leaves whose uplinks lead to different L2 switches',
    make: (broken) =>
      routedJob(
        broken
          ? { size: 2, allocation: { nodes: '0,2', links: ['0,3'] }, routes: apart, links: 'shared' }
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
              routes: routesOf([0, 2], { 0: [0, none], 1: [none, 0] }),
              links: 'shared',
            }
          : { size: 2, allocation: { nodes: '0-1' }, routes: routesOf([0, 1], { 0: [0, 1] }) },
      ),
  },
  {
    invariant: 'routes-inside',
    what: 'a full leaf sends messages for the remainder leaf to an L2 index that the remainder leaf does not have',
    make: (broken) => routedJob({ size: 3, allocation: remainder, routes: broken ? unwrapped : wrapped }),
  },
]
