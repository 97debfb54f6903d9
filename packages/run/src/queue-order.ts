import { type BoundOrder, bindOrder, type OrderedMachine, type QueueOrder } from '@cloister/ordering'
import { orders } from '@cloister/orders'
import * as Effect from 'effect/Effect'
import { attempt, OptionError, type TaggedProblem } from './errors.ts'
import type { JsonObject } from './option.ts'
import { OtherOrders } from './services.ts'

/** Finds a queue order by the value of the option `order`: a built-in order, or an order of `OtherOrders`. */
export const findOrder: (name: string) => Effect.Effect<QueueOrder<any>, TaggedProblem> = Effect.fnUntraced(
  function* (name) {
    const order = orders.get(name)
    if (order !== undefined) return order
    const find = yield* OtherOrders
    if (find !== undefined) return yield* find(name)
    const reason = `found ${JSON.stringify(name)}, expected one of ${[...orders.keys()].join(', ')}`
    return yield* new OptionError({ option: 'order', reason })
  },
)

/**
 * Returns a function that binds the order of a run anew, because an order may keep sums over one run. Undefined stands for
 * the order of submission, for which logs have no order.
 */
export const bindingOf: (
  name: string,
  config: JsonObject,
  machine: OrderedMachine,
) => Effect.Effect<() => BoundOrder | undefined, TaggedProblem> = Effect.fnUntraced(function* (
  name,
  config,
  { nodes },
) {
  if (name === 'submit' && Object.keys(config).length === 0) return () => undefined
  const order = yield* findOrder(name)
  const bind = (): BoundOrder => bindOrder(order, { nodes }, config)
  // A wrong config is an error of the option, before the jobs are loaded.
  yield* attempt(bind, 'orderConfig')
  return order.name === 'submit' ? () => undefined : bind
})
