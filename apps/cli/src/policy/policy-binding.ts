import { type BoundPolicy, bindPolicy } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import { Effect } from 'effect'
import type { FoundPolicy } from './policy-lookup.ts'
import { Problem, attempt } from '../errors/problem.ts'
import { describeThrown } from '../errors/thrown.ts'

/** Reads the JSON of `--policy-config`. @throws Problem */
export function parsePolicyConfig(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Problem(
      `--policy-config: found ${JSON.stringify(text)}, expected JSON, such as '{"option":1}' (${(error as Error).message})`,
    )
  }
}

/** Binds a policy to a machine. What a policy throws is its author's to see: with the place in the policy's code. */
export function bind(
  found: FoundPolicy,
  topology: Topology,
  config: unknown,
): Effect.Effect<BoundPolicy<unknown, unknown>, Problem> {
  return attempt(() => blamePolicy(found, 'make', () => bindPolicy(found.policy, topology, config)))
}

/** Runs code that calls into a policy; an error that is none of ours is the policy's. */
export function blamePolicy<A>({ policy, origin }: FoundPolicy, calling: string, run: () => A): A {
  try {
    return run()
  } catch (error) {
    if (origin === 'built in' || (error instanceof Error && ('_tag' in error || 'syscall' in error))) throw error
    throw new Problem(`policy ${policy.name} (${origin}) failed in ${calling}: ${describeThrown(error)}`)
  }
}
