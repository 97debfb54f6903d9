/** Tests that random runs show the faults of deliberately wrong policies; the conformance suite has its own tests. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Console, Effect } from 'effect'
import * as fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { Files } from '../src/files/files.ts'
import { fuzzCases, specOf } from '../src/fuzz/fuzz-case.ts'
import { checkRun, type Fault } from '../src/fuzz/fuzz-check.ts'
import { fileSystem } from '@cloister/run/node'
import { nodePolicyLookup } from '../src/node/policy-lookup.ts'
import { prepareRun } from '../src/run/prepare-run.ts'

interface Expected {
  /** Command of cloister that shows the fault on a random run, or null if no command shows the fault. */
  readonly fuzz: string | null
}

const folder = resolve(import.meta.dirname, '../../../packages/placement/test/wrong')
const expected: Readonly<Record<string, Expected>> = JSON.parse(readFileSync(`${folder}.json`, 'utf8'))
const scratch = mkdtempSync(join(tmpdir(), 'cloister-wrong-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** Number of random runs, enough that each fault shows. A policy whose fault never shows tries only a few runs. */
const RUNS = 200
const RUNS_OF_NOTHING = 5
const MAX_PLACE_MS = 1000

/** Returns the first fault in a seed's random runs that `command` shows; without `command`, the first fault at all. */
async function faultOf(policy: string, runs: number, command?: string): Promise<Fault | undefined> {
  const silent = Object.assign(Object.create(console), { log: () => {}, error: () => {} })
  for (const one of fc.sample(fuzzCases([{ policy, policyConfig: '{}' }]), { seed: 1, numRuns: runs })) {
    const files = await Effect.runPromise(Effect.provide(Files, fileSystem))
    // Only the policy that hangs runs with a time limit for requests, because the time limit costs much.
    const spec = specOf(one, scratch, files, policy.includes('hangs') ? MAX_PLACE_MS : undefined)
    const run = await Effect.runPromise(
      Effect.option(prepareRun(spec, undefined)).pipe(
        Effect.provide(nodePolicyLookup([])),
        Effect.provide(fileSystem),
        Effect.provideService(Console.Console, silent),
      ),
    )
    if (run._tag === 'None') continue
    const { fault } = checkRun(run.value)
    if (fault !== undefined && (command === undefined || fault.command === command)) return fault
  }
  return undefined
}

describe('checkRun on random runs of a deliberately wrong policy', () => {
  const all = Object.entries(expected)

  test.each(all.filter(([, { fuzz }]) => fuzz !== null))(
    'checkRun shows the fault of policy %s',
    async (name, { fuzz }) => {
      expect(await faultOf(join(folder, `${name}.ts`), RUNS, fuzz!)).toMatchObject({ command: fuzz })
    },
  )

  test.each(all.filter(([, { fuzz }]) => fuzz === null))('checkRun misses the fault of policy %s', async (name) => {
    expect(await faultOf(join(folder, `${name}.ts`), RUNS_OF_NOTHING)).toBeUndefined()
  })
})
