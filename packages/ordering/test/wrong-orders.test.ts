import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { orderChecks, runChecks } from '../src/checks.ts'
import { orderCheckNames } from '../src/checks/names.ts'
import type { QueueOrder } from '../src/contract.ts'
import { orderSuite } from '../src/testing.ts'
import { samples } from './sample-orders.ts'

const folder = join(import.meta.dirname, 'wrong-orders')
/** Check that finds each wrong order: a key of `orderCheckNames`. */
const expected: Readonly<Record<string, keyof typeof orderCheckNames>> = JSON.parse(
  readFileSync(`${folder}.json`, 'utf8'),
)
const load = async (name: string): Promise<QueueOrder> =>
  ((await import(`./wrong-orders/${name}.ts`)) as { readonly default: QueueOrder }).default
const failedOf = (order: QueueOrder<any>, options = {}) =>
  [...runChecks(orderChecks(order, options))].filter((result) => result.outcome === 'failed')

for (const order of samples) orderSuite(order)

describe('the conformance suite of orders', () => {
  test.each(Object.entries(expected))('fails exactly one check for the wrong order %s: %s', async (name, check) => {
    const limit = name === 'never-returns' ? { seconds: 0.2 } : {}
    const failed = failedOf(await load(name), limit)
    expect(failed.map((each) => each.name)).toEqual([orderCheckNames[check]])
  })

  test('prints views that show the fault, without rows that the fault does not need', async () => {
    const [{ error }] = failedOf(await load('nan-without-estimate'))
    expect((error as Error).message).toMatchInlineSnapshot(`
      "1 nodes, history 1: score gave row 0, job 2, the score NaN, or no score

      Views that show the fault:

        const ordering = order.make({ nodes: 1 }, {})
        const users = []
        scoresOf(ordering, queueView({ now: 86400000, waiting: [{ id: "2", size: 1, estimate: Infinity, submitted: 86400000, user: "cem" }] }, users))
      "
    `)
  })

  test('claims that the order does not make are not tested', () => {
    const outcomes = samples
      .slice(0, 2)
      .map((order) =>
        [...runChecks(orderChecks(order, { histories: 1 }))].flatMap(({ name, outcome }) =>
          outcome === 'ok' ? [] : [`${outcome}: ${name}`],
        ),
      )
    const [fixed, history] = [orderCheckNames.fixed, orderCheckNames.history].map((name) => `not-claimed: ${name}`)
    expect(outcomes).toEqual([[fixed], [fixed, history]])
  })

  test.each([
    [{ contract: 2 }, 'contract is 2, expected 1'],
    [{ name: 'Aged' }, 'name is "Aged", expected a text of lower-case letters'],
    [{ version: '1' }, 'version is "1", expected a semantic version'],
    [{ config: {} }, 'config is {}, expected a Standard Schema'],
    [{ make: undefined }, 'make is missing, expected a function'],
    [{ make: () => ({}) }, 'whose score is missing; expected an ordering'],
    [{ make: () => ({ score() {}, claims: {} }) }, 'claims.fixed is missing, expected true or false'],
  ])('names the wrong member of an order: %j', (members, message) => {
    const [failed] = failedOf({ ...samples[0], ...members } as QueueOrder, { histories: 1 })
    expect((failed.error as Error).message).toContain(message)
  })

  test('an order that needs an option passes with a config, and without a config the check names the option', () => {
    const issues = [{ message: 'missing', path: ['weight'] }]
    const validate = (value: any) => (typeof value?.weight === 'number' ? { value } : { issues })
    const order = {
      ...samples[0],
      config: { '~standard': { version: 1, vendor: 'test', validate } },
    } as QueueOrder<any>
    expect(failedOf(order, { histories: 1, config: { weight: 2 } })).toEqual([])
    const [failed] = failedOf(order, { histories: 1 })
    expect((failed.error as Error).message).toContain('weight: missing; the checks need a config for this order')
  })
})

test('WRONG-ORDERS.md lists every wrong order and the check that finds it', async () => {
  const names = readdirSync(folder).map((file) => file.replace(/\.ts$/, ''))
  expect(names.toSorted()).toEqual(Object.keys(expected).toSorted())
  // Each check finds some wrong order, except the first check, whose wrong orders are above.
  const { members: _members, ...found } = orderCheckNames
  expect(new Set(Object.values(expected))).toEqual(new Set(Object.keys(found)))
  await expect(table()).toMatchFileSnapshot('../WRONG-ORDERS.md')
})

function table(): string {
  const rows = Object.entries(expected).map(([name, check]) => {
    const source = readFileSync(join(folder, `${name}.ts`), 'utf8')
    const [, wrong] = /\/\*\* (.*) \*\/\nconst order:/.exec(source)!
    return `| [${name}](test/wrong-orders/${name}.ts) | ${wrong} | ${orderCheckNames[check]} |\n`
  })
  return `# Orders that are wrong on purpose

Each order has one mistake, and exactly one check of the conformance suite of orders fails. Most checks print the views that show the mistake. \`cloister order test FILE\` and \`orderSuite(order)\` run the checks.

| order | what is wrong | the check that fails |
|---|---|---|
${rows.join('')}`
}
