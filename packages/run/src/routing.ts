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
import { OptionError } from './errors.ts'
import { routerNames } from './options.ts'

/** Returns the built-in routers by name. @param limits limits on the number of entries for jobs; default: no limits */
function builtInRouters(limits?: RouteLimits): ReadonlyMap<string, Router> {
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
 * Returns the forwarding tables of the router with a name, without jobs; undefined if the name is `none` or absent.
 *
 * @param limits limits on the number of entries in the tables; default: no limits
 * @throws OptionError for an unknown router, an unsupported topology, or a policy without the links that the router
 *   needs
 */
export function routingOf(
  name: string | undefined,
  topology: Topology,
  { policy, placer }: Pick<BoundPolicy<unknown, unknown>, 'policy' | 'placer'>,
  limits?: RouteLimits,
): Routing | undefined {
  if (name === undefined || name === 'none') return undefined
  const fail = (reason: string): never => {
    throw new OptionError({ option: 'router', reason })
  }
  const router = builtInRouters(limits).get(name)
  if (router === undefined) return fail(`found ${JSON.stringify(name)}, expected one of ${routerNames.join(', ')}`)
  const { links } = placer.claims
  if (router.claims.links === 'owned' && links !== 'owned')
    return fail(
      `${name}: policy ${policy.name} does not give jobs links of their own (links: ${links}); the router needs a policy with owned links`,
    )
  const tables = router.make(topology)
  return 'unsupported' in tables
    ? fail(`${name}: does not serve ${topology.name}: ${tables.unsupported}`)
    : { router, tables }
}
