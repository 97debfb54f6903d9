import { readConfig } from '@cloister/placement'
import type { OrderedMachine, Ordering, QueueOrder } from './contract.ts'

/** Error for an invalid config, or for an order that breaks its contract. */
export class OrderError extends Error {
  readonly _tag = 'OrderError'
  readonly order: string
  constructor(order: string, message: string) {
    super(`order ${order}: ${message}`)
    this.order = order
  }
}

/** Order with a config, and the ordering of the order for a machine. */
export interface BoundOrder {
  readonly order: Pick<QueueOrder, 'name' | 'version'>
  /** Valid config with every default filled in. */
  readonly config: unknown
  readonly ordering: Ordering
  /**
   * True for an agent that chooses the head of the queue: the scheduler asks again after each start of the head, in the
   * same pass. If all scores are Infinity, no job starts until the next pass. Default: false, as for every order of
   * `QueueOrder`, because an auditor asks such an order once a pass.
   */
  readonly eachStart?: boolean
}

/**
 * Returns the ordering of an order for a machine and a config, and the config with every default. Default config: `{}`.
 *
 * @throws OrderError if the contract version is unknown, if the config is not valid, or if `make` returns no ordering
 */
export function bindOrder(order: QueueOrder<any>, machine: OrderedMachine, config: unknown = {}): BoundOrder {
  const [defect] = orderDefects(order)
  if (defect !== undefined) throw new OrderError(order.name, defect)
  const read = readConfig(order.config, config)
  if ('wrong' in read) throw new OrderError(order.name, read.wrong)
  const ordering: unknown = order.make(machine, read.value)
  const wrong = orderingDefect(ordering)
  if (wrong !== undefined) throw new OrderError(order.name, wrong)
  return { order, config: read.value, ordering: ordering as Ordering }
}

/**
 * Returns the problems that keep a value from being an order, a sentence for each member; empty for an order. The
 * function compares no identities of values, because an order may use a separate copy of this package.
 */
export function orderDefects(value: unknown): ReadonlyArray<string> {
  if (typeof value !== 'object' || value === null)
    return [`the default export is ${inWords(value)}, expected an object`]
  const { contract, name, version, config, make } = value as Record<string, unknown>
  const problems: Array<string> = []
  const expect = (member: string, found: unknown, isRight: boolean, right: string): void => {
    if (!isRight) problems.push(`${member} is ${inWords(found)}, expected ${right}`)
  }
  expect('contract', contract, contract === 1, '1: update the order, or the program that runs the order')
  const isName = typeof name === 'string' && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)
  expect('name', name, isName, 'a text of lower-case letters, digits and "-"')
  const isVersion = typeof version === 'string' && /^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)
  expect('version', version, isVersion, 'a semantic version, such as "1.0.0"')
  const schema = (config as { readonly '~standard'?: { readonly validate?: unknown } } | undefined)?.['~standard']
  expect('config', config, typeof schema?.validate === 'function', 'a Standard Schema')
  expect('make', make, typeof make === 'function', 'a function (machine, config) that returns an ordering')
  return problems
}

/** Returns a message if the result of an order's `make` is no ordering; else undefined. */
export function orderingDefect(made: unknown): string | undefined {
  const expected = 'expected an ordering, { claims, score }'
  if (typeof made !== 'object' || made === null) return `make returned ${inWords(made)}; ${expected}`
  const { claims, score, scoreBehindHead } = made as Record<string, unknown>
  if (typeof score !== 'function') return `make returned an ordering whose score is ${inWords(score)}; ${expected}`
  if (scoreBehindHead !== undefined && typeof scoreBehindHead !== 'function')
    return `make returned an ordering whose scoreBehindHead is ${inWords(scoreBehindHead)}, expected a function`
  if (typeof claims !== 'object' || claims === null) return `claims is ${inWords(claims)}, expected { fixed }`
  const { fixed, history, recorded } = claims as Record<string, unknown>
  if (typeof fixed !== 'boolean') return `claims.fixed is ${inWords(fixed)}, expected true or false`
  if (history !== undefined && typeof history !== 'boolean')
    return `claims.history is ${inWords(history)}, expected true or false, or no such claim`
  if (recorded !== undefined && typeof recorded !== 'boolean')
    return `claims.recorded is ${inWords(recorded)}, expected true or false, or no such claim`
  if (fixed && history === true)
    return 'claims.fixed and claims.history are true, but fixed scores do not see the history'
  return undefined
}

function inWords(value: unknown): string {
  if (value === undefined) return 'missing'
  return typeof value === 'function' ? 'a function' : (JSON.stringify(value) ?? typeof value)
}
