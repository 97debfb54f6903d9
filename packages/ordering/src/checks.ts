import { readConfig } from '@cloister/placement'
import type { PolicyCheck } from '@cloister/placement/checks'
import { orderDefects } from './bind.ts'
import { OrderCampaign, type OrderCheckOptions } from './checks/campaign.ts'
import { type OrderCheckName, orderCheckNames as is } from './checks/names.ts'
import { plays } from './checks/plays.ts'
import { WatchedOrdering } from './checks/watched.ts'
import type { QueueOrder } from './contract.ts'

export { type CheckResult, type PolicyCheck, runChecks } from '@cloister/placement/checks'
export type { OrderCheckOptions } from './checks/campaign.ts'
export { type Layout, type QueueRows, queueView, type RunRow, scoresOf, type WaitingRow } from './checks/views.ts'
export { waitsUnder } from './checks/waits.ts'

const names: ReadonlyArray<OrderCheckName> = Object.values(is)
/** Prerequisites of the later checks: without these the later results are meaningless. */
const basis = names.filter((name) => !plays.has(name))

/**
 * Returns one check for each property that the contract demands of an order, for any test runner. The first check that
 * needs random histories plays the histories of most checks.
 *
 * @example
 * for (const result of runChecks(orderChecks(order))) console.log(result.name, result.outcome)
 */
export function orderChecks(order: QueueOrder<any>, options: OrderCheckOptions = {}): ReadonlyArray<PolicyCheck> {
  let campaign: OrderCampaign | undefined
  const config = (): unknown => validConfig(order, options.config ?? {})
  const played = (): OrderCampaign => (campaign ??= new OrderCampaign(order, config(), options))
  const run = (name: OrderCheckName): void => {
    if (name === is.members) return checkMembers(order)
    if (name === is.config) return checkConfig(order, options.config)
    if (name === is.makes) return void new WatchedOrdering(order, 16, config())
    const fault = played().faultOf(name)
    if (fault !== undefined) throw fault
  }
  const isClaimed = (name: OrderCheckName): boolean => {
    if (name !== is.fixed && name !== is.history) return true
    const { fixed, history } = new WatchedOrdering(order, 16, config()).ordering.claims
    return name === is.fixed ? fixed : history !== true
  }
  return names.map((name, at) => ({
    name,
    standsOn: at < basis.length ? basis.slice(0, at) : basis,
    run: () => {
      if (!plays.has(name) || isClaimed(name)) run(name)
    },
    isClaimed: () => isClaimed(name),
  }))
}

function checkMembers(order: QueueOrder<any>): void {
  const defects = orderDefects(order)
  if (defects.length > 0) throw new Error(defects.join('; '))
}

function checkConfig(order: QueueOrder<any>, given: unknown): void {
  const empty = readConfig(order.config, {})
  if ('wrong' in empty && /: *$|asynchronously/.test(empty.wrong))
    throw new Error(`${empty.wrong}; expected a config, or a message that names the missing option`)
  if ('wrong' in empty && given === undefined)
    throw new Error(`${empty.wrong}; the checks need a config for this order: orderChecks(order, { config })`)
  const value = validConfig(order, given ?? {})
  // A log holds the config as JSON, and readers of the log bind the order to it.
  const logged = JSON.stringify(value)
  const again = JSON.stringify(validConfig(order, JSON.parse(logged)))
  if (again !== logged)
    throw new Error(`the config ${logged} became ${again} when validated again; expected an equal config`)
  for (const bad of [42, 'config', null]) {
    const refused = readConfig(order.config, bad)
    if (!('wrong' in refused))
      throw new Error(
        `the order accepts the config ${JSON.stringify(bad)}; expected a refusal, because a config is an object`,
      )
    if (refused.wrong.endsWith(': '))
      throw new Error(`the order refuses the config ${JSON.stringify(bad)} without a message; expected a message`)
  }
}

/** @throws Error with the messages of the order's schema */
function validConfig(order: QueueOrder<any>, config: unknown): unknown {
  const read = readConfig(order.config, config)
  if ('wrong' in read) throw new Error(read.wrong)
  return read.value
}
