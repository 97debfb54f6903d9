import { type BoundOrder, bindOrder, type OrderClaims, type OrderedMachine, type QueueOrder } from '@cloister/ordering'
import { orders } from '@cloister/orders'
import { type Workload, withTurns } from '@cloister/workload'
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
  readonly claims: OrderClaims
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
  const { claims } = (yield* attempt(newOrder, 'orderConfig')).ordering
  return order.name === 'submit' ? { order: undefined, claims, newOrder: () => undefined } : { order, claims, newOrder }
})

/**
 * Returns the workload with a turn for each job if the order claims `recorded`; else the workload itself.
 *
 * @throws OptionError if the run is resampled, or if no job has a recorded start
 */
export function turnsFor({ order, claims }: RunOrder, resample: unknown, workload: Workload): Workload {
  if (order === undefined || claims.recorded !== true) return workload
  const hasStarts = [...workload.jobs].some(({ recordedStart }) => recordedStart !== undefined)
  if (resample === undefined && hasStarts) return { ...workload, jobs: withTurns(workload.jobs) }
  throw new OptionError({
    option: 'order',
    reason: `${order.name} repeats the order of the recorded starts, but ${resample === undefined ? 'no job of the trace has a recorded start' : 'a resampled trace has no recorded starts'}`,
  })
}
