import type { BoundPolicy } from '@cloister/placement'
import { bind as bindTo } from '@cloister/run'
import type { Topology } from '@cloister/topology'
import type { Effect } from 'effect'
import type { Problem } from '../errors/problem.ts'
import { asProblems } from '../run/problems.ts'
import type { FoundPolicy } from './policy-lookup.ts'

/** Binds a policy to a machine. What a policy throws is its author's to see: with the place in the policy's code. */
export function bind(
  found: FoundPolicy,
  topology: Topology,
  config: unknown,
): Effect.Effect<BoundPolicy<unknown, unknown>, Problem> {
  return asProblems(bindTo(found, topology, config))
}
