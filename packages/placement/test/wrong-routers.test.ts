import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { routerChecks, runChecks } from '../src/checks.ts'
import { routerCheckNames } from '../src/checks/routers/names.ts'
import type { Router } from '../src/router.ts'
import { routerSuite } from '../src/testing.ts'
import { ownRouter, staticRouter } from './sample-routers.ts'

const folder = join(import.meta.dirname, 'wrong-routers')
/** Check that finds each wrong router: a key of `routerCheckNames`. */
const expected: Readonly<Record<string, keyof typeof routerCheckNames>> = JSON.parse(
  readFileSync(`${folder}.json`, 'utf8'),
)
const load = async (name: string): Promise<Router> =>
  ((await import(`./wrong-routers/${name}.ts`)) as { readonly default: Router }).default

for (const router of [ownRouter('own-links'), staticRouter('shared-links')]) routerSuite(router)

describe('the conformance suite of routers', () => {
  test.each(Object.entries(expected))('fails exactly one check for the wrong router %s: %s', async (name, check) => {
    const limit = name === 'never-returns' ? { seconds: 1 } : {}
    const failed = [...runChecks(routerChecks(await load(name), { ...limit, histories: 4 }))].filter(
      ({ outcome }) => outcome === 'failed',
    )
    expect(failed.map((each) => each.name)).toEqual([routerCheckNames[check]])
  })

  test('prints calls that show the fault, without calls that the fault does not need', async () => {
    const results = [...runChecks(routerChecks(await load('ignores-failed-links'), { histories: 4 }))]
    const failed = results.find(({ outcome }) => outcome === 'failed') as { readonly error: Error }
    expect(failed.error.message).toMatchInlineSnapshot(`
      "pgft:2;4,4;1,4;1,1, history 1: node 7 of job 7 does not reach node 12: switch 0 of level 1 sends messages for node 12 over the failed link 12 of level 0

      Calls that show the fault:

        const tables = router.make(parseTopology('pgft:2;4,4;1,4;1,1'))
        tables.start('7', { nodes: [4, 6, 7, 10, 12, 15], links: [] })
        tables.change('down', { nodes: [3], links: [[12], []] })
      "
    `)
  })

  test('stops a router whose make never returns, on the first machine alone', () => {
    const machines: Array<string> = []
    const make: Router['make'] = ({ name }) => {
      machines.push(name)
      for (;;);
    }
    const checks = routerChecks({ ...ownRouter('endless'), make }, { seconds: 0.1 })
    const failed = [...runChecks(checks)].filter(({ outcome }) => outcome === 'failed')
    expect(failed.map(({ name }) => name)).toEqual([routerCheckNames.answers])
    expect(new Set(machines)).toEqual(new Set(['pgft:2;4,4;1,4;1,1']))
  })

  test.each([
    [{ contract: 2 }, 'contract is 2'],
    [{ name: 'none' }, 'name is "none", expected a string of lower-case letters'],
    [{ version: '1' }, 'version is "1", expected a semantic version'],
    [{ claims: { links: 'capped', changes: 'own' } }, 'claims.links is "capped", expected one of owned, shared'],
    [{ make: undefined }, 'make is undefined, expected a function (topology)'],
    [{ make: () => ({}) }, 'make returned tables whose port is undefined'],
    [{ make: () => ({ unsupported: '' }) }, 'make returned unsupported ""'],
    [{ make: () => ({ unsupported: 'odd' }) }, 'the router serves no topology of the suite: pgft:2;4,4;1,4;1,1: odd'],
  ])('names the wrong member of a router: %j', (members, message) => {
    const router = { ...ownRouter('wrong'), ...members } as Router
    const failed = [...runChecks(routerChecks(router, { histories: 1 }))].find(({ outcome }) => outcome === 'failed')
    expect((failed as { readonly error: Error }).error.message).toContain(message)
  })
})

test('WRONG-ROUTERS.md lists every wrong router and the check that finds it', async () => {
  const names = readdirSync(folder).map((file) => file.replace(/\.ts$/, ''))
  expect(names.toSorted()).toEqual(Object.keys(expected).toSorted())
  expect(names.length).toBeGreaterThanOrEqual(10)
  await expect(table()).toMatchFileSnapshot('../WRONG-ROUTERS.md')
})

function table(): string {
  const rows = Object.entries(expected).map(([name, check]) => {
    const source = readFileSync(join(folder, `${name}.ts`), 'utf8')
    const [, wrong] = /\/\*\* (.*) \*\/\nconst router:/.exec(source)!
    return `| [${name}](test/wrong-routers/${name}.ts) | ${wrong} | ${routerCheckNames[check]} |\n`
  })
  return `# Routers that are wrong on purpose

Each router has one mistake, and exactly one check of the conformance suite of routers fails. The check prints the calls that show the mistake. \`cloister router test FILE\` and \`routerSuite(router)\` run the checks.

| router | what is wrong | the check that fails |
|---|---|---|
${rows.join('')}`
}
