import { Campaign } from './checks/campaign.ts'
import { interruptible } from './checks/interruptible.ts'
import { basis, properties } from './checks/properties/index.ts'
import type { Property } from './checks/question.ts'
import { type CheckOptions, subjectsOf } from './checks/subject.ts'
import type { PlacementPolicy } from './contract.ts'
import { contractDefect } from './contract-version.ts'
import { placerDefect } from './placer-defect.ts'

export { ask, request } from './checks/ask.ts'
export { stateText } from './checks/as-test.ts'
export { idsCode, requestText } from './checks/plain.ts'
export { mapperChecks } from './checks/mapper.ts'
export { isConnected } from './checks/connected.ts'
export { freePlacementDefect } from './checks/properties/placements.ts'
export { canRoute } from './checks/rearrangeable.ts'
export { type Scene, type SceneAllocation, stateOf, type Withheld } from './checks/scene.ts'
export type { CheckOptions, CheckProgress } from './checks/subject.ts'

/** Check of one property of a policy. */
export interface PolicyCheck {
  readonly name: string
  /** Names of prerequisite checks. If one of them fails, the result of this check would be meaningless. */
  readonly standsOn: ReadonlyArray<string>
  /** Runs the check. Throws an Error that says where and how the policy fails. */
  readonly run: () => void
}

/** Result of a check. The check was not run if the prerequisite check `hiddenBy` failed. */
export type CheckResult =
  | { readonly name: string; readonly outcome: 'ok' }
  | { readonly name: string; readonly outcome: 'failed'; readonly error: unknown }
  | { readonly name: string; readonly outcome: 'not-reached'; readonly hiddenBy: string }

/**
 * Returns checks of everything that the contract demands of a policy. Any test runner can run each check alone. The
 * first check that needs the random histories plays all of them.
 */
export function policyChecks(
  policy: PlacementPolicy<any, any>,
  options: CheckOptions = {},
): ReadonlyArray<PolicyCheck> {
  const subjects = onlyOnce(() => inTime(() => subjectsOf(policy, options)))
  const campaign = onlyOnce(() => new Campaign(subjects().served, [...basis, ...properties], options))
  const serves = 'serves a topology, and names the reason where it does not'
  return [
    { name: 'has the members of its contract', standsOn: [], run: () => checkMembers(policy) },
    {
      name: 'accepts its default config and explains a bad one',
      standsOn: [],
      run: () => inTime(() => checkConfig(policy)),
    },
    { name: serves, standsOn: [], run: () => checkTopologies(subjects()) },
    ...[...basis, ...properties].map((property) => ({
      name: property.name,
      standsOn: [serves, ...foundationsOf(property)],
      run: () => {
        const defect = campaign().defectOf(property)
        if (defect !== undefined) throw defect
      },
    })),
  ]
}

/** Returns the names of all direct and indirect prerequisites of a property. */
function foundationsOf(property: Property): ReadonlyArray<string> {
  const named = basis.slice(0, property.isBasis === true ? basis.indexOf(property) : basis.length)
  const own = property.standsOn.map((name) => properties.find((other) => other.name === name)!)
  return [...named.map(({ name }) => name), ...own.flatMap((other) => [...foundationsOf(other), other.name])]
}

function onlyOnce<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: make() }).value
}

/** Runs code outside of `place` with a time limit, for example `make` and the validation of the config. */
function inTime<Value>(run: () => Value): Value {
  return interruptible(run, 15_000)
}

/**
 * Runs checks in order and skips each check with a failed prerequisite, so that a mistake appears once, at its cause.
 */
export function* runChecks(checks: ReadonlyArray<PolicyCheck>): Generator<CheckResult> {
  const failed = new Set<string>()
  for (const { name, standsOn, run } of checks) {
    const hiddenBy = standsOn.find((other) => failed.has(other))
    if (hiddenBy !== undefined) {
      yield { name, outcome: 'not-reached', hiddenBy }
      continue
    }
    try {
      run()
      yield { name, outcome: 'ok' }
    } catch (error) {
      failed.add(name)
      yield { name, outcome: 'failed', error }
    }
  }
}

function checkMembers(policy: PlacementPolicy<any, any>): void {
  const defect = contractDefect(policy.contract)
  if (defect !== undefined) throw new Error(defect)
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(policy.name))
    throw new Error(`name ${JSON.stringify(policy.name)} must be lower case letters, digits and '-'`)
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(policy.version))
    throw new Error(`version ${JSON.stringify(policy.version)} must be a semantic version`)
  if (typeof policy.make !== 'function') throw new Error('make must be a function')
}

function checkConfig(policy: PlacementPolicy<any, any>): void {
  const validate = policy.config['~standard'].validate
  const result = validate({})
  if (result instanceof Promise) throw new Error('the config schema must validate synchronously')
  if (result.issues !== undefined)
    throw new Error(`the empty config is refused: ${result.issues.map(({ message }) => message).join('; ')}`)
  for (const bad of [42, 'config', null]) {
    const refused = validate(bad)
    if (refused instanceof Promise || refused.issues === undefined)
      throw new Error(`config ${JSON.stringify(bad)} is accepted`)
    if (refused.issues.some(({ message }) => message.length === 0))
      throw new Error(`config ${JSON.stringify(bad)} is refused without a message`)
  }
}

function checkTopologies({ served, unsupported }: ReturnType<typeof subjectsOf>): void {
  if (served.length === 0) throw new Error(`no topology is served: ${unsupported.join('; ')}`)
  const silent = unsupported.find((reason) => reason.endsWith(': '))
  if (silent !== undefined) throw new Error(`${silent}an unsupported topology needs a reason`)
  for (const { label, placer } of served) {
    const defect = placerDefect(placer)
    if (defect !== undefined) throw new Error(`${label}: ${defect}`)
    const { claims, linkCapacity } = placer
    if ((claims.links === 'capped') !== (linkCapacity !== undefined)) {
      throw new Error(
        `${label}: linkCapacity is ${linkCapacity}; it is due just where claims.links is 'capped', not '${claims.links}'`,
      )
    }
  }
}
