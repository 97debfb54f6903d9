import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Router } from '@cloister/placement'
import { baseline } from '@cloister/policy-baseline'
import { type AnyPolicy, builtInRouters, OtherRouters, prepare, type RunSpec } from '@cloister/run'
import { Files, fileSystem, nodeServices } from '@cloister/run/node'
import { Effect, Layer } from 'effect'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  checkRun,
  filesOf,
  fuzzLogs,
  fuzzPolicies,
  judge,
  kindOf,
  minimise,
  specIn,
  specOf,
  subjectsOf,
} from '../src/index.ts'

const tester = { program: 'test@1', describe: (error: unknown) => (error as Error).message }

/** Policy baseline, but the policy throws for a job on three nodes. */
const throwing: AnyPolicy = {
  ...baseline,
  name: 'throwing',
  make: (...given: Parameters<typeof baseline.make>) => {
    const placer = baseline.make(...given)
    if ('unsupported' in placer) return placer
    return {
      ...placer,
      place: (...asked: Parameters<typeof placer.place>) => {
        if (asked[1].nodes === 3) throw new Error('three nodes')
        return placer.place(...asked)
      },
    }
  },
}
const services = Layer.merge(nodeServices({ policies: [baseline, throwing] }), fileSystem)

const searchOf = (policy: string, runs: number) => ({
  subjects: [{ policy, policyConfig: '{}' }],
  seed: 3,
  runs,
  milliseconds: Infinity,
  tester,
  onProgress: () => {},
})
const search = (policy: string, runs: number, only?: number) =>
  Effect.runPromise(fuzzPolicies(searchOf(policy, runs), only).pipe(Effect.provide(services)))

function newFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'cloister-fuzz-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Returns the fault of a run, and the prepared run. */
async function checked(specIn: (files: Files['Service']) => RunSpec) {
  const files = await Effect.runPromise(Effect.provide(Files, services))
  const run = await Effect.runPromise(prepare(specIn(files)).pipe(Effect.provide(services)))
  return { run, fault: checkRun(run, tester).fault }
}

describe('a search for faults of policies', () => {
  test('fuzzPolicies finds no fault in a sound policy, and checks the same records for the same seed', async () => {
    const outcome = await search('baseline', 12)
    expect(outcome).toMatchObject({ runs: 12, found: undefined })
    expect(outcome.records).toBeGreaterThan(100)
    expect(await search('baseline', 12)).toEqual(outcome)
  })

  test('fuzzPolicies shrinks a faulty run to few jobs, and repeats the run by its number', async () => {
    const { found } = await search('throwing', 100)
    expect(found).toMatchObject({
      fault: { command: 'simulate', problem: expect.stringContaining('three nodes') },
      maxPlaceMs: undefined,
    })
    expect(found!.smallest.jobs.length).toBeLessThan(3)
    expect(found!.smallest.jobs).toContainEqual(expect.objectContaining({ size: 3 }))
    expect((await search('throwing', 100, found!.run)).found).toMatchObject({ fault: found!.fault })
    const { fault } = await checked((files) => specOf(found!.smallest, newFolder(), files))
    expect(fault).toEqual(found!.fault)
  })

  test.each([
    ['throws', 'simulate'],
    ['says that the router does not serve the machine', undefined],
  ])('fuzzPolicies with a router whose make %s: the fault is of command %s', async (_, command) => {
    const make: Router['make'] = ({ nodes }) => {
      if (command !== undefined) throw new Error(`no tables for ${nodes} nodes`)
      return { unsupported: `${nodes} nodes` }
    }
    const router = { ...builtInRouters().get('d-mod-k')!, name: 'mine', make }
    const withRouter = Layer.merge(
      services,
      Layer.succeed(OtherRouters, () => Effect.succeed({ router, origin: './mine.ts' })),
    )
    const options = { ...searchOf('baseline', 3), subjects: subjectsOf(['baseline'], undefined, 'mine') }
    const { found, ...outcome } = await Effect.runPromise(
      fuzzPolicies(options, undefined).pipe(Effect.provide(withRouter)),
    )
    expect(found?.fault.command).toBe(command)
    if (found === undefined) expect(outcome).toMatchObject({ runs: 3, unserved: 3 })
    else expect(found.fault.problem).toMatch(/router mine .* failed in make: no tables for \d+ nodes/)
  })

  test('fuzzLogs finds the reader that throws on a forged log, and keeps the bytes of the log', async () => {
    const forging = { ...searchOf('baseline', 3), seed: 1 }
    const sound = await Effect.runPromise(fuzzLogs(forging, {}).pipe(Effect.provide(services)))
    expect(sound).toMatchObject({ runs: 3, fault: undefined })
    expect(sound.forged).toBeGreaterThan(sound.unwritable)
    const reader = ({ records }: { readonly records: ReadonlyArray<unknown> }): number =>
      records.length.toFixed(-1).length
    const { fault } = await Effect.runPromise(fuzzLogs(forging, { reader }).pipe(Effect.provide(services)))
    expect(fault).toMatchObject({ command: 'reader', problem: expect.stringContaining('RangeError') })
    expect(fault!.bytes.length).toBeGreaterThan(0)
  })
})

describe('the smallest run with a fault', () => {
  test('minimise shrinks a run of a trace to one job, and its files show the same kind of fault', async () => {
    const { run, fault } = await checked(() => ({
      trace: 'synth:4:60',
      topology: 'radix:6',
      policy: 'throwing',
      seed: 7,
    }))
    const judged = await Effect.runPromise(judge(run, tester).pipe(Effect.provide(services)))
    expect(judged).toEqual({ fault, maxPlaceMs: undefined })
    const folder = newFolder()
    const tries: Array<number> = []
    const options = { milliseconds: Infinity, folder, tester, onTry: (_: number, jobs: number) => tries.push(jobs) }
    const { least, isMinimal, ...found } = await Effect.runPromise(
      minimise(run, { fault: fault!, maxPlaceMs: undefined }, options).pipe(Effect.provide(services)),
    )
    expect(least.jobs).toHaveLength(1)
    expect({ isMinimal, kind: kindOf(found.fault) }).toEqual({ isMinimal: true, kind: kindOf(fault!) })
    expect(found.tries).toBeGreaterThan(tries.length / 2)
    for (const { name, pieces } of filesOf(least)) writeFileSync(join(folder, name), [...pieces].join(''))
    expect(readFileSync(join(folder, 'trace.swf'), 'utf8')).toContain(' 3 ')
    expect((await checked((files) => specIn(least, folder, files))).fault).toEqual(found.fault)
  })
})
