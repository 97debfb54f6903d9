// This file is separate from policy.ts: a program without routers loads only policy.ts.
import type { HashFunction } from '@cloister/eventlog'
import type { Routing } from '@cloister/kernel'
import { partitionRouter, type RouteLimits } from '@cloister/network'
import type { BoundPolicy } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import { OptionError } from './errors.ts'

/**
 * Returns the empty forwarding tables of the router with a name; undefined if the name is `none` or absent.
 *
 * @param limits limits on the number of entries in the tables; default: no limits
 * @throws OptionError for an unknown router, an unsupported topology, or a policy that does not claim owned links
 */
export function routingOf(
  name: string | undefined,
  topology: Topology,
  { policy, placer }: Pick<BoundPolicy<unknown, unknown>, 'policy' | 'placer'>,
  hash: HashFunction,
  limits?: RouteLimits,
): Routing | undefined {
  if (name === undefined || name === 'none') return undefined
  const fail = (reason: string): never => {
    throw new OptionError({ option: 'router', reason })
  }
  if (name !== 'partition') return fail(`found ${JSON.stringify(name)}, expected none or partition`)
  const { links } = placer.claims
  if (links !== 'owned')
    return fail(
      `${name}: policy ${policy.name} does not give jobs links of their own (links: ${links}); the router needs a policy with owned links`,
    )
  const tables = partitionRouter(hash, limits).make(topology)
  return 'unsupported' in tables
    ? fail(`${name}: does not serve ${topology.name}: ${tables.unsupported}`)
    : { name, tables }
}
