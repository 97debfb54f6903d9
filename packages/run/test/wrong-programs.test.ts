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

/** Wrong policies that pass the suite as programs, each with the reason. */
const passes: Readonly<Record<string, string>> = {
  'keeps-two-kilobytes-a-call':
    'only the operating system knows the memory of a process, and a process without a leak also grows until it collects garbage',
  'patches-the-state': 'a program gets numbers and texts, and no function of the scheduler that it could replace',
  'stale-index':
    'the policy never reads its index, and the protocol has no message that asks for the index; see `inOwnMemory`',
  'writes-to-its-answers':
    'an answer is a line of text, which the program cannot change after it sent the line; see `inOwnMemory`',
  'writes-to-the-topology':
    'the program changes its own copy of the topology, at a place that it never reads; see `inOwnMemory`',
}
/** Wrong policies that fail another check as programs than in the process of the suite. */
const failsAnother: Readonly<Record<string, string>> = {
  // The protocol has no message that asks for the bound `mostNodes`. The program refuses the jobs above its bound, with a
  // wrong number of free nodes.
  'bound-of-a-thousand-nodes': 'a refusal has the fields of its code, with true values',
  'bound-too-low-for-many-jobs': 'a refusal has the fields of its code, with true values',
  // The index is wrong inside the program; the suite sees the wrong answers that follow from the index.
  'leaks-on-release': 'equal states give equal answers, also on forks and from other placers',
}
const notFree = 'a placement names free nodes and links, ascending, each once'
/**
 * Mistakes of the adapter itself, each with the check that finds the mistake. The program answers from its own stale
 * memory: from a state without the changes of a what-if, from an earlier answer, or from a changed copy of the topology.
 */
const inOwnMemory: Readonly<Record<string, string>> = {
  'stale-index': notFree,
  'writes-to-its-answers': notFree,
  'writes-to-the-topology': 'place changes neither the state nor its index, and answers a repeated request equally',
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

  it.each(Object.keys(inOwnMemory))('%s, in the own memory of the program', { timeout: 60_000 }, (mistake) => {
    const baseline = join(placement, '../../policies/baseline/src/index.ts')
    expect(failedChecks(`${baseline} ${mistake}`)).toEqual([inOwnMemory[mistake]])
  })

  it.each(isFull ? detected : short)('%s', { timeout: 60_000 }, (name) => {
    const found = name in passes ? [] : [failsAnother[name] ?? expected[name].suite]
    expect(failedChecks(`${placement}/wrong/${name}.ts`)).toEqual(found)
  })
})

/** Returns the names of the checks that fail for a policy that speaks the protocol through the adapter. */
function failedChecks(argumentsOfAdapter: string): ReadonlyArray<string> {
  limitAnswers(3000)
  const program = new Program(`${adapter} ${argumentsOfAdapter} 2>/dev/null`)
  try {
    const results = [...runChecks(policyChecks(program.policy, { histories: 2 }))]
    return results.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name)
  } finally {
    program.end()
  }
}
