/** Tests of the store of stored runs, by which `cloister view` shows a log again without reading the whole log. */
import { appendFileSync, existsSync, readdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Identity, indexPath, LogFollower, openSeekableLog } from '@cloister/eventlog/node'
import type { Overview } from '@cloister/viewer'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FollowedLog, runsIn, type RunStore } from '@cloister/viewer/server'
import { Folder } from './cloister.ts'

const folder = new Folder(afterAll)
const kept = join(folder.path, 'kept')
/** Path of a log with more records than the viewer reads at once. */
const log = join(folder.path, 'jigsaw.ndjson')

beforeAll(async () => {
  const run = ['--trace', 'synth:16:1500', '--topology', 'radix:16']
  for (const policy of ['jigsaw', 'baseline'])
    await folder.json('simulate', ...run, '--policy', policy, '--out', `${policy}.ndjson`)
  indexOf(log)
})

/** Writes the index file of a log, because the program writes no index file for a short log. */
function indexOf(path: string): void {
  openSeekableLog(path, { keepIndex: true }).close()
}

function copyOf(path: string, name: string): string {
  const copy = join(folder.path, name)
  writeFileSync(copy, readFileSync(path))
  indexOf(copy)
  return copy
}

/** Returns a store in a folder that records its use: `found` has a value for each read, `written` counts writes. */
function watched(program: string = 'one', limit?: number): RunStore & { found: Array<boolean>; written: number } {
  const store = runsIn(kept, () => program, limit)
  return {
    found: [],
    written: 0,
    async read(identity) {
      const run = await store.read(identity)
      this.found.push(run !== undefined)
      return run
    },
    write(identity, run) {
      this.written++
      store.write(identity, run)
    },
  }
}

function overviewOf(viewed: FollowedLog): Overview {
  return viewed.answer('overview', {}).json as Overview
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((wake) => setTimeout(wake, 5))
}

function identityOf(path: string): Identity {
  const follower = new LogFollower(path)
  follower.close()
  return follower.identity!
}

const recordsIn = (path: string): number => readFileSync(path, 'latin1').split('\n').length - 1

const isRead = (viewed: FollowedLog): boolean => !['reading', 'written'].includes(overviewOf(viewed).status)

function answersOf(viewed: FollowedLog): ReadonlyArray<unknown> {
  const times = { from: 0, to: 20_000, points: 50 }
  const asked = { query: 'size>3', sort: 'wait', descending: true, from: 0, count: 40, histogram: 'size' } as const
  return [
    overviewOf(viewed),
    viewed.answer('growth', { jobs: 0, spans: 0 }),
    viewed.answer('timeline', times),
    viewed.answer('linkUse', times),
    viewed.answer('jobs', asked),
    viewed.answer('moment', { t: 9000 }),
    viewed.answer('job', { job: '77' }),
    viewed.answer('metrics', {}),
  ]
}

/** Returns the answers of the viewer about a log, from the log itself or from the store of stored runs. */
async function shown(path: string, store?: RunStore): Promise<ReadonlyArray<unknown>> {
  const viewed = new FollowedLog(path, () => undefined, store)
  try {
    await until(() => isRead(viewed))
    return answersOf(viewed)
  } finally {
    viewed.close()
  }
}

const files = (): ReadonlyArray<string> => (existsSync(kept) ? readdirSync(kept) : [])

/** Reads a log, waits for the file of the stored run, and returns the name of this file. */
async function keep(path: string, store: RunStore = watched()): Promise<string> {
  const before = new Set(files())
  await shown(path, store)
  const isNew = (name: string): boolean => !before.has(name) && !name.includes('.')
  await until(() => files().some(isNew))
  return join(kept, files().find(isNew)!)
}

it('the second view of a log takes the stored run instead of reading the log, with equal figures', async () => {
  const fresh = await shown(log)
  const store = watched()
  await keep(log, store)
  expect([store.found, store.written]).toEqual([[false], 1])
  const viewed = new FollowedLog(log, () => undefined, store)
  await until(() => store.found.length > 1)
  expect(overviewOf(viewed)).toMatchObject({ status: 'whole', progress: 1, jobs: 1500 })
  await until(() => viewed.records === overviewOf(viewed).records)
  expect(answersOf(viewed)).toEqual(fresh)
  viewed.close()
  expect([store.found, store.written]).toEqual([[false, true], 1])
  // The viewer answers from the stored run before it has read the log.
  const run = (await store.read(identityOf(log)))!
  const told = { read: () => Promise.resolve({ ...run, t: 1e6 }), write: () => {} }
  expect((await shown(log, told))[0]).toMatchObject({ status: 'whole', jobs: 1500, lastTime: 1e6 })
  // A run that another build of the program kept may differ, and is not used.
  const other = watched('two')
  expect(await shown(log, other)).toEqual(fresh)
  // Waits for the file of the stored run, because the next test looks for new files in the store.
  await until(() => files().filter((name) => !name.includes('.')).length === 2)
  expect([other.found, other.written]).toEqual([[false], 1])
})

it('a log whose stored run is damaged is read again, and the new run is kept', async () => {
  const path = copyOf(join(folder.path, 'baseline.ndjson'), 'damaged.ndjson')
  const fresh = await shown(path)
  const file = await keep(path)
  const plain = runsIn(kept, () => 'one')
  const run = await plain.read(identityOf(path))
  const whole = readFileSync(file)
  const flipped = Buffer.from(whole)
  flipped[flipped.length >> 1] ^= 4
  for (const damaged of [flipped, whole.subarray(0, -9), Buffer.from('')]) {
    writeFileSync(file, damaged)
    const store = watched()
    expect(await shown(path, store)).toEqual(fresh)
    await until(() => !readFileSync(file).equals(damaged))
    // Compares runs, not bytes: V8 writes the number 0 in two ways, and its compiler decides which.
    expect(await plain.read(identityOf(path))).toEqual(run)
    expect([store.found, store.written]).toEqual([[false], 1])
  }
})

it('a log is read again if the log grew since its run was kept, or is replaced while the stored run is shown', async () => {
  const bytes = readFileSync(log)
  const path = join(folder.path, 'grows.ndjson')
  // Writes the first half of the log, as whole lines.
  const cut = bytes.lastIndexOf('\n', bytes.length >> 1) + 1
  writeFileSync(path, bytes.subarray(0, cut))
  indexOf(path)
  await keep(path)
  const store = watched()
  const viewed = new FollowedLog(path, () => undefined, store)
  await until(() => store.found.length > 0)
  expect([store.found, overviewOf(viewed).status]).toEqual([[true], 'unsealed'])
  appendFileSync(path, bytes.subarray(cut))
  await until(() => viewed.generation === 1 && viewed.records === recordsIn(log))
  expect(answersOf(viewed).slice(1)).toEqual((await shown(log)).slice(1))
  const next = copyOf(join(folder.path, 'baseline.ndjson'), 'next.ndjson')
  renameSync(next, path)
  await until(() => viewed.generation === 2 && viewed.records === recordsIn(path))
  expect(answersOf(viewed).slice(1)).toEqual((await shown(join(folder.path, 'baseline.ndjson'))).slice(1))
  viewed.close()
  // The stored run of the first half is not used for the whole log.
  const again = watched()
  expect((await shown(path, again)).slice(1)).toEqual((await shown(join(folder.path, 'baseline.ndjson'))).slice(1))
})

it('the run of a log without an index file is not kept', async () => {
  const path = join(folder.path, 'short.ndjson')
  writeFileSync(path, readFileSync(log))
  const store = watched()
  await shown(path, store)
  expect([store.found, store.written]).toEqual([[], 0])
  expect(existsSync(indexPath(path))).toBe(false)
})

it('the store removes the least recently viewed runs if the size limit is reached', async () => {
  const first = await keep(log, watched('old'))
  const second = await keep(log, watched('older'))
  utimesSync(first, 2e9, 2e9)
  utimesSync(second, 1e9, 1e9)
  const limit = 2 * readFileSync(first).length + 9
  const third = await keep(log, watched('new', limit))
  await until(() => files().length === 2)
  expect(
    files()
      .map((name) => join(kept, name))
      .sort(),
  ).toEqual([first, third].sort())
})
