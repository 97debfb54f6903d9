import { PolicyFaultError } from '@cloister/kernel'
import { type BoundPolicy, bindPolicy } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import * as Effect from 'effect/Effect'
import { attempt, isTagged, PolicyFailedError, type TaggedProblem } from './errors.ts'
import type { FoundPolicy } from './services.ts'
import { forbidExit } from './without-exit.ts'

/** Binds a policy to a machine. What its code throws comes as a PolicyFailedError. */
export function bind(
  found: FoundPolicy,
  topology: Topology,
  config: unknown,
): Effect.Effect<BoundPolicy<unknown, unknown>, TaggedProblem> {
  return attempt(() => blamePolicy(found, 'make', () => bindPolicy(found.policy, topology, config)))
}

/** Runs code that calls into a policy; an error that is none of ours, nor the system's, is the policy's. @throws PolicyFailedError */
export function blamePolicy<A>(found: FoundPolicy, calling: 'make' | 'place', run: () => A): A {
  const { policy, origin } = found
  const allowExit = forbidExit()
  try {
    return run()
  } catch (error) {
    if (error instanceof PolicyFaultError) throw blamed(found, error)
    if (origin === builtIn || isTagged(error) || (error instanceof Error && 'syscall' in error)) throw error
    throw new PolicyFailedError({ policy: policy.name, origin, calling, cause: error })
  } finally {
    allowExit()
  }
}

/** A built-in policy that throws is a defect of the program, told by what was thrown. */
function blamed({ policy, origin }: FoundPolicy, fault: PolicyFaultError): unknown {
  if (origin === builtIn && fault.code === 'throws') return fault.cause
  return new PolicyFailedError({ policy: policy.name, origin, calling: 'place', cause: fault.cause, fault })
}

/** The origin of policies that come with the program: an error in one is a defect of the program. */
export const builtIn = 'built in'
