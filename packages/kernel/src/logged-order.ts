import type { Header } from '@cloister/eventlog'
import { type BoundOrder, bindOrder, type OrderedMachine, type QueueOrder } from '@cloister/ordering'
import { orders } from '@cloister/orders'

/** Error for a log whose order is not built in, and was not given. */
export class UnknownOrderError extends Error {
  readonly _tag = 'UnknownOrderError'
  readonly order: string
  constructor(order: string) {
    super(`the log has the queue order ${order}, which is not built in; give the order with --order`)
    this.order = order
  }
}

/**
 * Returns the queue order of a log; undefined for the order of submission.
 *
 * @param given order for a log whose order is not built in
 * @throws UnknownOrderError if the order of the log is neither built in nor given
 * @throws OrderError if the order does not accept the config of the log
 */
export function loggedOrder(
  { order: logged }: Pick<Header, 'order'>,
  machine: OrderedMachine,
  given?: QueueOrder<any>,
): BoundOrder | undefined {
  if (logged === undefined) return undefined
  const order = given?.name === logged.name ? given : orders.get(logged.name)
  if (order === undefined) throw new UnknownOrderError(logged.name)
  return bindOrder(order, { nodes: machine.nodes }, logged.config)
}
