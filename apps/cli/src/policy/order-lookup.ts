import { orderDefects, type QueueOrder } from '@cloister/ordering'
import { orders } from '@cloister/orders'
import { attempt, findOrder, OtherOrders, type TaggedProblem } from '@cloister/run'
import { EXEC, programOrder } from '@cloister/run/node'
import { Effect } from 'effect'
import { Problem } from '../errors/errors.ts'
import { nearest } from '../terminal/nearest.ts'
import { defaultExportOf, moduleFiles } from './import-module.ts'
import { startProgram } from './start-program.ts'

/** Rule by which `--order` finds a queue order, for messages. */
export const orderRule = `--order takes, in this order:
  - the name of a built-in order;
  - NAME, if @cloister/order-NAME or cloister-order-NAME is installed in the working directory;
  - the name of any package installed in the working directory;
  - the path of ${moduleFiles};
  - exec:COMMAND, a program that speaks the protocol of orders.
The package or file exports the order by default.`

/** Finds a queue order in a package installed in the working directory, in a file or in a program. */
export const orderOfModule = Effect.fnUntraced(function* (
  name: string,
): Effect.fn.Return<QueueOrder<any>, TaggedProblem> {
  if (name.startsWith(EXEC)) return yield* attempt(() => programOf(name))
  const { code } = yield* defaultExportOf('order', name, 'queue order', orderDefects, () => {
    const close = nearest(name, [...orders.keys()])
    const meant = close === undefined ? '' : `; did you mean ${close}?`
    return new Problem(`there is no queue order ${JSON.stringify(name)}${meant}\n${orderRule}`)
  })
  return code as QueueOrder<any>
})

const programs = new Map<string, QueueOrder<any>>()

/** Starts each program only once: an experiment finds its orders again for each cell. */
function programOf(name: string): QueueOrder<any> {
  const order = programs.get(name) ?? startProgram(name, programOrder)
  programs.set(name, order)
  return order
}

/** Finds a queue order by the value of `--order`, in the order of `orderRule`. */
export const lookUpOrder = (name: string): Effect.Effect<QueueOrder<any>, TaggedProblem> =>
  findOrder(name).pipe(Effect.provideService(OtherOrders, orderOfModule))
