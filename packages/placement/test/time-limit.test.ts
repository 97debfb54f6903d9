import { describe, expect, test } from 'vitest'
import { type CheckProgress, policyChecks, runChecks } from '../src/checks.ts'
import { Interrupted, interruptible } from '../src/checks/campaign.ts'
import { firstNodes, placing, type Policy } from './sample-policies.ts'

const answered = 'every request gets an answer in time: a placement or a refusal'
const limits = { maxPlaceMs: 100, seconds: 1 }

function failures(policy: Policy, options: object = limits): ReadonlyArray<readonly [name: string, message: string]> {
  return [...runChecks(policyChecks(policy, options))].flatMap((result) =>
    result.outcome === 'failed' ? [[result.name, (result.error as Error).message] as const] : [],
  )
}

// The suite cannot see a clock that a module took before.
const now = performance.now.bind(performance)

function lasting(milliseconds: number): void {
  for (const until = now() + milliseconds; now() < until;);
}

describe('a call of the policy that hangs', () => {
  test('interruptible stops a hanging function; any other function returns its result or throws its error', () => {
    expect(interruptible(() => 5, 1000)).toBe(5)
    expect(() => interruptible(() => lasting(1e9), 20)).toThrow(Interrupted)
    expect(() => interruptible(() => JSON.parse('{'), 1000)).toThrow(SyntaxError)
  })

  test('the check of answers stops a hanging call of place and reports its request', () => {
    const hangs = firstNodes({
      place: placing((placement, _, __, { nodes }) => {
        if (nodes === 7) lasting(1e9)
        return placement
      }),
    })
    const [[check, message], ...others] = failures(hangs)
    expect(others).toEqual([])
    expect(check).toBe(answered)
    expect(message).toMatch(
      /^radix:4 with \{\}, 7 nodes: place gave no answer for \d+ s, and was stopped; 100 ms are allowed/,
    )
    expect(message).toContain('const asked = request(7, {')
  })

  test('the check of answers reports a hanging call of requestKey', () => {
    const inKey = firstNodes({ requestKey: () => lasting(1e9) as never })
    expect(failures(inKey)).toEqual([
      [answered, expect.stringContaining('make, requestKey, mostNodes or a hook of the index hangs')],
    ])
  })
})

test('the check of answers reports an error that requestKey throws', () => {
  const throws = firstNodes({
    requestKey: () => {
      throw new RangeError('no key')
    },
  })
  expect(failures(throws)).toEqual([[answered, expect.stringContaining('RangeError: no key')]])
})

// On a busy machine, a call of 5 ms has taken 168 ms, twice: limits above half a second concern the policy alone.
test('the check of answers reports a request that takes longer than maxPlaceMs', () => {
  const slow = firstNodes({
    place: placing((placement, _, __, { nodes }) => {
      if (nodes === 5) lasting(600)
      return placement
    }),
  })
  expect(failures(slow, { maxPlaceMs: 500, seconds: 1 })).toEqual([
    [answered, expect.stringMatching(/5 nodes: place took \d+ ms for the answer, twice; 500 ms/)],
  ])
})

test('for a policy that exceeds the option seconds, the check of answers reports the average time and the slowest request', () => {
  const slow = firstNodes({
    place: placing((placement) => {
      lasting(5)
      return placement
    }),
  })
  const [[check, message], ...others] = failures(slow, { maxPlaceMs: 2000, seconds: 1 })
  expect([check, others]).toEqual([answered, []])
  expect(message).toMatch(
    /took more than 1 s \(option seconds\) for \d+ of \d+ histories.*: \d+ questions took \d+\.\d ms each/,
  )
  expect(message).toMatch(/const asked = request\(\d+/)
})

test('policyChecks calls onProgress after each history', () => {
  const told: Array<CheckProgress> = []
  const checks = policyChecks(firstNodes(), { histories: 1, onProgress: (progress) => told.push(progress) })
  for (const { run } of checks) run()
  expect(told.map(({ done }) => done)).toEqual(told.map((_, at) => at + 1))
  expect(told.at(-1)).toMatchObject({
    done: told.length,
    total: told.length,
    machine: expect.stringContaining(' rails with ') as string,
  })
  expect(told.at(-1)!.questions).toBeGreaterThan(1000)
})
