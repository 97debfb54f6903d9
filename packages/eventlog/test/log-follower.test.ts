import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { type LogRecord, LogState } from '../src/index.ts'
import { createLogFile, indexPath, LogFollower, openSeekableLog } from '../src/node/index.ts'
import { compressFrame } from '../src/node/zstd-frame.ts'
import { chance, tellLegalHistory } from './legal-history.ts'
import { read } from './reading.ts'
import { anyTopology, type Call, concat, sampleHeader, topologies, writeLog } from './sample-logs.ts'

const folder = mkdtempSync(join(tmpdir(), 'cloister-follow-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function framesOf(bytes: Uint8Array, length: number): Uint8Array {
  const frames: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += length) frames.push(compressFrame(bytes.subarray(at, at + length)))
  return concat(frames)
}

function readAll(follower: LogFollower): ReadonlyArray<LogRecord> {
  const records: LogRecord[] = []
  for (let some = follower.next(); some !== undefined; some = follower.next()) records.push(...some)
  return records
}

const submits = (jobs: number) =>
  writeLog(
    sampleHeader({ seal_every: 8 }),
    topologies[0],
    Array.from({ length: jobs }, (_, at) => (to) => to.record({ type: 'submit', t: at, job: `job${at}`, size: 1 })),
  )

describe('LogFollower', () => {
  it('LogFollower gives each record of a growing file once, and finds any state of the given records', () => {
    fc.assert(
      fc.property(anyTopology, fc.boolean(), chance, (topology, compressed, next) => {
        const header = sampleHeader({ seal_every: 2 + next(6) })
        const log = writeLog(header, topology, [
          (to) => (tellLegalHistory(to, topology, false, 40 + next(200), next), 0),
        ])
        const bytes = compressed ? framesOf(log, 500 + next(3000)) : log
        const { records, outcome } = read(log)
        const path = join(folder, compressed ? 'grows.ndjson.zst' : 'grows.ndjson')
        writeFileSync(path, '')
        const follower = new LogFollower(path)
        const given: LogRecord[] = []
        for (let at = 0; at < bytes.length;) {
          const length = 1 + next(Math.ceil(bytes.length / 3))
          appendFileSync(path, bytes.subarray(at, at + length))
          at += length
          given.push(...readAll(follower))
          expect(given).toEqual(records.slice(0, given.length))
          const seeker = follower.seeker()
          expect(seeker?.index.records ?? 0).toBe(given.length)
          if (seeker !== undefined)
            expect([...seeker.stateAt(given.length - 1).waiting]).toEqual([...fold(given).waiting])
        }
        const rest = follower.finish()
        expect([...given, ...rest.records]).toEqual(records)
        expect(rest.outcome).toEqual(outcome)
        expect([...follower.seeker()!.records(0, records.length)]).toEqual(records)
        follower.close()
      }),
      { numRuns: 60 },
    )
  })

  it('LogFollower uses an existing index file, and gives the same records with the index', () => {
    const path = join(folder, 'indexed.ndjson')
    const bytes = submits(20_000)
    writeFileSync(path, bytes)
    const first = new LogFollower(path, { keepIndex: true })
    const records = [...readAll(first), ...first.finish().records]
    expect(first.indexed).toBe('made')
    first.close()
    const second = new LogFollower(path)
    expect(second.indexed).toBe('found')
    expect(second.progress).toBe(0)
    expect(second.seeker()!.stateAt(19_000).waiting.size).toBe(fold(records.slice(0, 19_001)).waiting.size)
    expect(readAll(second)).toEqual(records)
    expect(second.progress).toBe(1)
    expect(second.finish().outcome).toEqual(read(bytes).outcome)
    second.close()
    rmSync(indexPath(path))
  })

  it('LogFollower.next returns the records that were decoded for a state, without decoding them again', () => {
    const path = join(folder, 'ahead.ndjson')
    writeFileSync(path, submits(30_000))
    const first = new LogFollower(path, { keepIndex: true })
    const records = [...readAll(first), ...first.finish().records]
    first.close()
    const second = new LogFollower(path)
    const seeker = second.seeker()!
    const decoded: Array<number> = []
    const recordsOf = seeker.records.bind(seeker)
    seeker.records = function* (from, to) {
      for (const record of recordsOf(from, to)) {
        decoded.push(record.seq)
        yield record
      }
    }
    const given = [...second.next()!]
    while (second.prepareBeginning()) expect(decoded.length).toBeLessThanOrEqual(records.length)
    expect(seeker.stateAt(records.length - 1)).toBeDefined()
    given.push(...readAll(second))
    expect(given).toEqual(records)
    // After its snapshot, the state decodes some records once more.
    expect(decoded.length).toBeLessThan(records.length + 8 * 256)
    second.close()
    rmSync(indexPath(path))
  })

  it('LogFollower stops before a record that cannot follow, and names the record', () => {
    const path = join(folder, 'twice.ndjson')
    writeFileSync(
      path,
      writeLog(sampleHeader({ seal_every: 8 }), topologies[0], [
        (to) => to.record({ type: 'submit', t: 0, job: 'a', size: 1 }),
        (to) => to.record({ type: 'submit', t: 0, job: 'b', size: 1 }),
        (to) => to.record({ type: 'allocate', t: 0, job: 'a', nodes: [3], cause: 2 }),
        (to) => to.record({ type: 'allocate', t: 0, job: 'b', nodes: [3], cause: 2 }),
        ...Array.from(
          { length: 20 },
          (_, at): Call =>
            (to) =>
              to.record({ type: 'submit', t: at, job: `job${at}`, size: 1 }),
        ),
      ]),
    )
    const follower = new LogFollower(path)
    expect(readAll(follower)).toHaveLength(4)
    expect(follower.broken?.record.seq).toBe(4)
    expect(follower.broken?.error.message).toContain('node 3 is held by job a')
    expect(follower.seeker()!.stateAt(3).running.size).toBe(1)
    expect(follower.seeker()!.index.records).toBe(4)
    follower.close()
  })

  it('LogFollower.watch distinguishes a file being written, an unchanged file and a replaced file', () => {
    const path = join(folder, 'watched.ndjson')
    const bytes = submits(100)
    const file = createLogFile(path)
    file.write(bytes.subarray(0, 2000))
    const follower = new LogFollower(path)
    readAll(follower)
    expect(follower.watch()).toBe('written')
    file.close()
    expect(follower.watch()).toBe('same')
    appendFileSync(path, bytes.subarray(2000))
    expect(follower.watch()).toBe('written')
    readAll(follower)
    expect(follower.watch()).toBe('same')
    expect(follower.finish().outcome.status).toBe('unsealed')
    appendFileSync(path, bytes.subarray(0, 10))
    expect(follower.watch()).toBe('changed')
    writeFileSync(`${path}.new`, bytes)
    renameSync(`${path}.new`, path)
    expect(follower.watch()).toBe('changed')
    rmSync(path)
    expect(follower.watch()).toBe('same')
    follower.close()
  })

  it('LogFollower.watch does not report a grown file as replaced right after the last bytes were read', () => {
    const path = join(folder, 'last-bytes.ndjson')
    const bytes = submits(100)
    writeFileSync(path, bytes.subarray(0, 2000))
    const follower = new LogFollower(path)
    readAll(follower)
    appendFileSync(path, bytes.subarray(2000))
    expect(follower.next()!.length).toBeGreaterThan(0)
    // `watch` may be called before another `next` finds the end of the file.
    expect(follower.watch()).toBe('same')
    expect(follower.next()).toBe(undefined)
    expect(follower.watch()).toBe('same')
    follower.close()
  })

  it('LogFollower.watch does not wait for more bytes of a corrupt log', () => {
    const path = join(folder, 'corrupt.ndjson')
    const bytes = submits(100)
    writeFileSync(path, bytes.subarray(0, 2000))
    const follower = new LogFollower(path)
    readAll(follower)
    appendFileSync(path, 'no record\n')
    readAll(follower)
    expect(follower.outcome?.status).toBe('corrupt')
    appendFileSync(path, bytes.subarray(2000))
    expect(follower.watch()).toBe('same')
    follower.close()
  })

  it('LogFollower.watch notices the last bytes of a log that were written after the last read', () => {
    const path = join(folder, 'last-write.ndjson')
    const bytes = submits(100)
    const file = createLogFile(path)
    file.write(bytes.subarray(0, 2000))
    const follower = new LogFollower(path)
    readAll(follower)
    file.write(bytes.subarray(2000))
    file.close()
    expect(follower.watch()).toBe('written')
    expect(readAll(follower).length).toBeGreaterThan(0)
    expect(follower.watch()).toBe('same')
    follower.close()
  })
})

describe('a followed log that another program changes', () => {
  const jobs = submits(4000)
  const other = Buffer.from(Buffer.from(jobs).toString('latin1').replaceAll('"size":1', '"size":2'), 'latin1')

  /** Returns a follower that has read the whole log, with or without an index. */
  function followed(name: string, indexed: boolean): { readonly path: string; readonly follower: LogFollower } {
    const path = join(folder, name)
    for (const old of [path, indexPath(path)]) rmSync(old, { force: true })
    writeFileSync(path, jobs)
    if (indexed) openSeekableLog(path, { keepIndex: true }).close()
    const follower = new LogFollower(path)
    expect(follower.indexed).toBe(indexed ? 'found' : 'in memory')
    readAll(follower)
    follower.finish()
    expect(follower.watch()).toBe('same')
    return { path, follower }
  }

  it.each([
    ['cut off', (path: string) => truncateSync(path, 5000)],
    ['emptied', (path: string) => truncateSync(path, 0)],
    ['written over in place', (path: string) => writeFileSync(path, other)],
    [
      'written over, its time set back',
      (path: string) => {
        const { atime, mtime } = statSync(path)
        writeFileSync(path, other)
        utimesSync(path, atime, mtime)
      },
    ],
    ['appended to', (path: string) => appendFileSync(path, 'x')],
    [
      'replaced',
      (path: string) => {
        writeFileSync(`${path}.new`, other)
        renameSync(`${path}.new`, path)
      },
    ],
  ] as const)('LogFollower.watch reports a followed log as changed: %s', (_, change) => {
    for (const indexed of [false, true]) {
      const { path, follower } = followed('changing.ndjson', indexed)
      change(path)
      expect({ indexed, watch: follower.watch() }).toEqual({ indexed, watch: 'changed' })
      follower.close()
    }
  })

  it('LogFollower.watch reports a log as changed if it was written again from the start, and is longer than the part read before', () => {
    const path = join(folder, 'anew.ndjson')
    const file = createLogFile(path)
    file.write(jobs.subarray(0, 20_000))
    const follower = new LogFollower(path)
    readAll(follower)
    expect(follower.watch()).toBe('written')
    file.write(jobs.subarray(20_000, 30_000))
    expect(follower.watch()).toBe('written')
    readAll(follower)
    writeFileSync(path, other.subarray(0, 60_000))
    expect(follower.watch()).toBe('changed')
    follower.close()
  })

  it.each([
    ['shorter', 30_000],
    ['longer', 200_000],
  ])('LogFollower notices that a %s log took the place of its log before the end was read', (_, length) => {
    const path = join(folder, 'midway.ndjson')
    writeFileSync(path, jobs.subarray(0, 100_000))
    const follower = new LogFollower(path)
    const given = follower.next()!.length
    expect(given).toBeGreaterThan(0)
    writeFileSync(path, other.subarray(0, length))
    expect(follower.next()).toBe(undefined)
    expect(follower).toMatchObject({ wasReplaced: true, records: given })
    expect(follower.watch()).toBe('changed')
    follower.close()
  })

  it.each(['.lock', '.lock/1'])('LogFollower does not hang if a pipe is in the place of LOG%s', (name) => {
    const { path, follower } = followed(`locked${name.length}.ndjson`, false)
    follower.close()
    if (name.includes('/')) mkdirSync(`${path}.lock`)
    if (spawnSync('mkfifo', [`${path}${name}`]).status !== 0) return
    const again = new LogFollower(path)
    readAll(again)
    expect(again.watch()).toBe('written')
    again.close()
    expect(() => createLogFile(path, { force: true })).toThrow('another process writes the file')
  })
})

function fold(records: ReadonlyArray<LogRecord>): LogState {
  const [header, ...rest] = records
  if (header.type !== 'header') throw new Error('no header')
  const state = new LogState(header)
  for (const record of rest) state.apply(record)
  return state
}
