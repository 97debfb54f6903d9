import { spawnSync } from 'node:child_process'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { drawn, fuzzCases, subjectsOf } from '@cloister/fuzz'
import { canaryPolicy } from './canary-policies.ts'
import { type Answer, Folder, bundle, complaint, namesIn, inTurn } from './cloister.ts'

/** Runs a printed command in a shell, with the built program as `cloister`. */
function paste(folder: Folder, command: string): Answer {
  const { status, stdout, stderr } = spawnSync(
    'sh',
    ['-c', `cloister() { "${process.execPath}" "${bundle}" "$@"; }\n${command}`],
    { cwd: folder.path, encoding: 'utf8' },
  )
  return { code: status, stdout, stderr }
}

describe('cloister fuzz', () => {
  it('fuzz finds no fault in the built-in policies', async () => {
    const { code, stdout } = await new Folder().cloister('fuzz', '--runs', '200', '--seed', '1')
    expect(stdout).toMatch(/^faults {3}none$/m)
    expect(code).toBe(0)
  })

  it('fuzz tries the same runs for the same seed', async () => {
    const folder = new Folder()
    const [first, second, other] = await inTurn([3, 3, 4], (seed) =>
      folder.json('fuzz', '--runs', '30', '--policy', 'jigsaw', '--seed', String(seed)),
    )
    expect(namesIn(first)).toEqual({
      seed: 'number',
      runs: 'number',
      unserved: 'number',
      records: 'number',
      tests: 'number',
      fault: 'null',
    })
    expect(second).toEqual(first)
    expect(other).not.toEqual(first)
  })

  it('fuzz --minutes ends the trial after the first runs of the seed', async () => {
    const folder = new Folder()
    const short = (await folder.json('fuzz', '--minutes', '0.02', '--policy', 'baseline', '--seed', '3')) as {
      readonly runs: number
      readonly fault: null
    }
    expect(short.fault).toBeNull()
    expect(short.runs).toBeGreaterThan(0)
    expect(await folder.json('fuzz', '--minutes', '60', '--runs', '5', '--policy', 'baseline')).toMatchObject({
      runs: 5,
    })
  })

  it('fuzz draws each run option of the list `drawn` with and without a value', () => {
    const cases = fc.sample(fuzzCases(subjectsOf(['baseline'], undefined)), { seed: 1, numRuns: 200 })
    for (const name of drawn) {
      const others = cases.filter(({ options }) => options[name] !== undefined).length
      expect([name, others > 10, others < 130]).toEqual([name, true, true])
    }
  })

  it('fuzz --only tries one run again by the number of the run', async () => {
    const folder = new Folder()
    folder.write('canary.mjs', canaryPolicy({ doubleBooks: true }))
    const words = ['fuzz', '--policy', './canary.mjs', '--seed', '2', '--json']
    const found = await folder.cloister(...words, '--runs', '100')
    const { fault } = JSON.parse(found.stdout)
    expect(fault.run).toBeGreaterThan(0)
    expect(fault.again).toBe(`cloister fuzz --policy ./canary.mjs --seed 2 --only ${fault.run}`)
    const again = JSON.parse((await folder.cloister(...words, '--only', String(fault.run))).stdout)
    expect(again).toMatchObject({ runs: 1, fault })
  })

  it('fuzz --policy-config tries only this configuration of the policy', async () => {
    const folder = new Folder()
    const words = ['fuzz', '--policy', 'ta', '--runs', '5', '--policy-config']
    expect(await folder.json(...words, '{"wholeLeaves":true}')).toMatchObject({ runs: 5, fault: null })
    expect(complaint(await folder.cloister('fuzz', '--policy-config', '{}'))).toContain(
      '--policy-config: needs --policy',
    )
    expect(complaint(await folder.cloister(...words, '{'))).toContain('--policy-config')
  })

  it('fuzz refuses senseless options with a message', async () => {
    expect(complaint(await new Folder().cloister('fuzz', '--policy', 'jigsw'))).toContain('did you mean jigsaw?')
    expect(complaint(await new Folder().cloister('fuzz', '--runs', '0'))).toContain('--runs: found 0')
    expect(complaint(await new Folder().cloister('fuzz', '--minutes', '-1'))).toContain('--minutes: found -1')
    expect(complaint(await new Folder().cloister('fuzz', '--only', '0'))).toContain('--only: found 0')
    expect(complaint(await new Folder().cloister('fuzz', '--only', '3', '--runs', '5'))).toContain(
      '--only: cannot be used with --runs',
    )
  })
})

// The tests below run the built program, because hundreds of runs from sources are slow.
describe('a policy with a deliberate flaw', () => {
  const sound = canaryPolicy({})

  it('a policy whose deliberate flaw is turned off passes policy test and fuzz', () => {
    const folder = new Folder()
    folder.write('canary.mjs', sound)
    expect(folder.process('policy', 'test', './canary.mjs').stdout).toContain(
      'The policy keeps the contract and its claims.',
    )
    expect(folder.process('fuzz', '--policy', './canary.mjs', '--runs', '300').code).toBe(0)
  })

  it.each([
    ['double-books', { doubleBooks: true }, 'simulate', /is taken but not free/],
    // Jobs wait for ever because of leaked nodes, and the invariant that fails first depends on the run.
    ['leaks on release', { leaks: true }, 'audit', /job-life-cycle|reservation-on-time|head-reserved/],
    ['breaks only condition (5) of Jigsaw', { breaksCondition5: true }, 'audit', /jigsaw-conditions/],
  ] as const)(
    'a policy that %s fails policy test and fuzz, and the command that fuzz prints shows the fault',
    (_, flaw, shownBy, problem) => {
      const folder = new Folder()
      folder.write('canary.mjs', canaryPolicy(flaw))
      const suite = folder.process('policy', 'test', './canary.mjs')
      expect(suite.stdout).toMatch(/^FAIL /m)
      expect(suite.code).toBe(1)

      const { code, stdout } = folder.process('fuzz', '--policy', './canary.mjs', '--runs', '300')
      expect(code).toBe(1)
      expect(stdout).toMatch(/^fault in run [\d,]+ of seed 1, shrunk to \d{1,2} jobs: /)
      expect(stdout).toMatch(problem)
      const command = stdout.trim().split('\n').at(-1)!
      expect(command).toMatch(/^cloister simulate --trace fuzz-fault\/trace\.swf /)
      const pasted = paste(folder, command)
      expect(pasted.code).not.toBe(0)
      expect(pasted.stdout + pasted.stderr).toMatch(problem)
      expect(command.includes('cloister audit')).toBe(shownBy === 'audit')
    },
  )

  it('commandOfFault returns a command for the shell, for a folder of any name', () => {
    const folder = new Folder()
    folder.write('canary.mjs', canaryPolicy({ breaksCondition5: true }))
    const { stdout } = folder.process('fuzz', '--policy', './canary.mjs', '--out', "the fuzzer's faults")
    const command = stdout.trim().split('\n').at(-1)!
    expect(command).toContain(String.raw` --out 'the fuzzer'\''s faults/run.ndjson' `)
    expect(paste(folder, command).stdout).toContain('jigsaw-conditions')
  })
})

describe('a former finding of cloister fuzz does not appear again', () => {
  it('no backfilled job is killed for a reservation if the shared link can carry both jobs', async () => {
    const folder = new Folder()
    const jobs = [
      [0, 2, 29, -1],
      [0, 2, 21, -1],
      [0, 4, 4, -1],
      [0, 0, 1, -1],
      [1, 2, 4, -1],
      [1, 0, 18, -1],
      [2, 2, 1, 1],
      [2, 2, 5, -1],
    ]
    folder.write(
      'trace.swf',
      jobs
        .map(
          ([submit, run, size, asked], at) =>
            `${at + 1} ${submit} -1 ${run} ${size} -1 -1 ${size} ${asked} -1 1 -1 -1 -1 -1 -1 -1 -1\n`,
        )
        .join(''),
    )
    const words = [
      '--topology',
      'pgft:3;4,4,3;1,4,2;1,1,2',
      '--policy',
      'least-constrained',
      '--policy-config',
      '{"sharing":{"capacity":4000}}',
      '--queue',
      'easy:50,kill',
      '--estimates',
      'requested',
      '--bandwidth',
      'classes',
      '--seed',
      '0',
    ]
    const {
      jobs: { killed },
    } = (await folder.json('simulate', '--trace', 'trace.swf', ...words, '--out', 'run.ndjson')) as {
      jobs: { killed: number }
    }
    // Job 7 runs longer than its estimate on a reserved node. Job 8 only shares a link that has 500 MB/s left.
    expect(killed).toBe(1)
    expect((await folder.cloister('audit', 'run.ndjson')).code).toBe(0)
  })
})
