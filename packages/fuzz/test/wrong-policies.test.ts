/** Tests that random runs show the faults of deliberately wrong policies; the conformance suite has its own tests. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type AnyPolicy, prepare } from '@cloister/run'
import { Files, fileSystem, nodeServices } from '@cloister/run/node'
import { Effect } from 'effect'
import * as fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { checkRun, type Fault, fuzzCases, specOf, type Tester } from '../src/index.ts'

interface Expected {
  /** Command of cloister that shows the fault on a random run, or null if no command shows the fault. */
  readonly fuzz: string | null
}

const folder = resolve(import.meta.dirname, '../../../packages/placement/test/wrong')
const expected: Readonly<Record<string, Expected>> = JSON.parse(readFileSync(`${folder}.json`, 'utf8'))
const scratch = mkdtempSync(join(tmpdir(), 'cloister-wrong-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** Number of random runs, enough that each fault shows. A policy whose fault never shows tries only a few runs. */
const RUNS = 500
const RUNS_OF_NOTHING = 5
const MAX_PLACE_MS = 1000

const tester: Tester = { program: 'test@1', describe: String }

/** Returns the first fault in a seed's random runs that `command` shows; without `command`, the first fault at all. */
async function faultOf(name: string, runs: number, command?: string): Promise<Fault | undefined> {
  const module = (await import(pathToFileURL(join(folder, `${name}.ts`)).href)) as { readonly default: AnyPolicy }
  const services = nodeServices({ policies: [module.default] })
  const files = await Effect.runPromise(Effect.provide(Files, fileSystem))
  const subjects = [{ policy: module.default.name, policyConfig: '{}' }]
  for (const one of fc.sample(fuzzCases(subjects), { seed: 1, numRuns: runs })) {
    // Only the policy that hangs runs with a time limit for requests, because the time limit costs much.
    const spec = specOf(one, scratch, files, name.includes('hangs') ? MAX_PLACE_MS : undefined)
    const run = await Effect.runPromise(Effect.option(prepare(spec)).pipe(Effect.provide(services)))
    if (run._tag === 'None') continue
    const { fault } = checkRun(run.value, tester)
    if (fault !== undefined && (command === undefined || fault.command === command)) return fault
  }
  return undefined
}

describe('checkRun on random runs of a deliberately wrong policy', () => {
  const all = Object.entries(expected)

  test.each(all.filter(([, { fuzz }]) => fuzz !== null))(
    'checkRun shows the fault of policy %s',
    async (name, { fuzz }) => {
      expect(await faultOf(name, RUNS, fuzz!)).toMatchObject({ command: fuzz })
    },
  )

  test.each(all.filter(([, { fuzz }]) => fuzz === null))('checkRun misses the fault of policy %s', async (name) => {
    expect(await faultOf(name, RUNS_OF_NOTHING)).toBeUndefined()
  })
})
