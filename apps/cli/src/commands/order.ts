import { bindOrder, type QueueOrder } from '@cloister/ordering'
import { orderChecks, runChecks } from '@cloister/ordering/checks'
import { orders } from '@cloister/orders'
import { attempt, forbidExit, orderDescriptions } from '@cloister/run'
import { Effect } from 'effect'
import { Argument, Command } from 'effect/cli'
import { exitCodes, ExitWith } from '../errors/errors.ts'
import { checked, describeChecks } from '../policy/check-report.ts'
import { installedCode } from '../policy/installed-packages.ts'
import { installedTable } from '../policy/installed-table.ts'
import { lookUpOrder, orderRule } from '../policy/order-lookup.ts'
import type { ShownOrder } from '../results/policies.ts'
import { print } from '../terminal/output.ts'
import { fields, paragraphs, table } from '../terminal/table.ts'
import { parseJson } from '../run/spec-of-flags.ts'
import { jsonFlag, type Options, orderConfigFlag } from './flags.ts'

const orderArgument = Argument.String('order').pipe(
  Argument.withDescription('Queue order: a built-in name, a package, a file or exec:COMMAND'),
)

const listFlags = { json: jsonFlag }

const list = Command.make('list', listFlags, (options) => listOrders(options)).pipe(
  Command.withDescription('List the built-in and installed queue orders'),
)

const showFlags = { name: orderArgument, orderConfig: orderConfigFlag, json: jsonFlag }

const show = Command.make('show', showFlags, (options) => showOrder(options)).pipe(
  Command.withDescription('Show the claims and the configuration of a queue order'),
  Command.withExamples([
    { command: 'cloister order show fair-share', description: 'Show the options of fair-share with their defaults' },
  ]),
)

const testFlags = { name: orderArgument, orderConfig: orderConfigFlag, json: jsonFlag }

const test = Command.make('test', testFlags, (options) => testOrder(options)).pipe(
  Command.withDescription('Check a queue order against its contract and its claims'),
  Command.withExamples([{ command: 'cloister order test ./my-order.ts', description: 'Check an order in a file' }]),
)

export const order = Command.make('order').pipe(
  Command.withDescription('List, show and check queue orders'),
  Command.withSubcommands([list, show, test]),
)

/** Number of nodes of the machine to which `order show` binds an order. */
const NODES = 1024

function claimsOf(found: QueueOrder<any>, config: unknown): ShownOrder['claims'] {
  const { ordering } = bindOrder(found, { nodes: NODES }, config)
  const { fixed, history = false } = ordering.claims
  return { fixed, history, behindHead: ordering.scoreBehindHead !== undefined }
}

const listOrders = Effect.fn(function* ({ json }: Options<typeof listFlags>) {
  const builtin = Array.from(orders.values(), ({ name, version }) => ({
    name,
    version,
    description: orderDescriptions[name],
  }))
  const installed = installedCode('order', orders.keys())
  yield* print('order list', json, { builtin, installed }, () =>
    paragraphs([
      table(
        ['built in', 'version', 'description'],
        builtin.map(({ name, version, description }) => [name, version, description]),
      ),
      installed.length === 0 ? undefined : installedTable(installed),
      orderRule,
    ]),
  )
})

const showOrder = Effect.fn(function* ({ name, orderConfig, json }: Options<typeof showFlags>) {
  const given = yield* attempt(() => parseJson('order-config', orderConfig))
  const found = yield* lookUpOrder(name)
  const shown: ShownOrder = yield* attempt(() => ({
    order: `${found.name}@${found.version}`,
    claims: claimsOf(found, given),
    config: bindOrder(found, { nodes: NODES }, given).config,
  }))
  yield* print('order show', json, shown, () =>
    paragraphs([
      shown.order,
      fields([
        ['scores', shown.claims.fixed ? 'fixed: the score of a job never changes' : 'new at each scheduling pass'],
        ['history', shown.claims.history ? 'scores depend on runs that have ended' : 'not read'],
        ['behind the head', shown.claims.behindHead ? 'scores of their own' : 'the queue order'],
        ['configuration', JSON.stringify(shown.config)],
      ]),
    ]),
  )
})

const testOrder = Effect.fn(function* ({ name, orderConfig, json }: Options<typeof testFlags>) {
  const config = yield* attempt(() => parseJson('order-config', orderConfig))
  const found = yield* lookUpOrder(name)
  const allowExit = forbidExit()
  const checks = yield* attempt(() => Array.from(runChecks(orderChecks(found, { config })), checked)).pipe(
    Effect.ensuring(Effect.sync(allowExit)),
  )
  const title = `${found.name}@${found.version}`
  const result = { order: title, ok: checks.every(({ ok }) => ok), checks }
  yield* print('order test', json, result, () =>
    describeChecks(title, checks, 'The order keeps the contract and its claims.'),
  )
  if (!result.ok) return yield* new ExitWith(exitCodes.no)
})
