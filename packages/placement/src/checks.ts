import { freePlacementDefect, placements, type Property, properties, untouched } from './checks/claims.ts'
import { Draw } from './checks/draw.ts'
import { History } from './checks/history.ts'
import { type CheckOptions, type Subject, subjectsOf } from './checks/subject.ts'
import type { PlacementPolicy } from './contract.ts'
import { type AnyContract, contractDefect, currentPolicy, newestServed } from './contract-1.ts'
import { placerDefect } from './placer-defect.ts'

export { ask, request } from './checks/ask.ts'
export type { CheckOptions } from './checks/subject.ts'

/** One thing that every policy must do. */
export interface PolicyCheck {
  readonly name: string
  /** Names of the checks before it without which its result says nothing: where one of them fails, that is what to mend. */
  readonly standsOn: ReadonlyArray<string>
  /** Throws an Error that says where and how the policy does not. */
  readonly run: () => void
}

/** What came of a check. `hiddenBy`: it was not run, as what it stands on fails. */
export type CheckResult =
  | { readonly name: string; readonly outcome: 'ok' }
  | { readonly name: string; readonly outcome: 'failed'; readonly error: unknown }
  | { readonly name: string; readonly outcome: 'not-reached'; readonly hiddenBy: string }

const STEPS = 120

/** Everything the contract asks of a policy, as checks that any test runner can run, each by itself. */
export function policyChecks(exported: AnyContract<any, any>, options: CheckOptions = {}): ReadonlyArray<PolicyCheck> {
  const given = newestServed(exported)
  const policy = currentPolicy(given)
  const subjects = (): ReturnType<typeof subjectsOf> => subjectsOf(policy, options)
  const serves = 'serves a topology, and names the reason where it does not'
  const basis = [serves, untouched.name, placements.name]
  return [
    { name: 'has the members of its contract', standsOn: [], run: () => checkMembers(given) },
    { name: 'accepts its default config and explains a bad one', standsOn: [], run: () => checkConfig(policy) },
    { name: serves, standsOn: [], run: () => checkTopologies(subjects()) },
    ...[untouched, placements, ...properties].map((property) => ({
      name: property.name,
      standsOn: basis.slice(0, basis.includes(property.name) ? basis.indexOf(property.name) : undefined),
      run: () => {
        for (const subject of subjects().served)
          if (property.applies(subject)) checkProperty(property, subject, options.histories ?? 4)
      },
    })),
  ]
}

/** Runs checks in their order, but for those that stand on one that failed: so that a mistake shows once, where it is made. */
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
        // Whatever else it broke, that a placement is none shows in the check of placements.
        if (outcome.ok && property === untouched && freePlacementDefect(subject, outcome, history.state)) return
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
