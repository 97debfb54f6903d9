import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { baseline } from '@cloister/policy-baseline'
import { parseExperiment, prepare, specKey } from '@cloister/run'
import { fileSystem, nodeServices, readText } from '@cloister/run/node'
import { Effect, Layer } from 'effect'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  answer,
  answers,
  type CellHost,
  cellsOf,
  type CellWatcher,
  CellWorkers,
  joinResults,
  mergedResults,
  openResults,
  policyVersions,
  readPlaced,
  readSweep,
  runExperiment,
  runShard,
  statusOf,
  SweepFolder,
} from '../src/index.ts'

const services = nodeServices({ policies: [baseline] })
const program = { name: 'test@1', build: '0' }
const options = { program, traceDir: undefined, audit: true, keepLogs: undefined, workers: 1 }
const cells = parseExperiment(
  JSON.stringify({ cells: [{ trace: 'synth:4:30', topology: 'radix:4', policy: 'baseline', seed: [2, 3, 4, 5, 6] }] }),
  { readText },
)
const failing = { ...cells[0], trace: 'missing.swf' }

const host: CellHost = {
  prepare: (cell, _, onRemark) => {
    onRemark(`seed ${cell.seed}`)
    return prepare(cell).pipe(Effect.provide(services))
  },
  assumptionsOf: () => ({}),
  reasonOf: (error) => (error as Error).message,
}
const workers = Layer.succeed(CellWorkers, {
  pool: () => Effect.succeed({ run: (task, onShare) => answer(task, onShare, host) }),
})
const here = Layer.mergeAll(services, workers, fileSystem)

function newFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'cloister-sweep-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

function watching(): { readonly watcher: CellWatcher; readonly said: Array<string> } {
  const said: Array<string> = []
  const remark = (text: string) => Effect.sync(() => void said.push(text))
  return { said, watcher: { onShare: () => {}, onEnd: ({ seed }) => void said.push(`end ${seed}`), remark } }
}

const sweepHere = (path: string, specs: typeof cells, anew: boolean) => {
  const { watcher, said } = watching()
  const begins: Array<object> = []
  const sweep = Effect.gen(function* () {
    const results = yield* openResults(path, { anew, cells: specs })
    const begin = (state: object) => Effect.sync(() => (begins.push(state), watcher))
    const outcome = yield* runExperiment(specs, yield* policyVersions(specs), results, options, begin)
    yield* Effect.sync(() => results.close())
    return { ...outcome, said, begins }
  })
  return Effect.runPromise(Effect.scoped(sweep).pipe(Effect.provide(here)))
}

describe('an experiment in one process', () => {
  test('an experiment runs only cells without a result, and reports remarks, ends and failures', async () => {
    const path = join(newFolder(), 'results.ndjson')
    const first = await sweepHere(path, [cells[1], failing], true)
    expect(first.begins).toEqual([{ cells: 2, stored: 0, byOtherBuilds: 0 }])
    expect(first.said).toEqual(['seed 3', 'end 3', 'seed 2', 'end 2'])
    expect(first.skipped).toEqual([{ cell: failing, reason: expect.stringContaining('missing.swf') }])
    expect(first.results).toMatchObject([{ cell: cells[1], program: 'test@1', build: '0', audit: { ok: true } }])
    const second = await sweepHere(path, cells, false)
    expect(second.begins).toEqual([{ cells: 4, stored: 1, byOtherBuilds: 0 }])
    expect(second.results.map(({ cell }) => cell)).toEqual(cells)
  })
})

describe('an experiment in shards', () => {
  test('shards that claim cells or have fixed cells give the results of one process, also joined into its file', async () => {
    const folder = newFolder()
    const path = join(folder, 'results.ndjson')
    await sweepHere(path, cells, true)
    const shared = new SweepFolder(join(folder, 'shared'))
    const { watcher } = watching()
    const shard = (index: number, claim: boolean) =>
      Effect.gen(function* () {
        const own = { ...options, shard: { index, count: 2 }, leaseSeconds: 60, claim, retry: false }
        return yield* runShard(yield* cellsOf(cells, program.name, true), shared, own, () => Effect.succeed(watcher))
      })
    const { unequal, answered, ran, merged, status } = await Effect.runPromise(
      Effect.gen(function* () {
        const outcomes = [yield* shard(2, false), yield* shard(1, true)]
        const all = yield* cellsOf(cells, program.name, true)
        const { read } = yield* readSweep(shared.path)
        const { placed } = mergedResults(all, read)
        const joined = yield* openResults(join(folder, 'joined.ndjson'), { anew: true })
        // Joining twice adds each result once.
        const unequal = [...(yield* joinResults(all, shared, joined)), ...(yield* joinResults(all, shared, joined))]
        const unaudited = yield* cellsOf(cells, program.name, false)
        const answered = unaudited.filter(({ cell, digest }) => answers(joined.get(specKey(cell)), digest))
        return {
          unequal,
          answered: answered.length,
          ran: outcomes.map((outcome) => outcome.ran),
          merged: placed.map((each) => `${readPlaced(each).line}\n`).join(''),
          status: statusOf(all, shared, read, 60),
        }
      }).pipe(Effect.scoped, Effect.provide(here)),
    )
    expect([unequal, answered]).toEqual([[], cells.length])
    expect(readFileSync(join(folder, 'joined.ndjson'), 'utf8')).toBe(merged)
    expect(ran).toEqual([2, 3])
    expect(merged).toBe(readFileSync(path, 'utf8'))
    expect(status).toMatchObject({ cells: 5, done: 5, running: 0, stale: 0, failed: 0, waiting: 0 })
  })
})
