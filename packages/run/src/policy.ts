import { PolicyFaultError } from '@cloister/kernel'
import { bindPolicy, type BoundPolicy } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import * as Effect from 'effect/Effect'
import { attempt, isSystemError, isTagged, PolicyFailedError, type TaggedProblem } from './errors.ts'
import type { FoundPolicy } from './services.ts'

/**
 * Binds a policy to a topology and a config. `blamePolicy` turns errors of the policy's code into PolicyFailedErrors.
 */
export function bind(
  found: FoundPolicy,
  topology: Topology,
  config: unknown,
): Effect.Effect<BoundPolicy<unknown, unknown>, TaggedProblem> {
  return attempt(() => blamePolicy(found, 'make', () => bindPolicy(found.policy, topology, config)))
}

/**
 * Runs code that calls a policy. Errors with a tag, errors of the operating system and errors that a built-in policy
 * throws pass unchanged. During the call `process.exit` throws.
 *
 * @throws PolicyFailedError for a PolicyFaultError of the kernel, and for any other error
 */
export function blamePolicy<A>(found: FoundPolicy, calling: 'make' | 'place', run: () => A): A {
  const { policy, origin } = found
  const allowExit = forbidExit()
  try {
    return run()
  } catch (error) {
    if (error instanceof PolicyFaultError) throw blamed(found, error)
    if (origin === builtIn || isTagged(error) || isSystemError(error)) throw error
    throw new PolicyFailedError({ policy: policy.name, origin, calling, cause: error })
  } finally {
    allowExit()
  }
}

/** An error that a built-in policy throws is a defect of the program, and stays unchanged. */
function blamed({ policy, origin }: FoundPolicy, fault: PolicyFaultError): unknown {
  if (origin === builtIn && fault.code === 'throws') return fault.cause
  return new PolicyFailedError({ policy: policy.name, origin, calling: 'place', cause: fault.cause, fault })
}

/** Origin of the policies of the program itself. */
export const builtIn = 'built in'

class ExitCalledError extends Error {
  override readonly name: string = 'ExitCalledError'
  constructor(code: number | string | undefined) {
    super(`the policy called process.exit(${code ?? ''}), which would end the whole program`)
  }
}

interface Process {
  exit: (code?: number | string) => unknown
  getBuiltinModule?: (name: 'module') => { readonly syncBuiltinESMExports: () => void }
}

/**
 * Makes `process.exit` throw an ExitCalledError, also under an import from `node:process`. Policies are foreign code,
 * and an exit would end the whole program without a message. Returns a function that allows the exit again.
 */
export function forbidExit(): () => void {
  const { process } = globalThis as { readonly process?: Process }
  if (process === undefined) return () => {}
  const { exit } = process
  const set = (to: Process['exit']): void => {
    process.exit = to
    process.getBuiltinModule?.('module').syncBuiltinESMExports()
  }
  set((code) => {
    throw new ExitCalledError(code)
  })
  return () => set(exit)
}
