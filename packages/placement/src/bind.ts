import type { Topology } from '@cloister/topology'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Claims, Outcome, Placement, PlacementPolicy, Placer, Refusal } from './contract.ts'
import { MaskedPlacement } from './masked-placement.ts'
import { checksumOfMasks, maskWords } from './resource-masks.ts'

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
  const read = readConfig(schema, config)
  if ('wrong' in read) throw new PolicyError(name, read.wrong)
  return read.value
}

/** Returns a config with every default, or a message that names each wrong field. */
export function readConfig<Config>(
  schema: StandardSchemaV1<unknown, Config>,
  config: unknown,
): { readonly value: Config } | { readonly wrong: string } {
  // A strict object of valibot takes the empty list for an object.
  if (Array.isArray(config)) return { wrong: `config ${JSON.stringify(config)} is not valid: expected an object` }
  const result = schema['~standard'].validate(config)
  if (result instanceof Promise)
    return { wrong: 'the config schema validates asynchronously; expected a synchronous validation' }
  if (result.issues === undefined) return { value: result.value }
  const issues = result.issues.map(({ message, path }) => {
    const field = (path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
    // "Expected never" is the message of valibot about an unknown field.
    const found = message.startsWith('Invalid key: Expected never') ? 'no such field' : message
    return field === '' ? found : `${field}: ${found}`
  })
  return { wrong: `config ${JSON.stringify(config)} is not valid: ${issues.join('; ')}` }
}

const KNOWN = 1

/**
 * Returns a message that names an unknown contract version and what to update; undefined if the version is known.
 *
 * @param of what declares the version, such as `policy`
 */
export function contractDefect(contract: unknown, of: string = 'policy'): string | undefined {
  if (contract === KNOWN) return undefined
  const found = `contract is ${JSON.stringify(contract) ?? 'missing'}; this @cloister/placement knows contract ${KNOWN}`
  return Number.isInteger(contract) && (contract as number) > KNOWN
    ? `${found}: update @cloister/placement, or the program that brings it (cloister)`
    : `${found}: update the ${of} to contract ${KNOWN}`
}

const LINKS: ReadonlyArray<Claims['links']> = ['owned', 'capped', 'rule', 'shared']
const FACTS = ['fullBandwidth', 'exactSize', 'monotone', 'complete', 'speedupScenarios'] as const

/** Returns a message if the result of `make` is no placer; a policy without types may return anything. */
export function placerDefect(made: unknown): string | undefined {
  const { claims, place } = (made ?? {}) as { readonly claims?: unknown; readonly place?: unknown }
  if (typeof place === 'function' && typeof claims === 'object' && claims !== null)
    return claimsDefect(claims as Claims)
  return `make returned ${asJson(made)}; expected a placer, { claims, place }, or { unsupported }`
}

function claimsDefect(claims: Claims): string | undefined {
  if (!LINKS.includes(claims.links))
    return `claims.links is ${asJson(claims.links)}; expected ${LINKS.slice(0, -1).join(', ')} or ${LINKS.at(-1)}`
  const wrong = FACTS.find((fact) => typeof claims[fact] !== 'boolean')
  if (wrong !== undefined) return `claims.${wrong} is ${asJson(claims[wrong])}; expected true or false`
  const share = claims.shareBandwidth as unknown
  if (share !== undefined && !isShare(share))
    return `claims.shareBandwidth is ${asJson(share)}; expected { uplink, spine }, each a list of two positive integers such as [2, 1], or no such claim`
  if (claims.anyFreeNodes !== undefined && typeof claims.anyFreeNodes !== 'boolean')
    return `claims.anyFreeNodes is ${asJson(claims.anyFreeNodes)}; expected true or false, or no such claim`
  return claims.rule === undefined || typeof claims.rule === 'string'
    ? undefined
    : `claims.rule is ${asJson(claims.rule)}; expected the name of a rule, or no rule at all`
}

function isShare(share: unknown): boolean {
  const { uplink, spine } = (share ?? {}) as { readonly uplink?: unknown; readonly spine?: unknown }
  return [uplink, spine].every(
    (ratio) =>
      Array.isArray(ratio) && ratio.length === 2 && ratio.every((each) => Number.isSafeInteger(each) && each > 0),
  )
}

function asJson(value: unknown): string {
  return JSON.stringify(value) ?? 'missing'
}

/**
 * Returns a message if the result of `place` has not the form of a placement or a refusal; a policy without types may
 * return anything. `placementDefect` tests the ids of the nodes and links.
 */
export function outcomeDefect(outcome: Outcome): string | undefined {
  if (typeof outcome !== 'object' || outcome === null) return noAnswer(inWords(outcome))
  if (outcome instanceof MaskedPlacement) return bandwidthDefect(outcome.bandwidth)
  if (outcome.ok === true) return placementShapeDefect(outcome)
  return outcome.ok === false ? refusalDefect(outcome) : noAnswer(otherObject(outcome))
}

function refusalDefect(refusal: Refusal): string | undefined {
  switch (refusal.code) {
    case 'too-few-nodes':
      return typeof refusal.free === 'number' ? undefined : missing('free', 'a number of nodes', refusal.free)
    case 'search-bound':
      return typeof refusal.steps === 'number' ? undefined : missing('steps', 'a number', refusal.steps)
    case 'no-placement':
    case 'never':
      return typeof refusal.constraint === 'string'
        ? undefined
        : missing('constraint', 'a text that says what failed', refusal.constraint)
    default:
      return `place returned a refusal with code ${inWords((refusal as Refusal).code)}; expected too-few-nodes, no-placement, search-bound or never`
  }
}

function placementShapeDefect({ nodes, links, ranks, bandwidth }: Placement): string | undefined {
  if (!isList(nodes)) return missing('nodes', 'a list of node ids', nodes)
  if (!Array.isArray(links) || !links.every(isList))
    return missing('links', 'a list of lists of link ids, one a level', links)
  if (ranks !== undefined && !isList(ranks)) return missing('ranks', 'a list of node ids, or left out', ranks)
  return bandwidthDefect(bandwidth)
}

function bandwidthDefect(bandwidth: number | undefined): string | undefined {
  return bandwidth === undefined || (Number.isSafeInteger(bandwidth) && bandwidth >= 0)
    ? undefined
    : missing('bandwidth', 'a whole number of MB/s, or left out', bandwidth)
}

function isList(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof (value as { length?: unknown }).length === 'number'
}

function missing(field: string, expected: string, found: unknown): string {
  return `place returned ${field} ${inWords(found)}; expected ${expected}`
}

function noAnswer(found: string): string {
  return `place returned ${found}; expected a placement, { ok: true, nodes, links }, or a refusal, { ok: false, code, … }`
}

function otherObject(outcome: object): string {
  if ('then' in outcome && typeof outcome.then === 'function')
    return 'a promise (a simulation does not wait for an answer)'
  return Array.isArray(outcome) ? 'an array' : `an object whose ok is ${inWords((outcome as { ok?: unknown }).ok)}`
}

function inWords(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.slice(0, 100))
    case 'object':
      return value === null ? 'null' : Array.isArray(value) ? 'an array' : 'an object'
    case 'undefined':
      return 'undefined (nothing)'
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value)
    default:
      return `a ${typeof value}`
  }
}

/**
 * Returns a message about the first fault of a placement; undefined if it has none. A fault is an id that does not
 * exist, ids that do not ascend, or a rank on a node outside of the placement.
 */
export function placementDefect(topology: Topology, placement: Placement): string | undefined {
  if (placement instanceof MaskedPlacement && checksumOfMasks(maskWords(topology), placement.masks) === undefined)
    return 'masks that do not ascend, an empty mask, or a mask with a node or link that does not exist'
  const nodes = idsDefect('node', placement.nodes, topology.nodes)
  if (nodes !== undefined) return nodes
  for (let level = 0; level < placement.links.length; level++) {
    const count = topology.levels[level]?.links ?? 0
    const links = idsDefect(`level-${level} link`, placement.links[level], count)
    if (links !== undefined) return links
  }
  return ranksDefect(placement)
}

function idsDefect(what: string, ids: ArrayLike<number>, count: number): string | undefined {
  let previous = -1
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i]
    if (!Number.isInteger(id) || id < 0 || id >= count)
      return `${what} ${id} does not exist: ids go from 0 to ${count - 1}`
    if (id <= previous) return `${what} ${id} follows ${previous}: ids must ascend, each once`
    previous = id
  }
  return undefined
}

function ranksDefect({ nodes, ranks }: Placement): string | undefined {
  if (ranks === undefined) return undefined
  const used = new Set(Array.from(nodes))
  for (let rank = 0; rank < ranks.length; rank++) {
    if (!used.has(ranks[rank])) return `rank ${rank} is on node ${ranks[rank]}, which is not in the placement`
  }
  return undefined
}
