import { type Property, properties } from './checks/claims.ts'
import { Draw } from './checks/draw.ts'
import { History } from './checks/history.ts'
import { type CheckOptions, type Subject, subjectsOf } from './checks/subject.ts'
import type { PlacementPolicy } from './contract.ts'
import { type AnyContract, contractDefect, currentPolicy } from './contract-1.ts'

export { ask, request } from './checks/ask.ts'
export type { CheckOptions } from './checks/subject.ts'

/** One thing that every policy must do. `run` throws an Error that says where and how it does not. */
export interface PolicyCheck {
  readonly name: string
  readonly run: () => void
}

const STEPS = 120

/** Everything the contract asks of a policy, as checks that any test runner can run. */
export function policyChecks(given: AnyContract<any, any>, options: CheckOptions = {}): ReadonlyArray<PolicyCheck> {
  const policy = currentPolicy(given)
  const subjects = (): ReturnType<typeof subjectsOf> => subjectsOf(policy, options)
  return [
    { name: 'has the members of its contract', run: () => checkMembers(given) },
    { name: 'accepts its default config and explains a bad one', run: () => checkConfig(policy) },
    { name: 'serves a topology, and names the reason where it does not', run: () => checkTopologies(subjects()) },
    ...properties.map((property) => ({
      name: property.name,
      run: () => {
        for (const subject of subjects().served)
          if (property.applies(subject)) checkProperty(property, subject, options.histories ?? 4)
      },
    })),
  ]
}

function checkMembers(policy: AnyContract<any, any>): void {
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
  for (const {
    label,
    placer: { claims, linkCapacity },
  } of served) {
    if ((claims.links === 'capped') !== (linkCapacity !== undefined)) {
      throw new Error(
        `${label}: linkCapacity is ${linkCapacity}; it is due just where claims.links is 'capped', not '${claims.links}'`,
      )
    }
  }
}

function checkProperty(property: Property, subject: Subject, histories: number): void {
  for (let seed = 1; seed <= histories; seed++) {
    const draw = new Draw(seed)
    const history = new History(subject, draw)
    const watch = property.watch(subject, new Draw(-seed))
    for (let step = 0; step < STEPS; step++) {
      const nodes = history.someSize()
      try {
        const outcome = history.ask(nodes)
        watch(history, nodes, outcome)
        if (outcome.ok) history.start(outcome)
        if (!outcome.ok || draw.once(3)) history.endOne()
        if (draw.once(8)) history.breakOrMend()
      } catch (error) {
        throw new Error(
          `${subject.label}, history ${seed}, step ${step}, ${nodes} nodes: ${(error as Error).message}`,
          { cause: error },
        )
      }
    }
  }
}
