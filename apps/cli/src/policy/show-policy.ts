import { bindPolicy, type Claims, PolicyError } from '@cloister/placement'
import { type AnyPolicy, blamePolicy } from '@cloister/run'
import type { Topology } from '@cloister/topology'
import { Effect } from 'effect'
import { attempt } from '../errors/attempt.ts'
import { parseJson } from '../run/spec-of-flags.ts'
import { print } from '../terminal/output.ts'
import { fields, table } from '../terminal/table.ts'
import { bandwidthRemark } from '../topology/taper.ts'
import { findTopology } from '../topology/topology-lookup.ts'
import { PolicyLookup } from './policy-lookup.ts'
import { type PolicyOption, policyOptions } from './policy-options.ts'
import { firstParagraph } from './policy-readme.ts'

export interface ShowOptions {
  readonly name: string
  readonly topology: string
  readonly policyConfig: string
  readonly json: boolean
}

/** Runs `cloister policy show`: prints the options of a policy, and the claims on a topology under a configuration. */
export const showPolicy = Effect.fn(function* (options: ShowOptions) {
  const config = yield* attempt(() => parseJson('config', options.policyConfig))
  const topology = yield* findTopology(options.topology)
  const policies = yield* PolicyLookup
  const found = yield* policies.find(options.name)
  const readme = yield* policies.readme(found)
  const { policy, origin } = found
  const claims = yield* attempt(() => blamePolicy(found, 'make', () => claimsOn(policy, topology, config)))
  const shown: Shown = {
    policy: `${policy.name}@${policy.version}`,
    origin,
    introduction: (readme === undefined ? undefined : firstParagraph(readme)) ?? null,
    options: policyOptions(policy) ?? null,
    topology: topology.name,
    ...claims,
    bandwidthRemark: (claims.claims && bandwidthRemark(policy.name, claims.claims, topology)) ?? null,
  }
  yield* print(options.json, shown, () => describe(shown))
})

type ClaimsOn = Pick<Shown, 'claims' | 'linkCapacity' | 'unsupported'>

function claimsOn(policy: AnyPolicy, topology: Topology, config: unknown): ClaimsOn {
  try {
    const { claims, linkCapacity } = bindPolicy(policy, topology, config).placer
    return { claims, ...(linkCapacity === undefined ? {} : { linkCapacity }) }
  } catch (error) {
    if (error instanceof PolicyError && error.unsupported !== undefined)
      return { claims: null, unsupported: error.unsupported }
    throw error
  }
}

interface Shown {
  readonly policy: string
  readonly origin: string
  readonly introduction: string | null
  /** Fields of the policy's configuration. Null if the fields cannot be derived from the policy's schema. */
  readonly options: ReadonlyArray<PolicyOption> | null
  readonly topology: string
  readonly claims: Claims | null
  readonly linkCapacity?: number
  readonly unsupported?: string
  /** Remark on a claim of full bandwidth on a tapered tree. Null for a policy without the claim, or on a full tree. */
  readonly bandwidthRemark: string | null
}

function describe(shown: Shown): string {
  const { policy, origin, introduction, options, topology, claims } = shown
  return [
    `${policy} (${origin})`,
    ...(introduction === null ? [] : [introduction]),
    optionTable(options),
    claims === null
      ? `The policy does not serve ${topology}: ${shown.unsupported}`
      : `Claims on ${topology}:\n${claimFields(claims, shown.linkCapacity)}`,
    ...(shown.bandwidthRemark === null ? [] : [shown.bandwidthRemark]),
  ].join('\n\n')
}

function optionTable(options: Shown['options']): string {
  if (options === null) return 'The schema of the policy does not list the options; the README of the policy may.'
  if (options.length === 0) return 'The policy has no options.'
  return table(
    ['option', 'type', 'default', ''],
    options.map((option) => [
      option.name,
      option.type,
      'default' in option ? JSON.stringify(option.default) : option.required ? 'required' : 'none',
      option.description ?? '',
    ]),
  )
}

function claimFields(claims: Claims, linkCapacity: number | undefined): string {
  const yesOrNo = (claim: boolean): string => (claim ? 'yes' : 'no')
  return fields([
    ['links', linkCapacity === undefined ? claims.links : `${claims.links}, ${linkCapacity} MB/s each`],
    ['rule', claims.rule ?? 'none'],
    ['full bandwidth', yesOrNo(claims.fullBandwidth)],
    ['exact size', yesOrNo(claims.exactSize)],
    ['monotone', yesOrNo(claims.monotone)],
    ['complete', yesOrNo(claims.complete)],
    ['speed-up scenarios', yesOrNo(claims.speedupScenarios)],
  ])
}
