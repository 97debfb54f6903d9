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

/** Queue order of a run. */
export interface RunOrder {
  /** Undefined for the order of submission, for which logs have no order. */
  readonly order: QueueOrder<any> | undefined
  /** Binds the order for one simulation, because an order may keep sums over a run. */
  readonly newOrder: () => BoundOrder | undefined
}

/** Finds the queue order of a run, and checks its configuration. */
export const orderOfRun: (
  name: string,
  config: JsonObject,
  machine: OrderedMachine,
) => Effect.Effect<RunOrder, TaggedProblem> = Effect.fnUntraced(function* (name, config, { nodes }) {
  const order = yield* findOrder(name)
  const newOrder = (): BoundOrder => bindOrder(order, { nodes }, config)
  // A wrong config is an error of the option, before the jobs are loaded.
  yield* attempt(newOrder, 'orderConfig')
  return order.name === 'submit' ? { order: undefined, newOrder: () => undefined } : { order, newOrder }
})
