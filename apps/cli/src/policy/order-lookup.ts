import { orderDefects, type QueueOrder } from '@cloister/ordering'
import { orders } from '@cloister/orders'
import { findOrder, OtherOrders, type TaggedProblem } from '@cloister/run'
import { attempt, EXEC, programOrder } from '@cloister/run/node'
import { Effect } from 'effect'
import { Problem } from '../errors/errors.ts'
import { nearest } from '../terminal/nearest.ts'
import { defaultExport, importModule, moduleFiles, noDefaultExport } from './import-module.ts'
import { specifiersOf } from './installed-packages.ts'
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
  for (const specifier of specifiersOf('order', name)) {
    const exports = yield* importModule(specifier, 'order')
    if (exports === undefined) continue
    if (!('default' in exports)) return yield* noDefaultExport(specifier, exports, 'order')
    const order = defaultExport(exports)
    const problems = orderDefects(order).map((problem) => `  - ${problem}`)
    if (problems.length > 0)
      return yield* new Problem(`the default export of ${specifier} is no queue order:\n${problems.join('\n')}`)
    return order as QueueOrder<any>
  }
  const close = nearest(name, [...orders.keys()])
  return yield* new Problem(
    `there is no queue order ${JSON.stringify(name)}${close === undefined ? '' : `; did you mean ${close}?`}\n${orderRule}`,
  )
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
