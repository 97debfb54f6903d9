import type { Topology } from '@cloister/topology'
import type { PlacementPolicy, Placer } from './contract.ts'
import { type AnyContract, contractDefect, currentPolicy } from './contract-1.ts'

/** A policy that cannot be used as asked: bad config, a topology that it does not serve, or a broken promise. */
export class PolicyError extends Error {
  readonly _tag = 'PolicyError'
  readonly policy: string
  constructor(policy: string, message: string) {
    super(`policy ${policy}: ${message}`)
    this.policy = policy
  }
}

/** A policy bound to a topology under a validated config. */
export interface BoundPolicy<Config, Index> {
  /** Under today's contract. */
  readonly policy: PlacementPolicy<Config, Index>
  /** The config with every default filled in. */
  readonly config: Config
  readonly placer: Placer<Index>
}

/** Validates a config and binds the policy, of any version of the contract that is served, to a topology. Throws PolicyError with the reason. */
export function bindPolicy<Config, Index>(
  given: AnyContract<Config, Index>,
  topology: Topology,
  config: unknown = {},
): BoundPolicy<Config, Index> {
  const defect = contractDefect(given.contract)
  if (defect !== undefined) throw new PolicyError(given.name, `its ${defect}`)
  const policy = currentPolicy(given)
  const result = policy.config['~standard'].validate(config)
  if (result instanceof Promise)
    throw new PolicyError(policy.name, 'its config schema validates asynchronously; it must be synchronous')
  if (result.issues !== undefined) {
    const issues = result.issues.map(({ message, path }) => {
      const field = (path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
      return field === '' ? message : `${field}: ${message}`
    })
    throw new PolicyError(policy.name, `config ${JSON.stringify(config)} is not valid: ${issues.join('; ')}`)
  }
  const placer = policy.make(topology, result.value)
  if ('unsupported' in placer)
    throw new PolicyError(policy.name, `does not serve ${topology.name}: ${placer.unsupported}`)
  return { policy, config: result.value, placer }
}
