import type { Topology } from '@cloister/topology'
import type { PlacementPolicy, Placer } from './contract.ts'
import { contractDefect } from './contract-version.ts'
import { placerDefect } from './placer-defect.ts'

/** Error for an invalid config, an unsupported topology, or a policy that breaks its contract. */
export class PolicyError extends Error {
  readonly _tag = 'PolicyError'
  readonly policy: string
  /** Reason of the policy for not serving the topology; undefined if the error has another cause. */
  readonly unsupported: string | undefined
  constructor(policy: string, message: string, unsupported?: string) {
    super(`policy ${policy}: ${message}`)
    this.policy = policy
    this.unsupported = unsupported
  }
}

/** Policy with a config, and the placer of the policy for a topology. */
export interface BoundPolicy<Config, Index> {
  readonly policy: PlacementPolicy<Config, Index>
  /** Valid config with every default filled in. */
  readonly config: Config
  readonly placer: Placer<Index>
}

/**
 * Returns the placer of a policy for a topology and a config, and the config with every default. Default config: `{}`.
 *
 * @throws PolicyError if the contract version is unknown, if the config is not valid, if the policy does not serve the
 *   topology, or if `make` returns no placer
 */
export function bindPolicy<Config, Index>(
  policy: PlacementPolicy<Config, Index>,
  topology: Topology,
  config: unknown = {},
): BoundPolicy<Config, Index> {
  const defect = contractDefect(policy.contract)
  if (defect !== undefined) throw new PolicyError(policy.name, `its ${defect}`)
  const valid = validConfig(policy, config)
  const placer = policy.make(topology, valid)
  if (typeof placer === 'object' && placer !== null && 'unsupported' in placer)
    throw new PolicyError(
      policy.name,
      `does not serve ${topology.name}: ${placer.unsupported}`,
      String(placer.unsupported),
    )
  const wrong = placerDefect(placer)
  if (wrong !== undefined) throw new PolicyError(policy.name, wrong)
  return { policy, config: valid, placer }
}

/** Returns the config with every default. @throws PolicyError that names each wrong field */
export function validConfig<Config, Index>(
  { name, config: schema }: Pick<PlacementPolicy<Config, Index>, 'name' | 'config'>,
  config: unknown,
): Config {
  const result = schema['~standard'].validate(config)
  if (result instanceof Promise)
    throw new PolicyError(name, 'the config schema validates asynchronously; expected a synchronous validation')
  if (result.issues === undefined) return result.value
  const issues = result.issues.map(({ message, path }) => {
    const field = (path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
    return field === '' ? message : `${field}: ${message}`
  })
  throw new PolicyError(name, `config ${JSON.stringify(config)} is not valid: ${issues.join('; ')}`)
}
