import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { policyChecks, runChecks } from '@cloister/placement/checks'
import { afterEach, describe, expect, it } from 'vitest'
import { limitAnswers, Program } from '../src/node/index.ts'

/** True for the long form of the test (`CLOISTER_WRONG_PROGRAMS=full`), which plays every wrong policy: four minutes. */
const isFull = process.env['CLOISTER_WRONG_PROGRAMS'] === 'full'
const placement = join(import.meta.dirname, '../../placement/test')
const expected: Readonly<Record<string, { readonly suite: string | null }>> = JSON.parse(
  readFileSync(join(placement, 'wrong.json'), 'utf8'),
)
const adapter = `${process.execPath} --conditions=@cloister/source --no-warnings ${import.meta.dirname}/programs/adapter.ts`

const ownState =
  'the program has only copies of the state, the topology and its answers, so the mistake changes nothing'
const noIndex =
  'the scheduler has no index of a program, so no check compares the index with a rebuilt index, and no answer depends on the index'

/** Wrong policies that pass the suite as programs, with the reason. */
const passes: Readonly<Record<string, string>> = {
  'keeps-two-kilobytes-a-call':
    'the memory of another process contains garbage, which the suite cannot collect before it measures',
  'patches-the-state': ownState,
  'stale-index': noIndex,
  'writes-to-its-answers': ownState,
  'writes-to-the-topology': ownState,
}
/** Wrong policies that fail another check as programs than in the process of the suite. */
const failsAnother: Readonly<Record<string, string>> = {
  // The index is wrong inside the program; the suite sees the wrong answers that follow from the index.
  // The scheduler does not ask a program for a bound. The program refuses the jobs above its bound, with a wrong number
  // of free nodes.
  'bound-of-a-thousand-nodes': 'a refusal has the fields of its code, with true values',
  'bound-too-low-for-many-jobs': 'a refusal has the fields of its code, with true values',
  'leaks-on-release': 'equal states give equal answers, also on forks and from other placers',
}
const detected = Object.keys(expected).filter((name) => expected[name].suite !== null)
const short = [
  'double-books-when-backfilling',
  'either-end-in-turn',
  'leaks-on-release',
  'lends-a-link-once-a-rail',
  'more-bandwidth-than-is-left',
  'other-end-from-2100-on',
  'takes-nodes-itself',
  'writes-to-the-topology',
]

afterEach(() => limitAnswers(60_000))

describe.skipIf(process.platform === 'win32')('the conformance suite and the mistake of a program', () => {
  it('the list of mistakes that the suite does not find in programs names only mistakes that the suite finds', () => {
    expect(detected).toEqual(expect.arrayContaining([...Object.keys(passes), ...Object.keys(failsAnother), ...short]))
  })

  it.each(isFull ? detected : short)('%s', { timeout: 60_000 }, (name) => {
    limitAnswers(3000)
    const program = new Program(`${adapter} ${placement}/wrong/${name}.ts 2>/dev/null`)
    try {
      const failed = [...runChecks(policyChecks(program.policy, { histories: 2 }))].filter(
        ({ outcome }) => outcome === 'failed',
      )
      const found = name in passes ? [] : [failsAnother[name] ?? expected[name].suite]
      expect(failed.map((result) => result.name)).toEqual(found)
    } finally {
      program.end()
    }
  })
})
