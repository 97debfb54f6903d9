import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { policyChecks, runChecks } from '@cloister/placement/checks'
import { describe, expect, it } from 'vitest'
import { limitAnswers, Program } from '../src/node/index.ts'

const placement = join(import.meta.dirname, '../../placement/test')
const expected: Readonly<Record<string, { readonly suite: string }>> = JSON.parse(
  readFileSync(join(placement, 'wrong.json'), 'utf8'),
)
const adapter = `${process.execPath} --conditions=@cloister/source --no-warnings ${import.meta.dirname}/programs/adapter.ts`

describe.skipIf(process.platform === 'win32')('the conformance suite finds the mistake of a program', () => {
  it.each([
    'double-books-when-backfilling',
    'hangs-on-an-exact-fit',
    'rounds-up',
    'takes-nodes-itself',
    'throws-when-full',
    'wants-an-even-rest',
  ])('%s', (name) => {
    limitAnswers(3000)
    const program = new Program(`${adapter} ${placement}/wrong/${name}.ts`)
    try {
      const failed = [...runChecks(policyChecks(program.policy, { histories: 2 }))].filter(
        ({ outcome }) => outcome === 'failed',
      )
      expect(failed.map((result) => result.name)).toEqual([expected[name].suite])
    } finally {
      program.end()
      limitAnswers(60_000)
    }
  })
})
