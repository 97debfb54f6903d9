import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Identity } from '@cloister/eventlog/node'
import { Context } from 'effect'
import type { StoredRun } from '../run/viewed-run.ts'

/** Store of runs that `cloister view` collected from logs, for this build of the program only. */
export interface RunStore {
  /** Returns the stored run of the log with an identity (size and hash). Undefined if the store has no readable run. */
  readonly read: (log: Identity) => Promise<StoredRun | undefined>
  /** Begins to store a run; failures are ignored. After the return, the caller may change the run. */
  readonly write: (log: Identity, run: StoredRun) => void
}

/** Store of runs, so that `cloister view` shows a log again without reading the whole log. */
export class StoredRuns extends Context.Service<StoredRuns, RunStore>()('cloister/StoredRuns') {}

/** Default size limit of all stored runs together, in bytes. */
const LIMIT = 2 ** 30
/** Size in bytes of the pieces that zlib passes to the main thread; few large pieces disturb the main thread least. */
const PIECE = { chunkSize: 2 ** 25 }
/** Modules of Node, loaded at the first use, because every command imports this file and would start a tenth slower. */
const builtin = {
  get crypto() {
    return process.getBuiltinModule('node:crypto')
  },
  get v8() {
    return process.getBuiltinModule('node:v8')
  },
  get zlib() {
    return process.getBuiltinModule('node:zlib')
  },
}

/**
 * Returns a store of runs that `cloister view` has collected from logs: a folder with a file for each run. The file's
 * name identifies the program and the log. Only the user may write into the folder, because the seals of a log do not
 * protect the stored runs.
 * @param programOf returns an identifier of this build of the program
 * @param limit size limit of all stored runs together, in bytes; the least recently used runs are removed first
 */
export function runsIn(folder: string, programOf: () => string, limit: number = LIMIT): RunStore {
  const pathOf = ({ size, sha256 }: Identity): string => join(folder, hexSha256(`${programOf()} ${size} ${sha256}`))
  return {
    read: async (log) => {
      try {
        const path = pathOf(log)
        const run = builtin.v8.deserialize(await decompressed(readFileSync(path))) as StoredRun
        utimesSync(path, new Date(), new Date())
        return run
      } catch {
        return undefined
      }
    },
    write: (log, run) => {
      const { zstdCompress, constants } = builtin.zlib
      // The checksum of zstd reveals a damaged file.
      const params = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 }
      zstdCompress(builtin.v8.serialize(run), { ...PIECE, params }, (error, bytes) => {
        if (error === null) put(folder, pathOf(log), bytes, limit)
      })
    },
  }
}

/** Decompresses bytes in a thread of Node's pool, so that the main thread goes on. */
function decompressed(bytes: Uint8Array): Promise<Uint8Array> {
  return promisify(builtin.zlib.zstdDecompress)(bytes, PIECE)
}

function hexSha256(data: string | Uint8Array): string {
  return builtin.crypto.createHash('sha256').update(data).digest('hex')
}

/** Writes the file of a stored run completely or not at all. An error leaves the run unstored, without a message. */
function put(folder: string, path: string, bytes: Uint8Array, limit: number): void {
  const unfinished = `${path}.${builtin.crypto.randomBytes(6).toString('hex')}`
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(unfinished, bytes, { flag: 'wx', mode: 0o600 })
    renameSync(unfinished, path)
    removeOldest(folder, limit)
  } catch {
    rmSync(unfinished, { force: true })
  }
}

function removeOldest(folder: string, limit: number): void {
  const files = readdirSync(folder)
    .map((name) => ({ path: join(folder, name), ...sizeAndTime(join(folder, name)) }))
    .sort((a, b) => b.time - a.time)
  let taken = 0
  for (const [at, { path, size }] of files.entries()) {
    taken += size
    if (at > 0 && taken > limit) rmSync(path, { force: true })
  }
}

function sizeAndTime(path: string): { readonly size: number; readonly time: number } {
  const { size, mtimeMs } = statSync(path)
  return { size, time: mtimeMs }
}
