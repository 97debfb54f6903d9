import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { policyChecks, runChecks } from '../src/checks.ts'
import { runPasted } from './pasted.ts'
import type { Policy } from './sample-policies.ts'

/**
 * How a wrong policy is found: the check `suite` that fails, and the command `fuzz` that shows the mistake on a random
 * run (tested in apps/cli).
 */
interface Expected {
  readonly suite: string | null
  readonly fuzz: string | null
  /** Reason why neither a check nor a command finds the mistake. */
  readonly why?: string
}

const folder = join(import.meta.dirname, 'wrong')
const expected: Readonly<Record<string, Expected>> = JSON.parse(readFileSync(`${folder}.json`, 'utf8'))
const all = Object.entries(expected)
const caught = all.filter(([, { suite }]) => suite !== null)

const load = async (name: string): Promise<Policy> =>
  ((await import(`./wrong/${name}.ts`)) as { readonly default: Policy }).default

/** Policies with a mistake that depends on earlier requests, and that a new placer does not show again. */
const hangsOnThePast = ['leaks-on-release', 'patches-the-state']
/** Policies with a mistake that needs thousands of calls, so the check prints no test. */
const needsManyCalls = ['keeps-two-kilobytes-a-call']
const hangs = ['hangs-on-an-exact-fit']

describe('the conformance suite', () => {
  test.each(caught)('fails exactly one check for a wrong policy: %s', async (name, { suite }) => {
    const policy = await load(name)
    // Policies that do not hang keep the long default limit. With a short limit the suite tests the time often, and
    // each such test starts a thread.
    const limit = hangs.includes(name) ? { maxPlaceMs: 200 } : {}
    const failed = [...runChecks(policyChecks(policy, { ...limit, histories: 2 }))].filter(
      ({ outcome }) => outcome === 'failed',
    )
    expect(failed.map((result) => result.name)).toEqual([suite])
    const { message } = (failed[0] as { readonly error: Error }).error
    if (hangsOnThePast.includes(name)) expect(message).toContain('the fault depends on earlier requests')
    else if (![...hangs, ...needsManyCalls].includes(name)) expect(() => runPasted(message, policy)).toThrow()
  })

  test.each(all.filter(([, { suite }]) => suite === null))(
    'fails no check for a wrong policy that is known to pass: %s',
    async (name, { why }) => {
      const policy = await load(name)
      const failed = [...runChecks(policyChecks(policy, { histories: 2 }))].filter(
        ({ outcome }) => outcome === 'failed',
      )
      expect(failed).toEqual([])
      expect(why).toBeTypeOf('string')
    },
  )
})

test('WRONG-POLICIES.md lists every wrong policy and the check that finds it', async () => {
  const names = readdirSync(folder).map((file) => file.replace(/\.ts$/, ''))
  expect(names.toSorted()).toEqual(Object.keys(expected).toSorted())
  expect(caught.length).toBeGreaterThanOrEqual(30)
  await expect(table()).toMatchFileSnapshot('../WRONG-POLICIES.md')
})

function whatIsWrong(name: string): string {
  const source = readFileSync(join(folder, `${name}.ts`), 'utf8')
  return /\/\*\* (.*) \*\/\nconst policy/.exec(source)![1]
}

function table(): string {
  const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(' | ')} |\n`
  const link = (name: string): string => `[${name}](test/wrong/${name}.ts)`
  const rows = caught.map(([name, { suite, fuzz }]) =>
    row([link(name), whatIsWrong(name), suite!, fuzz === null ? 'no' : `\`${fuzz}\``]),
  )
  const uncaught = all
    .filter(([, { suite }]) => suite === null)
    .map(([name, { why }]) => row([link(name), whatIsWrong(name), why!]))
  return `# Policies that are wrong on purpose

Each policy has one mistake. For a policy of the first table, exactly one check of the conformance suite fails. The check prints a small test that shows the mistake, unless the mistake depends on earlier requests. If a log can show the mistake too, \`cloister fuzz\` finds the policy, and the last column names the command that reports the mistake. A log holds decisions. A wrong refusal leaves no trace in a log except lost time. Tests write this page and compare the suite and the fuzzer with the page. \`npm run pnpm -- --filter @cloister/placement test wrong-policies --update\` writes the page. \`npm run pnpm -- --filter @cloister/fuzz test wrong-policies\` tests the last column.

| policy | what is wrong | the check that fails | \`fuzz\`, by |
|---|---|---|---|
${rows.join('')}
## Mistakes that nothing detects

| policy | what is wrong | why |
|---|---|---|
${uncaught.join('')}`
}
