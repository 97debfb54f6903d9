// This file is separate from policy.ts: a program without routers loads only policy.ts.
import type { Routing } from '@cloister/kernel'
import { partitionRouter, type RouteLimits } from '@cloister/network'
import type { BoundPolicy, Router } from '@cloister/placement'
import {
  dModKRouter,
  ftreeRouter,
  minHopRouter,
  randomRouter,
  schedulingAwareRouter,
  updnRouter,
} from '@cloister/routers'
import type { Topology } from '@cloister/topology'
import * as Effect from 'effect/Effect'
import { OptionError } from './errors.ts'
import { guardedTables } from './guarded-router.ts'
import { routerNames } from './options.ts'
import { builtIn } from './policy.ts'
import { type FoundRouter, OtherRouters } from './services.ts'

/** Returns the built-in routers by name. @param limits limits on the number of entries for jobs; default: no limits */
export function builtInRouters(limits?: RouteLimits): ReadonlyMap<string, Router> {
  const routers = [
    partitionRouter(limits),
    dModKRouter,
    randomRouter,
    minHopRouter,
    updnRouter,
    ftreeRouter,
    schedulingAwareRouter,
  ]
  return new Map(routers.map((router) => [router.name, router]))
}

/**
 * Finds a router by the value of the option `router`: a built-in router, or a router of `OtherRouters`. Undefined if the
 * name is `none` or absent.
 */
export const findRouter = Effect.fnUntraced(function* (name: string | undefined) {
  if (name === undefined || name === 'none') return undefined
  const router = builtInRouters().get(name)
  if (router !== undefined) return { router, origin: builtIn }
  const find = yield* OtherRouters
  return find === undefined ? yield* unknownRouter(name) : yield* find(name)
})

function unknownRouter(name: string): OptionError {
  const reason = `found ${JSON.stringify(name)}, expected one of ${routerNames.join(', ')}`
  return new OptionError({ option: 'router', reason })
}

/**
 * Returns the forwarding tables of a router without jobs; undefined if there is no router, or for the name `none`.
 *
 * @param given router from `findRouter`, or the name of a built-in router
 * @param limits limits on the number of entries in the tables; default: no limits
 * @throws OptionError for an unknown router, an unsupported topology, or a policy without the links that the router
 *   needs
 */
export function routingOf(
  given: FoundRouter | string | undefined,
  topology: Topology,
  { policy, placer }: Pick<BoundPolicy<unknown, unknown>, 'policy' | 'placer'>,
  limits?: RouteLimits,
): Routing | undefined {
  if (given === undefined || given === 'none') return undefined
  const name = typeof given === 'string' ? given : given.router.name
  const fail = (reason: string): never => {
    throw new OptionError({ option: 'router', reason })
  }
  const router = typeof given === 'string' ? builtInRouters(limits).get(name) : given.router
  if (router === undefined) throw unknownRouter(name)
  const { links } = placer.claims
  if (router.claims.links === 'owned' && links !== 'owned')
    return fail(
      `${name}: policy ${policy.name} does not give jobs links of their own (links: ${links}); the router needs a policy with owned links`,
    )
  const tables = typeof given === 'string' ? router.make(topology) : routerTables(given, topology, limits)
  return 'unsupported' in tables
    ? fail(`${name}: does not serve ${topology.name}: ${tables.unsupported}`)
    : { router, tables }
}

/**
 * Returns the tables of a router without jobs, or the router's reason for not serving the topology. The tables of a
 * router from a package or file turn each breach of the contract into a RouterFailedError.
 *
 * @param limits limits on the number of entries in the tables of a built-in router; default: no limits
 * @throws RouterFailedError if `make` of a router from a package or file throws, or returns no tables
 */
export function routerTables(found: FoundRouter, topology: Topology, limits?: RouteLimits): ReturnType<Router['make']> {
  if (found.origin !== builtIn) return guardedTables(found, topology)
  return builtInRouters(limits).get(found.router.name)!.make(topology)
}
