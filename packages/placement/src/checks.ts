import { Campaign, interruptible } from './checks/campaign.ts'
import { memoryDefect } from './checks/memory.ts'
import { basis, properties } from './checks/properties/index.ts'
import type { Property } from './checks/questions.ts'
import type { PolicyCheck } from './checks/run-checks.ts'
import { type CheckOptions, type Subject, subjectsOf } from './checks/subjects.ts'
import type { PlacementPolicy } from './contract.ts'
import { contractDefect, placerDefect } from './bind.ts'

export { Interrupted, interruptible } from './checks/campaign.ts'
export { Draw } from './checks/draws.ts'
export { ask, request } from './checks/questions.ts'
export { stateText } from './checks/shrink.ts'
export { idsCode, requestText, type Scene, type SceneAllocation, stateOf } from './checks/scenes.ts'
export type { Withheld } from './resources.ts'
export { mapperChecks } from './checks/mapper.ts'
export { type CheckResult, type PolicyCheck, runChecks } from './checks/run-checks.ts'
export { type RouterCheckOptions, routerChecks } from './checks/router.ts'
export { readsOf, withTraps } from './checks/reads.ts'
export { replacedFunction } from './checks/originals.ts'
export { freePlacementDefect } from './checks/properties/answers.ts'
export { bandwidthDefect, canRoute, isConnected } from './checks/properties/links.ts'
export type { CheckOptions, CheckProgress } from './checks/subjects.ts'

/**
 * Returns one check for each property that the contract demands of a policy, for any test runner. The first check that
 * needs random histories plays the histories of all checks.
 */
export function policyChecks(
  policy: PlacementPolicy<any, any>,
  options: CheckOptions = {},
): ReadonlyArray<PolicyCheck> {
  const subjects = onlyOnce(() => inTime(() => subjectsOf(policy, options)))
  const campaign = onlyOnce(() => new Campaign(subjects().served, [...basis, ...properties], options))
  const serves = 'serves a topology, and gives the reason if it does not serve one'
  return [
    { name: 'has the members of its contract', standsOn: [], run: () => checkMembers(policy) },
    {
      name: 'accepts the empty config, and refuses a wrong config with a message',
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
      isClaimed: () => subjects().served.some((subject) => property.applies?.(subject) !== false),
    })),
    {
      name: 'calls of place leave no memory in use',
      standsOn: [serves, ...basis.map(({ name }) => name)],
      run: () => inTime(() => checkMemory(subjects().served[0])),
    },
  ]
}

/** Returns the names of all direct and indirect prerequisites of a property. */
function foundationsOf(property: Property): ReadonlyArray<string> {
  const named = basis.slice(0, property.isBasis === true ? basis.indexOf(property) : basis.length)
  const own = (property.standsOn ?? []).map((name) => properties.find((other) => other.name === name)!)
  return [...named.map(({ name }) => name), ...own.flatMap((other) => [...foundationsOf(other), other.name])]
}

function onlyOnce<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: make() }).value
}

/** Runs code of the policy other than `place`. @throws Interrupted after 15 s */
function inTime<Value>(run: () => Value): Value {
  return interruptible(run, 15_000)
}

function checkMembers(policy: PlacementPolicy<any, any>): void {
  const defect = contractDefect(policy.contract)
  if (defect !== undefined) throw new Error(defect)
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(policy.name))
    throw new Error(
      `the policy's name is ${JSON.stringify(policy.name)}; expected lower-case letters, digits and single '-' between them`,
    )
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(policy.version))
    throw new Error(
      `the policy's version is ${JSON.stringify(policy.version)}; expected a semantic version, such as 1.0.0`,
    )
  if (typeof policy.make !== 'function')
    throw new Error(`the policy's make is ${typeof policy.make}; expected a function`)
}

function checkConfig(policy: PlacementPolicy<any, any>): void {
  const validate = policy.config['~standard'].validate
  const result = validate({})
  if (result instanceof Promise)
    throw new Error("the policy's config schema validates asynchronously; expected a synchronous validation")
  if (result.issues !== undefined)
    throw new Error(
      `the policy refuses the empty config, {}: ${result.issues.map(({ message }) => message).join('; ')}`,
    )
  for (const bad of [42, 'config', null]) {
    const refused = validate(bad)
    if (refused instanceof Promise || refused.issues === undefined)
      throw new Error(
        `the policy accepts the config ${JSON.stringify(bad)}; expected a refusal, because a config is an object`,
      )
    if (refused.issues.some(({ message }) => message.length === 0))
      throw new Error(`the policy refuses the config ${JSON.stringify(bad)} without a message; expected a message`)
  }
}

function checkMemory(subject: Subject): void {
  const defect = memoryDefect(subject)
  if (defect !== undefined) throw new Error(defect)
}

function checkTopologies({ served, unsupported }: ReturnType<typeof subjectsOf>): void {
  if (served.length === 0) throw new Error(`the policy serves no topology of the suite: ${unsupported.join('; ')}`)
  const silent = unsupported.find((reason) => reason.endsWith(': '))
  if (silent !== undefined)
    throw new Error(`${silent}make returned an empty reason; expected the reason for not serving the topology`)
  for (const { label, placer } of served) {
    const defect = placerDefect(placer)
    if (defect !== undefined) throw new Error(`${label}: ${defect}`)
    const { claims, linkCapacity } = placer
    if ((claims.links === 'capped') !== (linkCapacity !== undefined)) {
      throw new Error(
        `${label}: linkCapacity is ${linkCapacity}, but claims.links is '${claims.links}'; set linkCapacity if and only if claims.links is 'capped'`,
      )
    }
  }
}
