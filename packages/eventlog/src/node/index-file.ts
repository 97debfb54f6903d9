import { fstatSync, readFileSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { attempt } from './file-error.ts'
import { LogIndex } from '../log/log-index.ts'
import type { Frame } from './log-ranges.ts'
import { compressFrame, decompress } from './zstd.ts'

/** Bytes at the end of a log file by which its index knows it again. */
const TAIL = 4096

/** Bytes that an index may hold: one that is larger is made anew each time. */
const MAX_INDEX = 2 ** 28

/** What the index file holds besides the index: whose index it is, and where the frames are. */
export interface Identity {
  readonly size: number
  readonly tail: string
  readonly frames: ReadonlyArray<Frame> | null
}

/** The file in which a log's index is kept: may be deleted at any time. */
export function indexPath(log: string): string {
  return `${log}.index`
}

/** What the file is now. */
export function identify(path: string, file: number): Omit<Identity, 'frames'> {
  return attempt('read', path, () => {
    const { size } = fstatSync(file)
    const tail = Buffer.alloc(Math.min(TAIL, size))
    readSync(file, tail, 0, tail.length, size - tail.length)
    return { size, tail: tail.toString('base64') }
  })
}

/** Undefined where there is no index, or none that is this log's. */
export function readIndex(
  path: string,
  { size, tail }: Omit<Identity, 'frames'>,
): { readonly index: LogIndex; readonly frames: Identity['frames'] } | undefined {
  try {
    const text = Buffer.from(decompress(readFileSync(indexPath(path)), 0, MAX_INDEX)).toString('latin1')
    const lineEnd = text.indexOf('\n')
    const identity = JSON.parse(text.slice(0, lineEnd)) as Identity
    if (identity.size !== size || identity.tail !== tail) return undefined
    const index = LogIndex.decode(text.slice(lineEnd + 1))
    return index && { index, frames: identity.frames }
  } catch {
    return undefined
  }
}

/** Whole or not at all. False where it cannot be kept: a folder for reading only, a full disk. */
export function writeIndex(path: string, index: LogIndex, identity: Identity): boolean {
  const unfinished = `${indexPath(path)}.${process.pid}`
  try {
    writeFileSync(unfinished, compressFrame(Buffer.from(`${JSON.stringify(identity)}\n${index.encode()}`, 'latin1')))
    renameSync(unfinished, indexPath(path))
    return true
  } catch {
    rmSync(unfinished, { force: true })
    return false
  }
}
