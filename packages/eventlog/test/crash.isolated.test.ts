import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { LogWriter } from '../src/index.ts'
import {
  createLogFile,
  openLogFile,
  readLogFile,
  resumeLogFile,
  ResumeError,
  sha256,
  type Sync,
} from '../src/node/index.ts'
import { chance } from './legal-history.ts'
import { drain } from './reading.ts'
import { type Call, concat, sampleHeader, topologies, writeLog } from './sample-logs.ts'

/** Operation that a program requested from the disk. */
type Operation =
  | { readonly kind: 'write'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly length: number }
  | { readonly kind: 'sync' | 'sync folder' }

const journal = vi.hoisted(() => ({ path: '', folder: '', file: -1, folderFile: -1, operations: [] as unknown[] }))

/** Notes the operations requested from the disk and from one file, and carries out all of them. */
vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>()
  const note = (operation: Operation): void => void journal.operations.push(operation)
  const sync =
    (actual: (file: number) => void) =>
    (file: number): void => {
      actual(file)
      if (file === journal.file) note({ kind: 'sync' })
      if (file === journal.folderFile) note({ kind: 'sync folder' })
    }
  return {
    ...fs,
    openSync: (path: string, ...rest: [never]) => {
      const file = fs.openSync(path, ...rest)
      if (path === journal.path && rest[0] !== 'r' && rest[0] !== fs.constants.O_NONBLOCK) journal.file = file
      if (path === journal.folder) journal.folderFile = file
      return file
    },
    writeSync: (file: number, bytes: Uint8Array, from: number = 0) => {
      const at = fs.fstatSync(file).size
      const length = fs.writeSync(file, bytes, from)
      if (file === journal.file) note({ kind: 'write', at, bytes: bytes.slice(from, from + length) })
      return length
    },
    ftruncateSync: (file: number, length: number) => {
      fs.ftruncateSync(file, length)
      if (file === journal.file) note({ kind: 'truncate', length })
    },
    fsyncSync: sync(fs.fsyncSync),
    fdatasyncSync: sync(fs.fdatasyncSync),
  }
})

const folder = mkdtempSync(join(tmpdir(), 'cloister-crash-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
afterEach(() => {
  journal.path = ''
})

const SECTOR = 512

/**
 * Returns possible bytes of the file after a crash: all synced operations, and any sectors of later writes in any
 * order. Returns undefined if the file itself is lost.
 */
function leftOver(
  before: Uint8Array | undefined,
  operations: ReadonlyArray<Operation>,
  next: (below: number) => number,
): Uint8Array | undefined {
  const synced = operations.findLastIndex(({ kind }) => kind === 'sync') + 1
  const isThere = before !== undefined || operations.some(({ kind }) => kind === 'sync folder')
  if (!isThere && next(2) === 0) return undefined
  let bytes = before ?? new Uint8Array(0)
  for (const operation of operations.slice(0, synced)) bytes = apply(bytes, operation)
  const pending = operations.slice(synced).flatMap(sectorsOf)
  for (let left = pending.length; left > 0; left--) {
    const [operation] = pending.splice(next(left), 1)
    if (next(3) > 0) bytes = apply(bytes, operation)
  }
  return bytes
}

function sectorsOf(operation: Operation): ReadonlyArray<Operation> {
  if (operation.kind !== 'write') return [operation]
  const sectors: Operation[] = []
  for (let at = operation.at; at < operation.at + operation.bytes.length;) {
    const end = Math.min(operation.at + operation.bytes.length, at - (at % SECTOR) + SECTOR)
    sectors.push({ kind: 'write', at, bytes: operation.bytes.slice(at - operation.at, end - operation.at) })
    at = end
  }
  return sectors
}

/** Applies an operation. A gap before the written bytes is filled with NULs. */
function apply(bytes: Uint8Array, operation: Operation): Uint8Array {
  if (operation.kind === 'truncate') return bytes.slice(0, operation.length)
  if (operation.kind !== 'write') return bytes
  const after = new Uint8Array(Math.max(bytes.length, operation.at + operation.bytes.length))
  after.set(bytes)
  after.set(operation.bytes, operation.at)
  return after
}

const calls: ReadonlyArray<Call> = [
  ...Array.from(
    { length: 40 },
    (_, at): Call =>
      (to) =>
        to.record({
          type: 'submit',
          t: at,
          job: `job ${at}`,
          size: 1,
          estimate: 1000 * at,
          name: 'n'.repeat((at * 37) % 200),
        }),
  ),
  (to) =>
    to.record({ type: 'end', t: 40, submitted: 40, started: 0, finished: 0, rejected: 0, killed: 0, cancelled: 0 }),
]
const plain = writeLog(sampleHeader(), topologies[0], calls)
const { records } = drain(readLogFile(file('whole.ndjson', plain)))

function file(name: string, bytes: Uint8Array): string {
  writeFileSync(join(folder, name), bytes)
  return join(folder, name)
}

interface Told {
  readonly operations: ReadonlyArray<Operation>
  /** Number of disk operations that were done when each call of the writer returned. */
  readonly done: ReadonlyArray<number>
  /** Number of bytes of the log that were written to the file when each call of the writer returned. */
  readonly given: ReadonlyArray<number>
}

/** Repeats the run for a log file, and notes the operations requested from the disk. */
function tell(path: string, sync: Sync, open: typeof createLogFile | typeof resumeLogFile): Told {
  Object.assign(journal, { path, folder, file: -1, folderFile: -1, operations: [] })
  const [done, given]: [number[], number[]] = [[], []]
  let length = 0
  const log = open(path, { sync })
  const sink = (chunk: Uint8Array): void => {
    log.write(chunk)
    length += chunk.length
  }
  const writer = new LogWriter(sampleHeader(), topologies[0], sink, sha256, {
    chunks: sync === 'record' ? 'record' : 'seal',
  })
  for (const call of calls) {
    call(writer)
    done.push(journal.operations.length)
    given.push(length)
  }
  log.close()
  done.push(journal.operations.length)
  given.push(length)
  journal.path = ''
  return { operations: journal.operations as Operation[], done, given }
}

function expectPrefixOrRefusal(path: string): void {
  const { records: found, outcome } = drain(readLogFile(path))
  expect(found).toEqual(records.slice(0, found.length))
  if (outcome.status === 'whole') expect(found.length).toBe(records.length)
  if (outcome.status === 'corrupt') expect(outcome.sealed).toBe(found.length)
}

describe.each(['run.ndjson', 'run.ndjson.zst'])('a crash of the machine while the log file %s is written', (name) => {
  it.each(['record', 'seal', 'end', 'none'] as const)(
    'with the option sync %s, a crash of the machine leaves the first records of the log, or a file that is refused',
    (sync) => {
      fc.assert(
        fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), chance, (share, next) => {
          const path = join(folder, name)
          rmSync(path, { force: true })
          const { operations, done, given } = tell(path, sync, createLogFile)
          const count = Math.floor(share * (operations.length + 1))
          const left = leftOver(undefined, operations.slice(0, count), next)
          rmSync(path)
          if (left !== undefined) writeFileSync(path, left)
          const kept = left === undefined ? new Uint8Array(0) : contentOf(path)
          // All bytes synced before the crash are present, with any bytes behind.
          const told = done.findLastIndex((each) => each <= count)
          const isPromised = sync === 'record' || sync === 'seal' || (sync === 'end' && count === operations.length)
          const promised = isPromised ? (given[told] ?? 0) : 0
          expect(Buffer.compare(kept.subarray(0, promised), plain.subarray(0, promised))).toBe(0)
          if (left !== undefined) expectPrefixOrRefusal(path)
          if (left === undefined) return

          // The run is repeated, and crashes again.
          const before = left
          let again: Told
          try {
            again = tell(path, sync, resumeLogFile)
          } catch (error) {
            if (!(error instanceof ResumeError)) throw error
            return
          }
          expect(Buffer.compare(contentOf(path), plain)).toBe(0)
          const after = leftOver(before, again.operations.slice(0, next(again.operations.length + 1)), next)!
          writeFileSync(path, after)
          expectPrefixOrRefusal(path)
        }),
        { numRuns: 40 },
      )
    },
  )
})

/** Returns the content of a file, as far as the file can be decompressed. */
function contentOf(path: string): Uint8Array {
  const chunks: Uint8Array[] = []
  try {
    for (const chunk of openLogFile(path)) chunks.push(chunk)
  } catch (error) {
    if ((error as { _tag?: string })._tag !== 'BrokenChunksError') throw error
  }
  return concat(chunks)
}

describe('createLogFile with the option sync', () => {
  const syncs = (sync: Sync): ReadonlyArray<number> => {
    const path = join(folder, 'counted.ndjson')
    rmSync(path, { force: true })
    const { operations } = tell(path, sync, createLogFile)
    return [
      operations.filter(({ kind }) => kind === 'write').length,
      operations.filter(({ kind }) => kind === 'sync').length,
      operations.filter(({ kind }) => kind === 'sync folder').length,
    ]
  }

  it('the option sync of createLogFile forces bytes onto the disk after each record, after each seal, at the end, or never', () => {
    const seals = records.filter(({ type }) => type === 'seal').length
    // One write holds the end record and the final seal.
    expect(syncs('record')).toEqual([records.length - 1, records.length - 1, 1])
    expect(syncs('seal')).toEqual([seals, seals, 1])
    expect(syncs('end')).toEqual([seals, 1, 1])
    expect(syncs('none')).toEqual([seals, 0, 0])
  })
})
