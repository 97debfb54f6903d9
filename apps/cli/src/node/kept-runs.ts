import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Identity } from '@cloister/eventlog/node'
import type { KeptRun } from '@cloister/viewer'
import { Layer } from 'effect'
import { userCache } from '../user-cache.ts'
import { KeptRuns, type RunStore } from '../view/kept-runs.ts'

/** Bytes that all runs together may take. */
const ROOM = 2 ** 30
/** What is given from thread to thread at once: each piece waits for whatever else the program does. */
const PIECE = { chunkSize: 2 ** 25 }
/** Loaded where they are needed: every command starts with this file, and would take a tenth longer. */
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
 * In a folder, a file a run, by what tells program and log from all others. The seals of a log do not vouch for what was made
 * from it: only its own user may put something there.
 *
 * @param programOf what tells this build from every other
 * @param room bytes that all runs together may take: those that were not looked at for longest go first
 */
export function runsIn(folder: string, programOf: () => string, room: number = ROOM): RunStore {
  const pathOf = ({ size, sha256 }: Identity): string => join(folder, hexSha256(`${programOf()} ${size} ${sha256}`))
  return {
    read: async (log) => {
      try {
        const path = pathOf(log)
        const run = builtin.v8.deserialize(await decompressed(readFileSync(path))) as KeptRun
        utimesSync(path, new Date(), new Date())
        return run
      } catch {
        return undefined
      }
    },
    write: (log, run) => {
      const { zstdCompress, constants } = builtin.zlib
      // With a checksum, so that a damaged file is noticed.
      const params = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 }
      zstdCompress(builtin.v8.serialize(run), { ...PIECE, params }, (error, bytes) => {
        if (error === null) put(folder, pathOf(log), bytes, room)
      })
    },
  }
}

/** In another thread. */
function decompressed(bytes: Uint8Array): Promise<Uint8Array> {
  return promisify(builtin.zlib.zstdDecompress)(bytes, PIECE)
}

function hexSha256(data: string | Uint8Array): string {
  return builtin.crypto.createHash('sha256').update(data).digest('hex')
}

/** Whole or not at all; where it cannot be kept, it is not. */
function put(folder: string, path: string, bytes: Uint8Array, room: number): void {
  const unfinished = `${path}.${builtin.crypto.randomBytes(6).toString('hex')}`
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(unfinished, bytes, { flag: 'wx', mode: 0o600 })
    renameSync(unfinished, path)
    makeRoom(folder, room)
  } catch {
    rmSync(unfinished, { force: true })
  }
}

function makeRoom(folder: string, room: number): void {
  const files = readdirSync(folder)
    .map((name) => ({ path: join(folder, name), ...sizeAndTime(join(folder, name)) }))
    .sort((a, b) => b.time - a.time)
  let taken = 0
  for (const [at, { path, size }] of files.entries()) {
    taken += size
    if (at > 0 && taken > room) rmSync(path, { force: true })
  }
}

function sizeAndTime(path: string): { readonly size: number; readonly time: number } {
  const { size, mtimeMs } = statSync(path)
  return { size, time: mtimeMs }
}

/** The name of a part of this program tells its content, so that its first part tells the build. */
const ownBuild = (): string => hexSha256(readFileSync(new URL('./cloister.js', import.meta.url)))

/** In the user's own cache. */
export const userRuns: Layer.Layer<KeptRuns> = Layer.succeed(KeptRuns, runsIn(join(userCache, 'runs'), ownBuild))
