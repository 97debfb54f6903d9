import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { policyChecks, runChecks } from '../src/checks.ts'
import { runPasted } from './pasted.ts'
import type { Policy } from './sample-policies.ts'

/** What catches a policy: `suite` is the check that fails, `fuzz` the command that shows it on a random run (tested in apps/cli). */
interface Expected {
  readonly suite: string | null
  readonly fuzz: string | null
  /** Of one that nothing catches. */
  readonly why?: string
}

const folder = join(import.meta.dirname, 'wrong')
const expected: Readonly<Record<string, Expected>> = JSON.parse(readFileSync(`${folder}.json`, 'utf8'))
const all = Object.entries(expected)
const caught = all.filter(([, { suite }]) => suite !== null)

const load = async (name: string): Promise<Policy> =>
  ((await import(`./wrong/${name}.ts`)) as { readonly default: Policy }).default

/** What an answer hangs on that came before cannot be asked again with a new placer. */
const hangsOnThePast = ['leaks-on-release']
const hangs = ['hangs-on-an-exact-fit']

describe('the suite', () => {
  test.each(caught)('shows once what is wrong: %s', async (name, { suite }) => {
    const policy = await load(name)
    // The shorter a question may take the more often the suite looks at the clock, and each look starts a thread.
    const limit = hangs.includes(name) ? { maxPlaceMs: 200 } : {}
    const failed = [...runChecks(policyChecks(policy, { ...limit, histories: 2 }))].filter(
      ({ outcome }) => outcome === 'failed',
    )
    expect(failed.map((result) => result.name)).toEqual([suite])
    const { message } = (failed[0] as { readonly error: Error }).error
    if (hangsOnThePast.includes(name)) expect(message).toContain('it hangs on what happened before')
    else if (!hangs.includes(name)) expect(() => runPasted(message, policy)).toThrow()
  })

  test.each(all.filter(([, { suite }]) => suite === null))('cannot show: %s', async (name, { why }) => {
    const policy = await load(name)
    const failed = [...runChecks(policyChecks(policy, { histories: 2 }))].filter(({ outcome }) => outcome === 'failed')
    expect(failed).toEqual([])
    expect(why).toBeTypeOf('string')
  })
})

test('every wrong policy is in the table, which says what catches it', async () => {
  const names = readdirSync(folder).map((file) => file.replace(/\.ts$/, ''))
  expect(names.toSorted()).toEqual(Object.keys(expected).toSorted())
  expect(caught.length).toBeGreaterThanOrEqual(30)
  await expect(table()).toMatchFileSnapshot('../WRONG-POLICIES.md')
})

/** Of its docstring, what is wrong with a policy. */
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

Each is wrong in one way. The conformance suite fails on it with one check, and prints a small test that shows it; where a log can show it too, \`cloister fuzz\` finds it, and the command named sees it. A log holds decisions: what was refused wrongly leaves no trace in it but time. Tests generate this page and hold the suite and the fuzzer to it: \`npm run pnpm -- --filter @cloister/placement test wrong-policies --update\` writes it, \`npm run pnpm -- --filter cloister test wrong-policies\` tests its last column.

| policy | what is wrong | the check that fails | \`fuzz\`, by |
|---|---|---|---|
${rows.join('')}
## What nothing catches

| policy | what is wrong | why |
|---|---|---|
${uncaught.join('')}`
}
